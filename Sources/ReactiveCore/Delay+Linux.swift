// Operators that deliver on a scheduler: receive(on:), delay, timeout, subscribe(on:).

#if !canImport(Combine)

extension Publishers {
  /// Delivers each signal on a scheduler, after a delay or as soon as possible.
  public struct Delay<Upstream: Publisher, Context: Scheduler>: Publisher {
    /// A value of upstream.
    public typealias Output = Upstream.Output
    /// The failure of upstream.
    public typealias Failure = Upstream.Failure

    /// The publisher whose signals are delivered later.
    public let upstream: Upstream
    /// The scheduler.
    public let scheduler: Context
    let interval: Context.SchedulerTimeType.Stride?
    let tolerance: Context.SchedulerTimeType.Stride
    let options: Context.SchedulerOptions?

    /// Attaches a subscriber; called by `subscribe(_:)`.
    public func receive<S: Subscriber>(subscriber: S)
    where S.Input == Output, S.Failure == Failure {
      upstream.operate(for: subscriber, DelayMachine(upstream: Upstream.Output.self)) { delay in
        _ = delay.change {
          $0.schedule = { [weak delay] in
            schedule { [weak delay] in delay?.update { $0.release() } }
          }
        }
      }
    }

    private func schedule(_ action: @escaping () -> Void) {
      guard let interval else { return scheduler.schedule(options: options, action) }
      scheduler.schedule(
        after: scheduler.now.advanced(by: interval), tolerance: tolerance, options: options, action)
    }
  }

  /// Delivers each signal on a scheduler.
  public typealias ReceiveOn<Upstream: Publisher, Context: Scheduler> = Delay<Upstream, Context>

  /// Ends if no value arrives for some time.
  public struct Timeout<Upstream: Publisher, Context: Scheduler>: Publisher {
    /// A value of upstream.
    public typealias Output = Upstream.Output
    /// The failure of upstream, or of the timeout.
    public typealias Failure = Upstream.Failure

    /// The publisher whose values are awaited.
    public let upstream: Upstream
    /// The longest time without a value.
    public let interval: Context.SchedulerTimeType.Stride
    /// The scheduler.
    public let scheduler: Context
    /// Options for the scheduler.
    public let options: Context.SchedulerOptions?
    /// Makes the failure; nil to finish.
    public let customError: (@Sendable () -> Failure)?

    /// Attaches a subscriber; called by `subscribe(_:)`.
    public func receive<S: Subscriber>(subscriber: S)
    where S.Input == Output, S.Failure == Failure {
      let operation = OperatorSubscription(
        DelayMachine<Output, Failure>(upstream: Output.self), for: subscriber)
      _ = operation.change {
        $0.schedule = { [weak operation] in
          scheduler.schedule(options: options) { operation?.update { $0.release() } }
        }
      }
      let last = LastTime(scheduler.now)
      watch(operation, since: last)
      upstream.subscribe(
        Inlet(
          onSubscription: { operation.open(with: $0) { $0.upstream.receive($1) } },
          onValue: { value in
            last.time.withLock { $0 = scheduler.now }
            operation.update { $0.receive(value) }
          },
          onCompletion: { completion in operation.update { $0.receive(completion) } }))
      operation.open()
    }

    /// The time of the last value.
    private final class LastTime {
      let time: Locked<Context.SchedulerTimeType>

      init(_ time: Context.SchedulerTimeType) { self.time = Locked(time) }
    }

    /// Checks, when the interval has passed since the last value, whether there was another one.
    private func watch(
      _ operation: OperatorSubscription<DelayMachine<Output, Failure>>, since last: LastTime
    ) {
      let date = last.time.withLock { $0 }.advanced(by: interval)
      scheduler.schedule(
        after: date, tolerance: scheduler.minimumTolerance, options: options
      ) { [weak operation] in
        guard let operation, operation.isActive else { return }
        let next = last.time.withLock { $0 }.advanced(by: interval)
        guard next <= date else { return watch(operation, since: last) }
        let completion = customError.map { Subscribers.Completion.failure($0()) } ?? .finished
        operation.update { $0.expire(completion) }
      }
    }
  }

  /// Subscribes, requests and cancels on a scheduler.
  public struct SubscribeOn<Upstream: Publisher, Context: Scheduler>: Publisher {
    /// A value of upstream.
    public typealias Output = Upstream.Output
    /// The failure of upstream.
    public typealias Failure = Upstream.Failure

    /// The publisher to subscribe to.
    public let upstream: Upstream
    /// The scheduler.
    public let scheduler: Context
    /// Options for the scheduler.
    public let options: Context.SchedulerOptions?

    /// Attaches a subscriber; called by `subscribe(_:)`.
    public func receive<S: Subscriber>(subscriber: S)
    where S.Input == Output, S.Failure == Failure {
      let schedule = { action in scheduler.schedule(options: options, action) }
      schedule {
        upstream.subscribe(
          AnySubscriber<Output, Failure>(
            receiveSubscription: {
              subscriber.receive(subscription: Scheduled(base: $0, schedule: schedule))
            }, receiveValue: { subscriber.receive($0) },
            receiveCompletion: { subscriber.receive(completion: $0) }))
      }
    }

    private struct Scheduled: Subscription {
      let base: any Subscription
      let schedule: (@escaping () -> Void) -> Void
      var combineIdentifier: CombineIdentifier { base.combineIdentifier }

      func request(_ demand: Subscribers.Demand) { schedule { base.request(demand) } }
      func cancel() { schedule { base.cancel() } }
    }
  }
}

/// The state machine of signals that a scheduler releases, in their order.
private struct DelayMachine<Output, Failure: Error>: InletMachine {
  typealias Input = Output
  typealias InputFailure = Failure

  var upstream = ReactiveCore.Upstream()
  /// Schedules the release of the next signal.
  var schedule: () -> Void = {}
  private var waiting = Queue<Output>()
  private var due = Queue<Output>()
  private var end: Subscribers.Completion<Failure>?
  private var isOver = false

  init(upstream: Output.Type) {}

  mutating func request(_ demand: Subscribers.Demand) -> Effect { upstream.request(demand) }

  mutating func receive(_ value: Output) -> Effect {
    guard end == nil else { return .none }
    waiting.append(value)
    return .run(schedule)
  }

  mutating func receive(_ completion: Subscribers.Completion<Failure>) -> Effect {
    guard end == nil else { return .none }
    end = completion
    return .all([upstream.end(), .run(schedule)])
  }

  mutating func release() -> Effect {
    if let value = waiting.popFirst() { due.append(value) } else { isOver = true }
    return .none
  }

  mutating func expire(_ completion: Subscribers.Completion<Failure>) -> Effect {
    guard end == nil else { return .none }
    end = completion
    isOver = true
    return upstream.cancel()
  }

  mutating func next(hasDemand: Bool) -> Signal<Output, Failure> {
    if hasDemand, let value = due.popFirst() { return .value(value) }
    guard let end, isOver, waiting.isEmpty, due.isEmpty else { return .nothing }
    return .completion(end)
  }
}

extension Publisher {
  /// Delivers each signal on a scheduler.
  public func receive<S: Scheduler>(
    on scheduler: S, options: S.SchedulerOptions? = nil
  ) -> Publishers.ReceiveOn<Self, S> {
    Publishers.Delay(
      upstream: self, scheduler: scheduler, interval: nil, tolerance: scheduler.minimumTolerance,
      options: options)
  }

  /// Delivers each signal on a scheduler, after a delay.
  public func delay<S: Scheduler>(
    for interval: S.SchedulerTimeType.Stride, tolerance: S.SchedulerTimeType.Stride? = nil,
    scheduler: S, options: S.SchedulerOptions? = nil
  ) -> Publishers.Delay<Self, S> {
    Publishers.Delay(
      upstream: self, scheduler: scheduler, interval: interval,
      tolerance: tolerance ?? scheduler.minimumTolerance, options: options)
  }

  /// Subscribes, requests and cancels on a scheduler.
  public func subscribe<S: Scheduler>(
    on scheduler: S, options: S.SchedulerOptions? = nil
  ) -> Publishers.SubscribeOn<Self, S> {
    Publishers.SubscribeOn(upstream: self, scheduler: scheduler, options: options)
  }

  /// Finishes, or fails, if no value arrives for some time.
  @preconcurrency public func timeout<S: Scheduler>(
    _ interval: S.SchedulerTimeType.Stride, scheduler: S, options: S.SchedulerOptions? = nil,
    customError: (@Sendable () -> Failure)? = nil
  ) -> Publishers.Timeout<Self, S> {
    Publishers.Timeout(
      upstream: self, interval: interval, scheduler: scheduler, options: options,
      customError: customError)
  }

  /// Publishes the time between values.
  public func measureInterval<S: Scheduler>(
    using scheduler: S, options: S.SchedulerOptions? = nil
  ) -> Publishers.MeasureInterval<Self, S> {
    let start = UncheckedSendable {
      var last = scheduler.now
      return { (_: Output) -> Step<S.SchedulerTimeType.Stride, Failure> in
        let now = scheduler.now
        defer { last = now }
        return .publish(last.distance(to: now))
      }
    }
    return steps { start.value() }
  }
}

extension Publishers {
  /// Publishes the time between values.
  public typealias MeasureInterval<Upstream: Publisher, Context: Scheduler> = Stepwise<
    Upstream, Context.SchedulerTimeType.Stride, Upstream.Failure
  >
}

#endif
