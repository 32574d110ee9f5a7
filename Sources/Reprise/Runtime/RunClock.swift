// Where a run's times come from. Everything that reads the time or waits is given one of these, so
// that tests own the time.

/// A source of time for runs.
public protocol RunClock: Sendable {
  /// The present moment. Never goes back while the process lives.
  var now: Timestamp { get }

  /// Waits, without occupying a thread.
  ///
  /// - Parameter duration: How long; nothing happens where it is not positive.
  /// - Throws: `CancellationError` at once when the surrounding task is cancelled.
  func sleep(for duration: Duration) async throws
}

/// The time of this machine.
///
/// The wall clock is read once; from then on the moment advances with the monotonic clock, so that
/// somebody who sets the clock changes no duration, time-out or order.
public struct SystemClock: RunClock {
  private static let start: (wall: Timestamp, instant: ContinuousClock.Instant) = (
    wallClockTime(), .now
  )

  /// Makes the clock; all of them agree.
  public init() {}

  /// The present moment.
  public var now: Timestamp {
    Self.start.wall.advanced(by: Self.start.instant.duration(to: .now))
  }

  /// Waits.
  ///
  /// - Parameter duration: How long.
  /// - Throws: `CancellationError` when the surrounding task is cancelled.
  public func sleep(for duration: Duration) async throws {
    guard duration > .zero else { return }
    try await Task.sleep(for: duration)
  }
}
