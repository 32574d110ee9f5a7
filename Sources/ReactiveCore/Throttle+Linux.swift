// Operators that thin out values by time.

#if !canImport(Combine)

extension Publishers {
  /// Publishes a value when no other one has followed it for some time.
  ///
  /// The value that waits when upstream finishes is published, too.
  public struct Debounce<Upstream: Publisher, Context: Scheduler>: Publisher {
    /// A value of upstream.
    public typealias Output = Upstream.Output
    /// The failure of upstream.
    public typealias Failure = Upstream.Failure

    /// The publisher whose values are thinned out.
    public let upstream: Upstream
    /// The time without values.
    public let dueTime: Context.SchedulerTimeType.Stride
    /// The scheduler.
    public let scheduler: Context
    /// Options for the scheduler.
    public let options: Context.SchedulerOptions?

    /// Attaches a subscriber; called by `subscribe(_:)`.
    public func receive<S: Subscriber>(subscriber: S)
    where S.Input == Output, S.Failure == Failure {
      let operation = OperatorSubscription(
        NewestMachine<Output, Failure>(keepsFirst: false), for: subscriber)
      upstream.subscribe(
        Inlet(
          onSubscription: { operation.open(with: $0) { $0.upstream.receive($1) } },
          onValue: { value in
            guard let number = operation.change({ $0.keep(value) }) else { return }
            scheduler.schedule(
              after: scheduler.now.advanced(by: dueTime), tolerance: scheduler.minimumTolerance,
              options: options
            ) {
              operation.update { $0.release(number) }
            }
          },
          onCompletion: { completion in operation.update { $0.receive(completion) } }))
      operation.open()
    }
  }

  /// Publishes at most one value in an interval: the first or the newest.
  ///
  /// The first value of all is published at once. The value that waits when upstream finishes is
  /// published, too.
  public struct Throttle<Upstream: Publisher, Context: Scheduler>: Publisher {
    /// A value of upstream.
    public typealias Output = Upstream.Output
    /// The failure of upstream.
    public typealias Failure = Upstream.Failure

    /// The publisher whose values are thinned out.
    public let upstream: Upstream
    /// The time between two values.
    public let interval: Context.SchedulerTimeType.Stride
    /// The scheduler.
    public let scheduler: Context
    /// Whether the newest value of an interval is published, and not the first.
    public let latest: Bool

    /// Attaches a subscriber; called by `subscribe(_:)`.
    public func receive<S: Subscriber>(subscriber: S)
    where S.Input == Output, S.Failure == Failure {
      let operation = OperatorSubscription(
        NewestMachine<Output, Failure>(keepsFirst: !latest), for: subscriber)
      let next = Locked<Context.SchedulerTimeType?>(nil)
      upstream.subscribe(
        Inlet(
          onSubscription: { operation.open(with: $0) { $0.upstream.receive($1) } },
          onValue: { value in
            guard operation.change({ $0.keepAndStartWaiting(value) }) == true else { return }
            let now = scheduler.now
            let date = next.withLock { next in
              let date = next.map { Swift.max($0, now) } ?? now
              next = date.advanced(by: interval)
              return date
            }
            let release = { operation.update { $0.release() } }
            if date > now {
              scheduler.schedule(after: date, release)
            } else {
              scheduler.schedule(release)
            }
          },
          onCompletion: { completion in operation.update { $0.receive(completion) } }))
      operation.open()
    }
  }
}

/// The state machine of one value that waits for its time.
private struct NewestMachine<Output, Failure: Error>: OperatorMachine {
  var upstream = Upstream(requesting: .unlimited)
  private let keepsFirst: Bool
  private var value: Output?
  /// Whether the value may be published.
  private var isDue = false
  private var isWaiting = false
  private var number = 0
  private var end: Subscribers.Completion<Failure>?

  init(keepsFirst: Bool) { self.keepsFirst = keepsFirst }

  /// Keeps a value, as the newest one.
  ///
  /// - Returns: Its number.
  mutating func keep(_ value: Output) -> Int {
    if end == nil {
      self.value = value
      isDue = false
      number += 1
    }
    return number
  }

  /// Keeps a value, unless the first one of the interval is kept.
  ///
  /// - Returns: Whether a release must be scheduled.
  mutating func keepAndStartWaiting(_ value: Output) -> Bool {
    guard end == nil else { return false }
    if !keepsFirst || self.value == nil { self.value = value }
    defer { isWaiting = true }
    return !isWaiting
  }

  /// Releases the value, if it is still the newest one.
  mutating func release(_ number: Int) -> Effect {
    if number == self.number { isDue = true }
    return .none
  }

  /// Releases the value.
  mutating func release() -> Effect {
    isWaiting = false
    isDue = true
    return .none
  }

  mutating func receive(_ completion: Subscribers.Completion<Failure>) -> Effect {
    guard end == nil else { return .none }
    end = completion
    isDue = true
    if case .failure = completion { value = nil }
    return upstream.end()
  }

  mutating func request(_ demand: Subscribers.Demand) -> Effect { .none }

  mutating func next(hasDemand: Bool) -> Signal<Output, Failure> {
    if hasDemand, isDue, let value = value.take() {
      isDue = end != nil
      return .value(value)
    }
    guard let end, value == nil else { return .nothing }
    return .completion(end)
  }

  func cancel() {
    var upstream = upstream
    upstream.cancel().perform()
  }
}

extension Publisher {
  /// Publishes a value when no other one has followed it for some time.
  public func debounce<S: Scheduler>(
    for dueTime: S.SchedulerTimeType.Stride, scheduler: S, options: S.SchedulerOptions? = nil
  ) -> Publishers.Debounce<Self, S> {
    Publishers.Debounce(upstream: self, dueTime: dueTime, scheduler: scheduler, options: options)
  }

  /// Publishes at most one value in an interval: the first or the newest.
  public func throttle<S: Scheduler>(
    for interval: S.SchedulerTimeType.Stride, scheduler: S, latest: Bool
  ) -> Publishers.Throttle<Self, S> {
    Publishers.Throttle(upstream: self, interval: interval, scheduler: scheduler, latest: latest)
  }
}

#endif
