// `RunClock`: the source of time for runs, replaceable in tests.

/// A source of time for runs.
public protocol RunClock: Sendable {
  /// The current time; never decreases within a process.
  var now: Timestamp { get }

  /// Suspends for a duration.
  ///
  /// - Parameter duration: The duration; returns immediately if it is not positive.
  /// - Throws: `CancellationError`, immediately when the current task is cancelled.
  func sleep(for duration: Duration) async throws
}

/// The clock of this machine.
///
/// It reads the wall clock once and then advances with the monotonic clock, so that setting the
/// wall clock affects no duration, timeout or order.
public struct SystemClock: RunClock {
  private static let start: (wall: Timestamp, instant: ContinuousClock.Instant) = (
    wallClockTime(), .now
  )

  /// Creates a clock; all instances agree.
  public init() {}

  /// The current time.
  public var now: Timestamp {
    Self.start.wall.advanced(by: Self.start.instant.duration(to: .now))
  }

  /// Suspends for a duration.
  ///
  /// - Parameter duration: The duration; returns immediately if it is not positive.
  /// - Throws: `CancellationError` when the current task is cancelled.
  public func sleep(for duration: Duration) async throws {
    guard duration > .zero else { return }
    try await Task.sleep(for: duration)
  }
}
