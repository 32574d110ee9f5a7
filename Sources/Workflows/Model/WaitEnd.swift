// When a step that only waits ends.

/// The end of a wait.
package enum WaitEnd: Sendable, Equatable {
  /// After this time.
  case after(Duration)
  /// At this moment, as text in UTC.
  case at(String)
  /// When the run is stopped.
  case stopped
}
