// Every Dispatch queue is a scheduler, as on Apple platforms.

#if !canImport(Combine)

public import Dispatch

extension DispatchQueue: Scheduler {
  /// A time of the monotonic clock.
  public struct SchedulerTimeType: Strideable, Hashable, Sendable {
    /// A duration.
    public struct Stride: SchedulerTimeIntervalConvertible, Comparable, SignedNumeric, Hashable,
      Sendable
    {
      /// The duration in nanoseconds.
      public var magnitude: Int

      init(_ nanoseconds: Int) { magnitude = nanoseconds }

      /// Creates a duration of a number of seconds.
      public init(integerLiteral seconds: Int) { self = .seconds(seconds) }
      /// Creates a duration of a number of nanoseconds, if it can be represented.
      public init?<T: BinaryInteger>(exactly source: T) {
        guard let value = Int(exactly: source) else { return nil }
        magnitude = value
      }

      /// The duration for Dispatch.
      public var timeInterval: DispatchTimeInterval { .nanoseconds(magnitude) }

      private static func scaled(_ count: Int, _ factor: Int) -> Stride {
        let (product, overflows) = count.multipliedReportingOverflow(by: factor)
        return Stride(overflows ? (count < 0 ? .min : .max) : product)
      }

      /// Compares two durations.
      public static func < (left: Stride, right: Stride) -> Bool {
        left.magnitude < right.magnitude
      }
      /// Adds two durations.
      public static func + (left: Stride, right: Stride) -> Stride {
        Stride(left.magnitude + right.magnitude)
      }
      /// Subtracts a duration.
      public static func - (left: Stride, right: Stride) -> Stride {
        Stride(left.magnitude - right.magnitude)
      }
      /// Multiplies two durations, as numbers of nanoseconds.
      public static func * (left: Stride, right: Stride) -> Stride {
        Stride(left.magnitude * right.magnitude)
      }
      /// Multiplies a duration.
      public static func *= (left: inout Stride, right: Stride) { left = left * right }

      /// The given number of seconds.
      public static func seconds(_ s: Int) -> Stride { scaled(s, 1_000_000_000) }
      /// The given number of seconds.
      public static func seconds(_ s: Double) -> Stride {
        Stride(Int(exactly: (s * 1e9).rounded()) ?? .max)
      }
      /// The given number of milliseconds.
      public static func milliseconds(_ ms: Int) -> Stride { scaled(ms, 1_000_000) }
      /// The given number of microseconds.
      public static func microseconds(_ us: Int) -> Stride { scaled(us, 1000) }
      /// The given number of nanoseconds.
      public static func nanoseconds(_ ns: Int) -> Stride { Stride(ns) }
    }

    /// The time for Dispatch.
    public var dispatchTime: DispatchTime

    /// Creates a time.
    public init(_ time: DispatchTime) { dispatchTime = time }

    /// Hashes the time.
    public func hash(into hasher: inout Hasher) { hasher.combine(dispatchTime.uptimeNanoseconds) }

    /// The duration to another time.
    public func distance(to other: SchedulerTimeType) -> Stride {
      let nanoseconds = Int(clamping: dispatchTime.uptimeNanoseconds)
      return Stride(Int(clamping: other.dispatchTime.uptimeNanoseconds) - nanoseconds)
    }

    /// The time after a duration.
    public func advanced(by n: Stride) -> SchedulerTimeType {
      SchedulerTimeType(dispatchTime + n.timeInterval)
    }
  }

  /// How an action is performed.
  public struct SchedulerOptions {
    /// The quality of service.
    public var qos: DispatchQoS
    /// The flags of the work.
    public var flags: DispatchWorkItemFlags

    /// Creates options.
    public init(qos: DispatchQoS = .unspecified, flags: DispatchWorkItemFlags = []) {
      self.qos = qos
      self.flags = flags
    }
  }

  /// The current time.
  public var now: SchedulerTimeType { SchedulerTimeType(.now()) }

  /// No tolerance.
  public var minimumTolerance: SchedulerTimeType.Stride { .nanoseconds(0) }

  /// Performs an action as soon as the queue is free.
  public func schedule(options: SchedulerOptions?, _ action: @escaping () -> Void) {
    let action = UncheckedSendable(action)
    async(qos: options?.qos ?? .unspecified, flags: options?.flags ?? []) { action.value() }
  }

  /// Performs an action at a time.
  public func schedule(
    after date: SchedulerTimeType, tolerance: SchedulerTimeType.Stride, options: SchedulerOptions?,
    _ action: @escaping () -> Void
  ) {
    let action = UncheckedSendable(action)
    asyncAfter(
      deadline: date.dispatchTime, qos: options?.qos ?? .unspecified, flags: options?.flags ?? []
    ) { action.value() }
  }

  /// Performs an action at a time, and again after each interval, until the result is cancelled.
  public func schedule(
    after date: SchedulerTimeType, interval: SchedulerTimeType.Stride,
    tolerance: SchedulerTimeType.Stride, options: SchedulerOptions?, _ action: @escaping () -> Void
  ) -> any Cancellable {
    let action = UncheckedSendable(action)
    let timer = UncheckedSendable(DispatchSource.makeTimerSource(queue: self))
    timer.value.schedule(
      deadline: date.dispatchTime, repeating: interval.timeInterval, leeway: tolerance.timeInterval)
    timer.value.setEventHandler { action.value() }
    timer.value.activate()
    return AnyCancellable { timer.value.cancel() }
  }
}

#endif
