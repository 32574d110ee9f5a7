// A Dispatch queue scheduler for time-based operators, such as `timeout`, on every platform.

public import Dispatch
public import ReactiveCore

/// Schedules on a Dispatch queue, with the monotonic clock.
///
/// Every queue is a scheduler, too, of `DispatchTime`; this one has times that a test can make, and no
/// options: `publisher.timeout(.seconds(10), scheduler:
/// QueueScheduler())`.
public struct QueueScheduler: Scheduler, Sendable {
  /// A time of the monotonic clock.
  public struct SchedulerTimeType: Strideable, Sendable {
    /// The time in nanoseconds.
    public let nanoseconds: Int64

    /// Creates a time, for a scheduler of a test.
    ///
    /// - Parameter nanoseconds: The time in nanoseconds.
    public init(nanoseconds: Int64) {
      self.nanoseconds = nanoseconds
    }

    /// Returns the duration from this time to another one.
    ///
    /// - Parameter other: The other time.
    /// - Returns: The duration between them.
    public func distance(to other: SchedulerTimeType) -> Interval {
      Interval(nanoseconds: other.nanoseconds - nanoseconds)
    }

    /// Returns this time, advanced by a duration.
    ///
    /// - Parameter interval: The duration.
    /// - Returns: The later time.
    public func advanced(by interval: Interval) -> SchedulerTimeType {
      let (sum, overflows) = nanoseconds.addingReportingOverflow(interval.nanoseconds)
      return SchedulerTimeType(nanoseconds: overflows ? .max : sum)
    }
  }

  /// A duration.
  public struct Interval: SchedulerTimeIntervalConvertible, Comparable, SignedNumeric, Sendable {
    /// The time in nanoseconds.
    public private(set) var nanoseconds: Int64

    init(nanoseconds: Int64) {
      self.nanoseconds = nanoseconds
    }

    /// The given number of seconds, as a literal.
    public init(integerLiteral seconds: Int) { self = .seconds(seconds) }

    /// The given number of nanoseconds, if it can be represented.
    public init?(exactly source: some BinaryInteger) {
      guard let nanoseconds = Int64(exactly: source) else { return nil }
      self.init(nanoseconds: nanoseconds)
    }

    /// The absolute duration, in nanoseconds.
    public var magnitude: UInt64 { nanoseconds.magnitude }

    /// The given number of seconds.
    public static func seconds(_ count: Int) -> Interval { scaled(count, 1_000_000_000) }

    /// The given number of seconds.
    public static func seconds(_ count: Double) -> Interval {
      Interval(nanoseconds: Int64(exactly: (count * 1e9).rounded()) ?? .max)
    }

    /// The given number of milliseconds.
    public static func milliseconds(_ count: Int) -> Interval { scaled(count, 1_000_000) }

    /// The given number of microseconds.
    public static func microseconds(_ count: Int) -> Interval { scaled(count, 1000) }

    /// The given number of nanoseconds.
    public static func nanoseconds(_ count: Int) -> Interval { scaled(count, 1) }

    private static func scaled(_ count: Int, _ factor: Int64) -> Interval {
      let (product, overflows) = Int64(count).multipliedReportingOverflow(by: factor)
      return Interval(nanoseconds: overflows ? (count < 0 ? .min : .max) : product)
    }

    /// Adds two durations.
    public static func + (left: Interval, right: Interval) -> Interval {
      Interval(nanoseconds: left.nanoseconds + right.nanoseconds)
    }

    /// Subtracts a duration from another one.
    public static func - (left: Interval, right: Interval) -> Interval {
      Interval(nanoseconds: left.nanoseconds - right.nanoseconds)
    }

    /// Multiplies two durations, as numbers of nanoseconds.
    public static func * (left: Interval, right: Interval) -> Interval {
      Interval(nanoseconds: left.nanoseconds * right.nanoseconds)
    }

    /// Multiplies a duration.
    public static func *= (left: inout Interval, right: Interval) { left = left * right }

    /// Returns whether a duration is shorter than another one.
    public static func < (left: Interval, right: Interval) -> Bool {
      left.nanoseconds < right.nanoseconds
    }
  }

  /// The scheduler has no options.
  public typealias SchedulerOptions = Never

  private let queue: DispatchQueue

  /// Creates a scheduler.
  ///
  /// - Parameter queue: The queue to schedule on; by default a new serial queue. Use a serial queue
  ///   if actions must not run concurrently.
  public init(queue: DispatchQueue = DispatchQueue(label: "reprise.scheduler")) {
    self.queue = queue
  }

  /// The current time.
  public var now: SchedulerTimeType {
    SchedulerTimeType(nanoseconds: Int64(clamping: DispatchTime.now().uptimeNanoseconds))
  }

  /// The shortest interval that the scheduler distinguishes.
  public var minimumTolerance: Interval { .nanoseconds(1) }

  /// Performs an action as soon as the queue is free.
  ///
  /// - Parameters:
  ///   - options: Unused.
  ///   - action: The action.
  public func schedule(options: Never?, _ action: @escaping () -> Void) {
    let action = UncheckedSendable(action)
    queue.async { action.value() }
  }

  /// Performs an action at a given time.
  ///
  /// - Parameters:
  ///   - date: The time.
  ///   - tolerance: Ignored: the action is performed as soon after the time as the queue is free.
  ///   - options: Unused.
  ///   - action: The action.
  public func schedule(
    after date: SchedulerTimeType, tolerance: Interval, options: Never?,
    _ action: @escaping () -> Void
  ) {
    let action = UncheckedSendable(action)
    queue.asyncAfter(deadline: deadline(date)) { action.value() }
  }

  /// Performs an action at a given time and again after each interval.
  ///
  /// - Parameters:
  ///   - date: The time of the first call.
  ///   - interval: The duration between two calls.
  ///   - tolerance: Ignored.
  ///   - options: Unused.
  ///   - action: The action.
  /// - Returns: A cancellable that stops the repetition.
  public func schedule(
    after date: SchedulerTimeType, interval: Interval, tolerance: Interval, options: Never?,
    _ action: @escaping () -> Void
  ) -> any Cancellable {
    let action = UncheckedSendable(action)
    let timer = UncheckedSendable(DispatchSource.makeTimerSource(queue: queue))
    timer.value.schedule(
      deadline: deadline(date), repeating: .nanoseconds(Int(clamping: interval.nanoseconds)))
    timer.value.setEventHandler { action.value() }
    timer.value.activate()
    return AnyCancellable { timer.value.cancel() }
  }

  private func deadline(_ date: SchedulerTimeType) -> DispatchTime {
    DispatchTime(uptimeNanoseconds: UInt64(clamping: date.nanoseconds))
  }
}
