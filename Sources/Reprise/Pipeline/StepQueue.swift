// The queue that decides when a step whose needs have their results begins.

/// Decides when futures begin their work.
protocol StepQueue: AnyObject, Sendable {
  /// Adds a future whose needs have their results; the queue later calls its `begin()` once.
  ///
  /// - Returns: The result if there is nothing to perform; the future is then not in the queue.
  func enter(_ future: StepFuture) -> StepResult?

  /// Removes a future.
  ///
  /// - Returns: Its result if it was waiting; nil if it has begun, was removed before, or never
  ///   entered.
  func leave(_ future: StepFuture) -> StepResult?

  /// Begins the futures that may begin now.
  ///
  /// - Parameter ended: The future that has just ended; the dependents that start to wait have
  ///   already entered. Nil if none has ended.
  func startNext(after ended: StepFuture?)
}

/// A queue that begins every future immediately.
final class ImmediateQueue: StepQueue {
  static let shared = ImmediateQueue()

  func enter(_ future: StepFuture) -> StepResult? {
    future.begin()
    return nil
  }

  func leave(_ future: StepFuture) -> StepResult? { nil }

  func startNext(after ended: StepFuture?) {}
}
