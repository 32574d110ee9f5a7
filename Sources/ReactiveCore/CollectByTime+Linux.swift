// Lists of values: of each interval, or of a number.

#if !canImport(Combine)

extension Publishers {
  /// When collected values are published.
  public enum TimeGroupingStrategy<Context: Scheduler> {
    /// At every interval, as a list.
    case byTime(Context, Context.SchedulerTimeType.Stride)
    /// At every interval, and as soon as there are so many.
    case byTimeOrCount(Context, Context.SchedulerTimeType.Stride, Int)
  }
}

extension Publisher {
  /// Collects values, and publishes them as a list at every interval.
  ///
  /// - Values: the values since the last list, in order; nothing for an interval without values. With
  ///   `byTimeOrCount`, a list has at most that many values. While there is no demand, values are
  ///   collected further.
  /// - Demand: upstream gets unlimited demand immediately; downstream receives the lists that it
  ///   requests.
  /// - Completion: the end of upstream is delivered after the last values, immediately. A failure
  ///   discards the collected values.
  /// - Cancellation: cancels upstream and the timer; nothing is delivered afterwards.
  /// - Threads: lists are delivered serially, on the thread of the scheduler, of upstream or of a
  ///   request. No lock is held then.
  /// - Time: intervals are counted from the subscription, by the scheduler.
  /// - Complexity: amortized constant for a value.
  ///
  /// - Parameters:
  ///   - strategy: The scheduler and its interval, and the maximum number of values.
  ///   - options: Options for the scheduler.
  /// - Returns: The publisher of the lists.
  public func collect<S: Scheduler>(
    _ strategy: Publishers.TimeGroupingStrategy<S>, options: S.SchedulerOptions? = nil
  ) -> Publishers.CollectByTime<Self, S> {
    Publishers.CollectByTime(upstream: self, strategy: strategy, options: options)
  }
}

extension Publishers {
  /// A publisher of the values of each interval, as lists.
  ///
  /// See `Publisher.collect(_:options:)` for its contract.
  public struct CollectByTime<Upstream: Publisher, Context: Scheduler>: Publisher {
    /// The values of an interval, in order.
    public typealias Output = [Upstream.Output]
    /// The failure of upstream.
    public typealias Failure = Upstream.Failure

    /// The publisher whose values are collected.
    public let upstream: Upstream
    /// When lists are published.
    public let strategy: Publishers.TimeGroupingStrategy<Context>
    /// Options for the scheduler.
    public let options: Context.SchedulerOptions?

    /// Creates the publisher.
    ///
    /// - Parameters:
    ///   - upstream: The publisher whose values are collected.
    ///   - strategy: When lists are published.
    ///   - options: Options for the scheduler.
    public init(
      upstream: Upstream, strategy: Publishers.TimeGroupingStrategy<Context>,
      options: Context.SchedulerOptions?
    ) {
      self.upstream = upstream
      self.strategy = strategy
      self.options = options
    }

    /// Attaches a subscriber; called by `subscribe(_:)`.
    public func receive<Downstream: Subscriber>(subscriber: Downstream)
    where Downstream.Input == Output, Downstream.Failure == Failure {
      let (scheduler, interval, limit) =
        switch strategy {
        case .byTime(let scheduler, let interval): (scheduler, interval, Int.max)
        case .byTimeOrCount(let scheduler, let interval, let count): (scheduler, interval, count)
        }
      let subscription = OperatorSubscription(
        CollectMachine<Upstream.Output, Failure>(limit: Swift.max(1, limit)), for: subscriber)
      let timer = scheduler.schedule(
        after: scheduler.now.advanced(by: interval), interval: interval,
        tolerance: scheduler.minimumTolerance, options: options
      ) {
        subscription.update { $0.tick() }
      }
      // After a cancel, there is no machine that would cancel the timer.
      if subscription.change({ $0.timer = timer }) == nil { timer.cancel() }
      upstream.subscribe(
        Inlet(
          onSubscription: { upstream in
            subscription.open(with: upstream) { $0.upstream.receive($1) }
          },
          onValue: { value in subscription.update { $0.receive(value) } },
          onCompletion: { completion in subscription.update { $0.receive(completion) } }))
      subscription.open()
    }
  }
}

/// The state machine: the collected values, and how many of them are due.
private struct CollectMachine<Value, Failure: Error>: OperatorMachine {
  typealias Output = [Value]

  var upstream = Upstream(requesting: .unlimited)
  var timer: (any Cancellable)?
  private let limit: Int
  private var values: [Value] = []
  private var isDue = false
  private var end: Subscribers.Completion<Failure>?

  init(limit: Int) {
    self.limit = limit
  }

  mutating func receive(_ value: Value) -> Effect {
    if end == nil { values.append(value) }
    return .none
  }

  mutating func tick() -> Effect {
    isDue = !values.isEmpty
    return .none
  }

  mutating func receive(_ completion: Subscribers.Completion<Failure>) -> Effect {
    guard end == nil else { return .none }
    end = completion
    isDue = !values.isEmpty
    if case .failure = completion {
      values = []
      isDue = false
    }
    return upstream.end()
  }

  mutating func request(_ demand: Subscribers.Demand) -> Effect { .none }

  mutating func next(hasDemand: Bool) -> Signal<[Value], Failure> {
    if hasDemand, isDue || values.count >= limit {
      let list = Array(values.prefix(limit))
      values.removeFirst(list.count)
      if values.isEmpty { isDue = false }
      return .value(list)
    }
    guard let end, values.isEmpty else { return .nothing }
    return .completion(end)
  }

  func cancel() {
    var upstream = upstream
    upstream.cancel().perform()
    timer?.cancel()
  }
}

#endif
