// The interface through which an attempt of a step reports to its run.

/// Reports the output and progress of one attempt of a step.
///
/// Safe to use from any thread.
protocol StepReporter: Sendable {
  /// Reports output or progress; does nothing after the attempt has ended.
  ///
  /// - Returns: Whether more output may follow immediately.
  @discardableResult
  func report(_ event: Event.StepEvent) -> Bool

  /// Whether the start of the attempt has been reported.
  var hasStarted: Bool { get }

  /// Waits until everything that was reported is recorded.
  ///
  /// - Returns: The problem if it cannot be recorded.
  func recorded() async -> String?

  /// Waits until more output may be reported.
  func roomForOutput() async

  /// Registers a handler that kills the attempt.
  ///
  /// - Returns: The number for unregistering the handler; nil if the step was already killed, in
  ///   which case the caller must call the handler itself.
  func register(_ onKill: @escaping @Sendable () -> Void) -> Int?

  /// Unregisters a kill handler; a call of it may still be in progress.
  func unregister(_ number: Int)
}
