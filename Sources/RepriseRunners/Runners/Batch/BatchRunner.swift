// Steps as jobs of any scheduler, by three commands.

package import Reprise

/// Steps as jobs of a scheduler, one for each attempt: submitted, listed and removed by commands that are
/// known for some schedulers, and can be given for all others.
///
/// The scheduler decides when and where; the host that the job runs carries the attempt out and writes
/// its result to a folder that all machines share. What the scheduler says is used only to show why a job
/// waits, and to know that it is gone.
package struct BatchRunner: RunnerKind {
  package static let name = "batch"
  package static let resourceSettings: Set = ["options"]

  private enum CodingKeys: String, CodingKey {
    case scheduler, submit, job, status, line, states, cancel, options, limited, unreachable
    case attempts, poll, variables, report, causes, container, keep, array
    case orphanAfter = "orphan-after"
    case submitEvery = "submit-every"
    case lostAfter = "lost-after"
  }

  /// The scheduler whose commands are used, as far as none are given.
  var scheduler: BatchPreset?
  var submit: [String]?
  var job: JobPattern?
  var status: [String]?
  var line: JobPattern?
  var states: [String: BatchState]?
  var cancel: [String]?
  /// Further options of the command that submits.
  var options: [String]?
  var limited: [String]?
  var unreachable: [String]?
  /// The command that says how a job has ended, with `{job}` for its number.
  var report: [String]?
  var causes: [String: BatchCause]?
  /// How equal items are submitted together.
  var array: BatchArray?
  /// The container in which each step runs in its job; nil for none.
  var container: JobContainer?
  /// The jobs that the steps of a run share; nil for a job each.
  var keep: KeepSetting?
  /// How long a kept job without steps waits for an engine.
  var orphanAfter: Duration?
  /// The shortest time between two submissions.
  var submitEvery: Duration?
  /// The folder for the records of attempts, which all machines share.
  var attempts: String?
  /// The longest time between two questions for the queue.
  var poll: Duration?
  /// Variables of the engine that the commands need, besides the usual ones.
  var variables: [String]?
  var lostAfter: Duration?

  package func makeExecutor(
    named name: String, in surroundings: RunnerSurroundings
  ) throws(FailureReason) -> any Executor {
    let rules: BatchRules
    do throws(RunnerFailure) { rules = try self.rules } catch {
      throw .notStarted(error.description)
    }
    if let missing = missing(rules, in: surroundings) { throw .notStarted(missing) }
    let scheduler = BatchScheduler(
      rules: rules, options: options ?? [], commands: commands(in: surroundings))
    return try RunnerExecutor(
      jobsOf: scheduler, named: name, in: surroundings, attempts: attempts,
      poll: poll ?? .seconds(30), submitEvery: submitEvery ?? .zero, lostAfter: lostAfter,
      prepare: try container?.preparation(attempts, surroundings),
      keeping: kept(for: name, in: surroundings), comparing: scheduler.comparing)
  }

  /// How jobs are kept; nil if each step is a job.
  private func kept(for name: String, in surroundings: RunnerSurroundings) -> KeptJobSettings? {
    let orphanAfter = orphanAfter ?? .seconds(60)
    let limits = keep?.limits(processors: nil, time: nil, idleAfter: orphanAfter)
    return limits.map {
      KeptJobSettings(
        name: surroundings.placeName(for: name, options ?? []), limits: $0,
        orphanAfter: orphanAfter)
    }
  }

  /// The commands: those of the scheduler, with those that are given in their place.
  private var rules: BatchRules {
    get throws(RunnerFailure) {
      var rules = if let scheduler { scheduler.rules } else { try describedRules }
      rules.submit = submit ?? rules.submit
      rules.job = job ?? rules.job
      rules.status = status ?? rules.status
      rules.line = line ?? rules.line
      rules.cancel = cancel ?? rules.cancel
      rules.states.merge(states ?? [:]) { $1 }
      rules.limited += limited ?? []
      rules.unreachable += unreachable ?? []
      rules.report = report ?? rules.report
      rules.array = array ?? rules.array
      rules.causes.merge((causes ?? [:]).mapValues(\.cause)) { $1 }
      guard rules.causes[""] == nil else {
        throw .refused("a part under \"causes\" of a batch runner must not be empty")
      }
      for (key, words) in [
        ("submit", rules.submit), ("status", rules.status), ("cancel", rules.cancel),
      ] where words.isEmpty {
        throw .refused("\"\(key)\" of a batch runner must begin with a program")
      }
      guard rules.line.has(.state) else {
        throw .refused("\"line\" of a batch runner needs the field {state}")
      }
      return rules
    }
  }

  /// The commands of a scheduler that the file describes.
  private var describedRules: BatchRules {
    get throws(RunnerFailure) {
      guard let submit, let status, let cancel, let job, let line, let states else {
        throw .refused(
          "a batch runner needs \"scheduler\", one of "
            + BatchPreset.allCases.map(\.rawValue).joined(separator: ", ")
            + "; or \"submit\", \"job\", \"status\", \"line\", \"states\" and \"cancel\"")
      }
      return BatchRules(
        name: submit.first ?? "the scheduler", submit: submit, job: job, status: status,
        line: line, states: states, cancel: cancel)
    }
  }

  private func commands(in surroundings: RunnerSurroundings) -> SchedulerCommands {
    SchedulerCommands(in: surroundings, variables: variables ?? [])
  }

  private func missing(_ rules: BatchRules, in surroundings: RunnerSurroundings) -> String? {
    commands(in: surroundings).missing(
      [rules.submit[0], rules.status[0], rules.cancel[0]] + (report?.prefix(1) ?? []),
      of: rules.name)
  }

  package func problems(in surroundings: RunnerSurroundings) async -> [String] {
    do throws(RunnerFailure) {
      let rules = try self.rules
      if let missing = missing(rules, in: surroundings) { return [missing] }
      let scheduler = BatchScheduler(rules: rules, commands: commands(in: surroundings))
      _ = try await scheduler.jobs(within: .seconds(30))
      return []
    } catch {
      return [error.description]
    }
  }
}
