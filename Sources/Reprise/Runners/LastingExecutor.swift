// `LastingExecutor`: executors with something that outlives an attempt, or the engine.

/// An executor whose attempts may outlive their engine, and which may keep something for a run.
package protocol LastingExecutor: Executor {
  /// Begins an attempt that belongs to no step, which no engine follows.
  ///
  /// - Parameters:
  ///   - spec: What to run.
  ///   - token: The token of the attempt.
  /// - Returns: The number of its job; nil if it has none.
  /// - Throws: ``RunnerFailure`` if it was not begun and never will be.
  func begin(
    _ spec: AttemptSpec, token: AttemptToken
  ) async throws(RunnerFailure) -> String?

  /// Stops an attempt that an earlier engine has begun, and waits until nothing of it is left.
  ///
  /// Waits while the attempt is out of sight, until the task is cancelled.
  ///
  /// - Parameters:
  ///   - token: The token of the attempt.
  ///   - grace: The time after which what is left of it is killed.
  /// - Throws: `CancellationError`, or ``FailureReason`` if it cannot be stopped.
  func stop(_ token: AttemptToken, grace: Duration) async throws

  /// Gives back what is kept for the steps of a run; see ``Runner/release(_:)``.
  func release(_ run: RunID) async -> String?
}
