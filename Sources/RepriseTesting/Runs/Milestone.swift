// Moments of a run to which a test advances.

public import Reprise

/// A moment of a run to which a test advances it.
public struct Milestone: Sendable, CustomStringConvertible {
  /// The moment as a clause, such as `step "build" has started`.
  public let description: String
  let step: String?
  let isReached: @Sendable (RunState) -> Bool

  /// A moment at which a condition on the state holds.
  ///
  /// - Parameters:
  ///   - description: The moment as a clause, for messages.
  ///   - condition: The condition; it is evaluated often and must be quick.
  /// - Returns: The moment.
  public static func when(
    _ description: String, _ condition: @escaping @Sendable (RunState) -> Bool
  ) -> Milestone {
    Milestone(description: description, step: nil, isReached: condition)
  }

  /// An attempt of a step has started in this generation.
  ///
  /// A closure that waits for nothing has also ended by then.
  ///
  /// - Parameters:
  ///   - step: The id of the step.
  ///   - attempt: The number of the attempt; the moment has come also when a later one has started.
  /// - Returns: The moment.
  public static func started(_ step: String, attempt: Int = 1) -> Milestone {
    let clause = attempt == 1 ? "has started" : "has started attempt \(attempt)"
    return of(step, clause) { $0.attempt >= attempt }
  }

  /// A step has succeeded in this generation.
  ///
  /// - Parameter step: The id of the step.
  /// - Returns: The moment.
  public static func succeeded(_ step: String) -> Milestone {
    of(step, "has succeeded") { if case .succeeded = $0.phase { true } else { false } }
  }

  /// A step has failed for good.
  ///
  /// - Parameter step: The id of the step.
  /// - Returns: The moment.
  public static func failed(_ step: String) -> Milestone {
    of(step, "has failed") { if case .failed = $0.phase { true } else { false } }
  }

  /// A step waits for its next attempt.
  ///
  /// - Parameters:
  ///   - step: The id of the step.
  ///   - attempt: The least number of the attempt that has failed.
  /// - Returns: The moment.
  public static func retrying(_ step: String, after attempt: Int = 1) -> Milestone {
    let clause = "waits for its next attempt" + (attempt == 1 ? "" : " after attempt \(attempt)")
    return of(step, clause) { $0.retry != nil && $0.attempt >= attempt }
  }

  /// A step waits for approval.
  ///
  /// - Parameter step: The id of the step.
  /// - Returns: The moment.
  public static func waitingForApproval(_ step: String) -> Milestone {
    of(step, "waits for approval") { $0.approval != nil }
  }

  /// The run has ended, with any outcome.
  public static let ended = Milestone(description: "the run has ended", step: nil) { state in
    if case .ended = state.phase { true } else { false }
  }

  private static func of(
    _ step: String, _ clause: String, _ condition: @escaping @Sendable (StepState) -> Bool
  ) -> Milestone {
    Milestone(description: "step \"\(step)\" \(clause)", step: step) { state in
      // What is being stopped for a restart is over.
      if state.phase == .restarting, state.isStopping(step) { return false }
      return state[step].map(condition) ?? false
    }
  }
}
