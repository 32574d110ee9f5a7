// `SlurmSite`: a Slurm cluster as a site of attempts, by its commands.

import ChildProcesses
import Platform
import Reprise
import Synchronization

/// A Slurm cluster, as its commands show it.
final class SlurmSite: JobSite {
  let name = "Slurm"

  private let options: [String]
  private let program: String
  private let commands: SlurmCommands
  private let clock: any RunClock
  let jobs: SubmittedJobs
  private let failedNodes: FailedNodes
  private var queue: JobQueue { jobs.queue }

  init(
    options: [String], program: String, commands: SlurmCommands, poll: Duration,
    submitEvery pace: Duration = .zero, clock: any RunClock,
    sharing share: RunnerShare = RunnerShare()
  ) {
    self.options = options
    self.program = program
    self.commands = commands
    self.clock = clock
    jobs = share.part { SubmittedJobs(commands, poll: poll, submitEvery: pace, clock: clock) }
    failedNodes = share.part { FailedNodes() }
  }

  func submit(
    _ spec: AttemptSpec, _ token: AttemptToken, _ folder: AttemptFolder
  ) async throws(RunnerFailure) -> String {
    // Equal steps are not worth a wait for each other, except items.
    let isItem = spec.environment["REPRISE_STEP_ID"]?.contains("[") == true
    let nodes = failedNodes.nodes(for: token)
    guard !nodes.isEmpty, !isExcluding else {
      return try await submit(token, folder, options, isItem: isItem)
    }
    do throws(RunnerFailure) {
      return try await submit(
        token, folder, options + ["--exclude=" + nodes.joined(separator: ",")], isItem: isItem)
    } catch {
      // There may be no other node.
      guard case .refused = error else { throw error }
      return try await submit(token, folder, options, isItem: isItem)
    }
  }

  /// Whether the settings exclude nodes themselves: the option has only one value.
  private var isExcluding: Bool {
    options.contains { $0.hasPrefix("--exclude") || $0.hasPrefix("-x") }
  }

  private func submit(
    _ token: AttemptToken, _ folder: AttemptFolder, _ options: [String], isItem: Bool
  ) async throws(RunnerFailure) -> String {
    let run = isItem && commands.arrays != nil ? token.run : nil
    let group = run.map { ([$0.description] + options).joined(separator: "\u{0}") }
    return try await jobs.submit(
      Submission(token: token, folder: folder, group: group) { [self] submissions in
        do throws(RunnerFailure) {
          guard submissions.count > 1, let run, let arrays = commands.arrays else {
            return .success([try await submitted(submissions[0], options)])
          }
          return try await submitted(submissions, of: run, options, arrays)
        } catch {
          return .failure(.failure(error))
        }
      })
  }

  /// The options that all jobs have.
  ///
  /// A job is never queued again by Slurm: the engine decides about retries.
  private static func words(named name: String, in folder: String, log: String) -> [String] {
    [
      "sbatch", "--parsable", "--no-requeue", "--export=ALL", "--job-name=\(name)",
      "--comment=\(name)", "--output=\(log)", "--open-mode=append", "--chdir=\(folder)",
    ]
  }

  /// Submits a job.
  ///
  /// - Returns: What sbatch prints.
  private func submitted(
    _ job: Submission, _ options: [String]
  ) async throws(RunnerFailure) -> String {
    // The environment, which may contain secrets, is in the folder, where only this user reads it.
    let (token, path) = (job.token, job.folder.path)
    let script = "exec \(shellQuoted(program)) host \(token) --folder \(shellQuoted(path))"
    let words = Self.words(named: token.text, in: path, log: job.folder.hostLogPath) + options
    let said = try await commands.answer(
      of: words + ["--wrap", script], in: variables(token.text))
    guard said.status == 0 else {
      throw await SlurmCommands.failure(of: said) { await queue.hasActiveJobs }
    }
    return Self.number(in: said)
  }

  /// Submits jobs as one array.
  ///
  /// - Returns: The number of each.
  private func submitted(
    _ jobs: [Submission], of run: RunID, _ options: [String], _ arrays: JobArrays
  ) async throws(RunnerFailure) -> Result<[String], Submission.Refusal> {
    let name = try arrays.make(jobs.map(\.token), of: run)
    let folder = arrays.folder(of: name)
    let words =
      Self.words(named: name, in: folder, log: folder + "/log")
      + options + [
        "--array=0-\(jobs.count - 1)", "--wrap", SlurmArrays.script(program, in: folder),
      ]
    let said = try await commands.answer(of: words, in: variables(name))
    guard said.status == 0 else {
      if SlurmCommands.refusesArray(said) { return .failure(.tooMany) }
      // A limit may also be one that fewer jobs do not reach.
      throw await SlurmCommands.failure(of: said) { true }
    }
    let number = Self.number(in: said).prefix { $0.isNumber }
    return .success(jobs.indices.map { "\(number)_\($0)" })
  }

  private static func number(in answer: ProgramAnswer) -> String {
    answer.output.split(whereSeparator: \.isNewline).last.map(String.init) ?? ""
  }

  /// The variables of sbatch: the mark keeps an engine that runs on the same machine from taking the step for
  /// a leftover.
  private func variables(_ name: String) -> [String: String] {
    commands.submission.merging(DetachedHost.variables(named: name)) { _, mark in mark }
  }

  func job(_ note: String) -> String? {
    // With the name of its cluster after a semicolon, if there are several.
    let number = note.prefix { $0.isNumber || $0 == "_" }
    return number.isEmpty ? nil : String(number)
  }

  func sight(of token: AttemptToken) async throws(RunnerFailure) -> SiteSight {
    try await queue.sight(of: token)
  }

  /// The number of the job of an attempt, as the scheduler knows it now.
  func job(of token: AttemptToken) async throws(RunnerFailure) -> String {
    _ = try await queue.sight(of: token)
    guard let job = await queue.job(of: token) else {
      throw .cannotAsk("Slurm does not show its job")
    }
    return job.id
  }

  func finishWithdrawals(of run: RunID, _ claimed: () -> [AttemptToken]) async -> String? {
    failedNodes.forget(run)
    return await jobs.finishWithdrawals(of: run, claimed())
  }

  func end(of token: AttemptToken) async -> AttemptEnd? {
    if let job = await queue.job(of: token) {
      return end(of: token, job.state, job.reason, on: job.node)
    }
    guard let job = await commands.accounted(of: token) else {
      return AttemptEnd("Slurm does not know its job any more")
    }
    return end(of: token, job.state, "", on: job.node)
  }

  /// How long the end of a job is waited for, since it comes a little after that of its host.
  private static let endTimeMax = Duration.seconds(5)
  /// The same for a job that is ending: Slurm gives its processes 30 seconds (`KillWait`).
  private static let completionTimeMax = Duration.seconds(40)
  private static let endPause = Duration.milliseconds(400)

  func intervention(in token: AttemptToken) async -> AttemptEnd? {
    let start = clock.now
    while true {
      await queue.refresh()
      guard !Task.isCancelled else { break }
      let job = await queue.job(of: token)
      if let job {
        if ["COMPLETED", "FAILED"].contains(job.state) { return nil }
        guard job.phase == .ending || job.isActive else {
          return end(of: token, job.state, job.reason, on: job.node)
        }
      } else {
        guard await queue.isTooEarly(for: token) else { break }
      }
      let isCompleting = job?.phase == .ending
      let limit = isCompleting ? Self.completionTimeMax : Self.endTimeMax
      guard clock.now - start < limit else { break }
      try? await clock.sleep(for: Self.endPause)
    }
    guard let job = await commands.accounted(of: token),
      !["COMPLETED", "FAILED", "RUNNING", "PENDING", "COMPLETING"].contains(job.state)
    else { return nil }
    return end(of: token, job.state, "", on: job.node)
  }

  /// How Slurm has ended a job, with the setting that matters.
  private func end(
    of token: AttemptToken, _ state: String, _ reason: String, on node: String
  ) -> AttemptEnd {
    let (cause, hint): (LossCause?, String) =
      switch state.prefix(while: { $0 != " " }) {
      case "TIMEOUT": (.timeLimit, "; its time limit has passed (setting \"time\")")
      case "OUT_OF_MEMORY":
        (.outOfMemory, "; it needed more memory than it had (setting \"memory\")")
      case "NODE_FAIL", "BOOT_FAIL": (.node, node.isEmpty ? "" : " on \(node)")
      case "PREEMPTED": (.preempted, "")
      case "DEADLINE": (.limit, "")
      default: (nil, "")
      }
    if cause == .node, !node.isEmpty { failedNodes.note(node, of: token) }
    return AttemptEnd(
      "Slurm ended its job: \(state)" + (reason.isEmpty ? "" : " (\(reason))") + hint, cause: cause)
  }

  func forget(_ token: AttemptToken) { Task { await jobs.forget(token) } }
}

/// The nodes that have failed under attempts of steps, which the next attempts avoid.
final class FailedNodes: Sendable {
  private let nodes = Mutex<[RunID?: [String: Set<String>]]>([:])

  /// Notes that a node has failed under an attempt.
  func note(_ node: String, of token: AttemptToken) {
    nodes.withLock { _ = $0[token.run, default: [:]][token.step, default: []].insert(node) }
  }

  /// The nodes that have failed under attempts of the same step of a run.
  func nodes(for token: AttemptToken) -> [String] {
    nodes.withLock { $0[token.run]?[token.step]?.sorted() ?? [] }
  }

  /// Forgets the nodes of a run, which has ended.
  func forget(_ run: RunID) { nodes.withLock { $0[run] = nil } }
}
