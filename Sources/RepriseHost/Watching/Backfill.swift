// The past moments of a schedule for which a command starts runs.

package import Reprise
package import RepriseJournal
import RepriseTerminal

/// The moments of the schedules of a workflow in a range of time.
package struct Backfill: Sendable {
  /// The maximum number of moments: a range with more is probably wrong.
  private static let momentsMax = 10_000

  /// The moments, in order; those that are still to come are left out.
  package let moments: [Timestamp]

  /// Finds the moments.
  ///
  /// - Parameters:
  ///   - range: The range, as written by the user; in the time zone of each schedule.
  ///   - workflow: The workflow.
  ///   - now: The current time.
  /// - Throws: ``Problem`` if the range is invalid, or the workflow has no schedule with times in the
  ///   past.
  package init(over range: String, of workflow: Workflow, now: Timestamp) throws(Problem) {
    let schedules = workflow.triggers?.schedules ?? []
    guard !schedules.isEmpty else {
      throw Problem("error: \"\(workflow.name)\" has no \"schedule\" under \"on\"")
    }
    let fixed = schedules.filter {
      if case .cron = $0.times { true } else { false }
    }
    guard !fixed.isEmpty else {
      throw Problem(
        "error: \"every\" counts from the start of the watch, so it has no times in the past; "
          + "--for needs a schedule with \"cron\"")
    }
    var found: Set<Int64> = []
    for schedule in fixed {
      let moments = ScheduleTimes(schedule).moments(
        over: range, until: now.microseconds / 1_000_000, limit: Self.momentsMax + 1)
      guard let moments else {
        throw Problem(
          "error: --for expects days or minutes, such as 2026-11-01..2026-11-07, 2026-11-01 or "
            + "2026-11-01T06:00..2026-11-01T12:00, not \"\(range)\"")
      }
      found.formUnion(moments)
    }
    guard found.count <= Self.momentsMax else {
      throw Problem("error: \(range) has more than \(Self.momentsMax) moments; use a smaller range")
    }
    moments = found.sorted().map { Timestamp(microseconds: $0 * 1_000_000) }
  }

  /// Returns the moments with a run that has succeeded or is live.
  ///
  /// Linear in the number of recorded runs of the workflow.
  ///
  /// - Parameters:
  ///   - workflow: The name of the workflow.
  ///   - journal: The journal.
  /// - Returns: The moments, with the status of the run.
  /// - Throws: ``Problem`` if the journal cannot be read.
  package func covered(by workflow: String, in journal: Journal) throws(Problem) -> [Timestamp:
    RunStatus]
  {
    let wanted = Dictionary(uniqueKeysWithValues: moments.map { ($0.description, $0) })
    var covered: [Timestamp: RunStatus] = [:]
    do throws(JournalError) {
      for run in try journal.runs(workflow: workflow) {
        guard let trigger = run.request.trigger, trigger.cause == .schedule,
          let moment = wanted[trigger.time],
          run.status.isLive || run.status == .succeeded || run.status == .skipped
        else { continue }
        covered[moment] = run.status
      }
    } catch {
      throw Problem(error)
    }
    return covered
  }
}
