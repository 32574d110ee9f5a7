// `GrowingDelay`: how long to wait between two checks of the same thing.

/// Growing delays between checks, from a millisecond on, to avoid both busy polling and late
/// detection.
package struct GrowingDelay {
  private var time: Duration

  /// Creates a value.
  ///
  /// - Parameter first: The first delay.
  package init(from first: Duration = .milliseconds(1)) { time = first }

  /// Returns the next delay: twice the previous one, up to a limit.
  package mutating func next(upTo limit: Duration) -> Duration {
    defer { time = min(time, limit) * 2 }
    return min(time, limit)
  }
}
