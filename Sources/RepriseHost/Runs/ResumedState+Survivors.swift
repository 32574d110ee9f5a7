// Stops what a resumed run does not adopt, before it goes on.

import Reprise
import RepriseJournal
import RepriseTerminal

extension ResumedState {
  /// Stops the attempts that the run must not adopt, and records their ends.
  ///
  /// - Parameters:
  ///   - engine: The engine of the run.
  ///   - recorded: The record of the run.
  ///   - say: Called with what is waited for.
  /// - Returns: The state without them.
  /// - Throws: ``Problem`` if one cannot be stopped.
  func withoutOutdated(
    _ engine: Engine, _ recorded: RecordedRun, _ say: (TerminalSafe) -> Void
  ) async throws -> ResumedState {
    guard let survivors, !outdated.isEmpty else { return self }
    say("stopping what still runs of \(outdated.joined(separator: ", "))")
    let ends = try await survivors.stop(
      outdated, with: engine, because: .restart, by: requester)
    try await blocking { try recorded.record(ends) }
    var state = state
    for end in ends { try state.apply(end) }
    return ResumedState(state: state, results: results, requester: requester)
  }
}
