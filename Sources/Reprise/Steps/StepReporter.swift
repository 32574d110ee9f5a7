// What an attempt of a step reports to its run, and hears from it.

/// Reports what one attempt of a step does.
///
/// Safe to use from any thread.
protocol StepReporter: Sendable {
  /// Reports output or progress; does nothing once the attempt is over.
  ///
  /// - Returns: Whether more output may follow at once.
  @discardableResult
  func report(_ event: Event.StepEvent) -> Bool

  /// Waits until more output may be reported.
  func roomForOutput() async

  /// Registers what kills the attempt.
  ///
  /// - Returns: The number with which to unregister it; nil when the step was killed before: the
  ///   caller must then call the handler itself.
  func register(_ onKill: @escaping @Sendable () -> Void) -> Int?

  /// Unregisters what kills the attempt; a call of it may be in progress.
  func unregister(_ number: Int)
}
