// The steps that wait for somebody to approve them. Knows nothing of who does.

import Synchronization
import WorkflowLanguage

/// Lets steps wait for somebody's word.
///
/// Safe to use from any thread.
final class Approvals: Sendable {
  enum Decision: Sendable {
    case approved, rejected
    /// The step was stopped while it waited.
    case cancelled
  }

  private enum Holder {
    case announced
    case decided(Decision)
    case waiting(CheckedContinuation<Decision, Never>)
  }

  private let holders = Mutex<[StepIndex: Holder]>([:])

  init() {}

  /// Lets a step be decided on from now on.
  ///
  /// To be called before anybody is told that it waits, or else the answer of whoever is quick is lost.
  func open(_ step: StepIndex) {
    holders.withLock { $0[step] = .announced }
  }

  /// Lets a step not be decided on any more, without waiting for it.
  func close(_ step: StepIndex) {
    holders.withLock { $0[step] = nil }
  }

  /// Waits until somebody has decided on a step that was opened.
  ///
  /// Called once for each step at a time.
  ///
  /// - Returns: What was decided; ``Decision/cancelled`` when the task is cancelled first.
  func decision(on step: StepIndex) async -> Decision {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let decision = holders.withLock { holders -> Decision? in
          if case .decided(let decision) = holders[step] {
            holders[step] = nil
            return decision
          }
          holders[step] = .waiting(continuation)
          return nil
        }
        if let decision { continuation.resume(returning: decision) }
      }
    } onCancel: {
      decide(step, .cancelled)
    }
  }

  /// Decides on a step.
  ///
  /// - Returns: Whether it was waiting for that.
  @discardableResult
  func decide(_ step: StepIndex, _ decision: Decision) -> Bool {
    let (isWaiting, continuation) = holders.withLock {
      holders -> (Bool, CheckedContinuation<Decision, Never>?) in
      switch holders[step] {
      case .waiting(let continuation):
        holders[step] = nil
        return (true, continuation)
      case .announced:
        holders[step] = .decided(decision)
        return (true, nil)
      case .decided, nil:
        return (false, nil)
      }
    }
    continuation?.resume(returning: decision)
    return isWaiting
  }
}
