import TestSupport
import Testing

@testable import Reprise

extension Run {
  /// Waits for the end of the run, with a deadline, and ends a run that has not ended by then.
  ///
  /// - Parameter clock: The clock of the run, which advances until the end.
  /// - Returns: The outcome.
  /// - Throws: `CancellationError` if the task is cancelled.
  func outcomeInTime(on clock: VirtualClock? = nil) async throws -> RunOutcome {
    await expectEventually("the run is over") {
      clock?.advanceToNextWake()
      if case .ended = state.phase { return true }
      return false
    }
    // A run that does not end has been reported.
    kill()
    return try await outcome
  }
}
