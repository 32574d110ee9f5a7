// When and where work is performed.

#if !canImport(Combine)

/// A duration of a scheduler, which can be made of units of time.
public protocol SchedulerTimeIntervalConvertible {
  /// The given number of seconds.
  static func seconds(_ s: Int) -> Self
  /// The given number of seconds.
  static func seconds(_ s: Double) -> Self
  /// The given number of milliseconds.
  static func milliseconds(_ ms: Int) -> Self
  /// The given number of microseconds.
  static func microseconds(_ us: Int) -> Self
  /// The given number of nanoseconds.
  static func nanoseconds(_ ns: Int) -> Self
}

/// Performs work, immediately or at a time.
public protocol Scheduler<SchedulerTimeType>: SendableMetatype {
  /// A time of the scheduler.
  associatedtype SchedulerTimeType: Strideable, SendableMetatype
  where SchedulerTimeType.Stride: SchedulerTimeIntervalConvertible
  /// What a call can ask for beside the time.
  associatedtype SchedulerOptions

  /// The current time.
  var now: SchedulerTimeType { get }
  /// The shortest tolerance that the scheduler allows.
  var minimumTolerance: SchedulerTimeType.Stride { get }

  /// Performs an action as soon as possible.
  func schedule(options: SchedulerOptions?, _ action: @escaping () -> Void)
  /// Performs an action at a time.
  func schedule(
    after date: SchedulerTimeType, tolerance: SchedulerTimeType.Stride, options: SchedulerOptions?,
    _ action: @escaping () -> Void)
  /// Performs an action at a time, and again after each interval, until the result is cancelled.
  func schedule(
    after date: SchedulerTimeType, interval: SchedulerTimeType.Stride,
    tolerance: SchedulerTimeType.Stride, options: SchedulerOptions?, _ action: @escaping () -> Void
  ) -> any Cancellable
}

extension Scheduler {
  /// Performs an action as soon as possible.
  public func schedule(_ action: @escaping () -> Void) { schedule(options: nil, action) }

  /// Performs an action at a time.
  public func schedule(after date: SchedulerTimeType, _ action: @escaping () -> Void) {
    schedule(after: date, tolerance: minimumTolerance, options: nil, action)
  }

  /// Performs an action at a time.
  public func schedule(
    after date: SchedulerTimeType, tolerance: SchedulerTimeType.Stride,
    _ action: @escaping () -> Void
  ) {
    schedule(after: date, tolerance: tolerance, options: nil, action)
  }

  /// Performs an action at a time, and again after each interval, until the result is cancelled.
  public func schedule(
    after date: SchedulerTimeType, interval: SchedulerTimeType.Stride,
    tolerance: SchedulerTimeType.Stride, _ action: @escaping () -> Void
  ) -> any Cancellable {
    schedule(after: date, interval: interval, tolerance: tolerance, options: nil, action)
  }

  /// Performs an action at a time, and again after each interval, until the result is cancelled.
  public func schedule(
    after date: SchedulerTimeType, interval: SchedulerTimeType.Stride,
    _ action: @escaping () -> Void
  ) -> any Cancellable {
    schedule(
      after: date, interval: interval, tolerance: minimumTolerance, options: nil, action)
  }
}

/// Performs work immediately, within the call; times are ignored.
public struct ImmediateScheduler: Scheduler, Sendable {
  /// A time, which does not pass.
  public struct SchedulerTimeType: Strideable, Sendable {
    /// A duration without a unit.
    public struct Stride: SchedulerTimeIntervalConvertible, Comparable, SignedNumeric, Codable,
      Sendable
    {
      /// The number.
      public var magnitude: Int

      /// Creates a duration.
      public init(_ value: Int) { magnitude = value }
      /// Creates a duration.
      public init(integerLiteral value: Int) { magnitude = value }
      /// Creates a duration, if the number can be represented.
      public init?<T: BinaryInteger>(exactly source: T) {
        guard let value = Int(exactly: source) else { return nil }
        magnitude = value
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
      /// Multiplies two durations.
      public static func * (left: Stride, right: Stride) -> Stride {
        Stride(left.magnitude * right.magnitude)
      }
      /// Multiplies a duration.
      public static func *= (left: inout Stride, right: Stride) { left = left * right }

      /// No duration.
      public static func seconds(_ s: Int) -> Stride { 0 }
      /// No duration.
      public static func seconds(_ s: Double) -> Stride { 0 }
      /// No duration.
      public static func milliseconds(_ ms: Int) -> Stride { 0 }
      /// No duration.
      public static func microseconds(_ us: Int) -> Stride { 0 }
      /// No duration.
      public static func nanoseconds(_ ns: Int) -> Stride { 0 }
    }

    private let value: Int

    fileprivate init(value: Int) { self.value = value }

    /// The duration to another time.
    public func distance(to other: SchedulerTimeType) -> Stride { Stride(other.value - value) }

    /// The time after a duration.
    public func advanced(by n: Stride) -> SchedulerTimeType {
      SchedulerTimeType(value: value + n.magnitude)
    }
  }

  /// The scheduler has no options.
  public typealias SchedulerOptions = Never

  /// The scheduler.
  public static let shared = ImmediateScheduler()

  /// The time, which does not pass.
  public var now: SchedulerTimeType { SchedulerTimeType(value: 0) }
  /// No tolerance.
  public var minimumTolerance: SchedulerTimeType.Stride { 0 }

  /// Performs an action.
  public func schedule(options: Never?, _ action: @escaping () -> Void) { action() }

  /// Performs an action at once.
  public func schedule(
    after date: SchedulerTimeType, tolerance: SchedulerTimeType.Stride, options: Never?,
    _ action: @escaping () -> Void
  ) {
    action()
  }

  /// Performs an action once, at once.
  public func schedule(
    after date: SchedulerTimeType, interval: SchedulerTimeType.Stride,
    tolerance: SchedulerTimeType.Stride, options: Never?, _ action: @escaping () -> Void
  ) -> any Cancellable {
    action()
    return AnyCancellable {}
  }
}

#endif
