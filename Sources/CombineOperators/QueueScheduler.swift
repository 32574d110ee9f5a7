// A scheduler for operators that wait, such as `timeout`, with the same name on every platform.

public import CombineShim
public import Dispatch

/// Schedules on a Dispatch queue, by the monotonic clock.
///
/// In Apple's Combine every queue is a scheduler; OpenCombine has one in a library of its own, with
/// another name. This one is the same everywhere:
/// `publisher.timeout(.seconds(10), scheduler: QueueScheduler())`.
public struct QueueScheduler: Scheduler, Sendable {
  /// A moment, by the monotonic clock.
  public struct SchedulerTimeType: Strideable, Sendable {
    /// The moment in nanoseconds.
    public let nanoseconds: Int64

    /// The time from this moment to another one.
    ///
    /// - Parameter other: The other moment.
    /// - Returns: The time between them.
    public func distance(to other: SchedulerTimeType) -> Interval {
      Interval(nanoseconds: other.nanoseconds - nanoseconds)
    }

    /// The moment that comes some time after this one.
    ///
    /// - Parameter interval: How much later.
    /// - Returns: The moment.
    public func advanced(by interval: Interval) -> SchedulerTimeType {
      let (sum, overflows) = nanoseconds.addingReportingOverflow(interval.nanoseconds)
      return SchedulerTimeType(nanoseconds: overflows ? .max : sum)
    }
  }

  /// A time between two moments.
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

    /// The time without its sign, in nanoseconds.
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

    /// The sum of two times.
    public static func + (left: Interval, right: Interval) -> Interval {
      Interval(nanoseconds: left.nanoseconds + right.nanoseconds)
    }

    /// The difference of two times.
    public static func - (left: Interval, right: Interval) -> Interval {
      Interval(nanoseconds: left.nanoseconds - right.nanoseconds)
    }

    /// The product of two times, as numbers of nanoseconds.
    public static func * (left: Interval, right: Interval) -> Interval {
      Interval(nanoseconds: left.nanoseconds * right.nanoseconds)
    }

    /// Multiplies a time.
    public static func *= (left: inout Interval, right: Interval) { left = left * right }

    /// Orders times by their length.
    public static func < (left: Interval, right: Interval) -> Bool {
      left.nanoseconds < right.nanoseconds
    }
  }

  /// There are none.
  public typealias SchedulerOptions = Never

  private let queue: DispatchQueue

  /// Makes a scheduler.
  ///
  /// - Parameter queue: The queue to schedule on. Use a serial queue if actions must not run at the
  ///   same time. A serial queue of its own when left out.
  public init(queue: DispatchQueue = DispatchQueue(label: "reprise.scheduler")) {
    self.queue = queue
  }

  /// The present moment.
  public var now: SchedulerTimeType {
    SchedulerTimeType(nanoseconds: Int64(clamping: DispatchTime.now().uptimeNanoseconds))
  }

  /// The shortest interval that the scheduler distinguishes.
  public var minimumTolerance: Interval { .nanoseconds(1) }

  /// Performs an action as soon as the queue is free.
  ///
  /// - Parameters:
  ///   - options: There are none.
  ///   - action: What to do.
  public func schedule(options: Never?, _ action: @escaping () -> Void) {
    let action = UncheckedSendable(action)
    queue.async { action.value() }
  }

  /// Performs an action at a moment.
  ///
  /// - Parameters:
  ///   - date: When.
  ///   - tolerance: Ignored: the action is performed as soon after the moment as the queue is free.
  ///   - options: There are none.
  ///   - action: What to do.
  public func schedule(
    after date: SchedulerTimeType, tolerance: Interval, options: Never?,
    _ action: @escaping () -> Void
  ) {
    let action = UncheckedSendable(action)
    queue.asyncAfter(deadline: deadline(date)) { action.value() }
  }

  /// Performs an action at a moment and again after each interval.
  ///
  /// - Parameters:
  ///   - date: When first.
  ///   - interval: The time between two times.
  ///   - tolerance: Ignored.
  ///   - options: There are none.
  ///   - action: What to do.
  /// - Returns: Cancels the repetition.
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
