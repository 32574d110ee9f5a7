// Records many runs, so that commands can be measured in a project with a long history.

import Reprise
import RepriseJournal

/// Runs a workflow of one step again and again, and records each run.
///
/// - Parameters:
///   - count: The number of runs.
///   - folder: The state folder.
/// - Returns: The time for each run in microseconds.
/// - Throws: `JournalError`, or why a run has no outcome.
func recordRuns(_ count: Int, in folder: String) async throws -> [String: Double] {
  let journal = try Journal(at: folder)
  let workflow = try Workflow("recorded") { Step("only", run: "true") }
  let engine = Engine(executor: ClosureExecutor { _ in [:] })
  let start = seconds()
  for _ in 0..<count {
    let run = try await engine.start(workflow, recordedIn: journal)
    let outcome = try await run.outcome
    precondition(outcome == .succeeded, "the run has ended with \(outcome)")
  }
  return ["time-per-run": (seconds() - start) / Double(count) * 1e6]
}
