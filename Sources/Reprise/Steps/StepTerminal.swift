// The terminal that a step with `terminal: true` owns while it runs.

/// Lends the terminal of this process to one step at a time.
package protocol StepTerminal: Sendable {
  /// Waits until nothing else uses the terminal, and makes displays leave it alone.
  ///
  /// Call ``takeBack()`` when the step has ended.
  ///
  /// - Returns: A descriptor of the terminal; nil if there is none, or if the task is cancelled.
  func lend() async -> Int32?

  /// Restores the settings of the terminal, and returns it to the displays.
  func takeBack()
}
