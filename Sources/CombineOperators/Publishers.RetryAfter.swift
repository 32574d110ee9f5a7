// Subscribes again after a failure, with a growing delay.

public import ReactiveCore

/// The delays between attempts.
public struct RetryDelay: Sendable {
  private let delay: @Sendable (_ failures: Int) -> Duration

  /// Creates delays from a function.
  ///
  /// - Parameter delay: Returns the delay after a number of failures in a row, from 1.
  public init(_ delay: @escaping @Sendable (_ failures: Int) -> Duration) {
    self.delay = delay
  }

  /// The same delay each time.
  public static func constant(_ delay: Duration) -> RetryDelay {
    RetryDelay { _ in delay }
  }

  /// Delays that grow by a factor.
  ///
  /// - Parameters:
  ///   - first: The delay after the first failure.
  ///   - factor: The factor, at least 1.
  ///   - longest: The maximum delay.
  /// - Returns: The delays.
  public static func exponential(
    _ first: Duration, factor: Double = 2, atMost longest: Duration = .seconds(3600)
  ) -> RetryDelay {
    precondition(factor >= 1, "delays cannot become shorter")
    return RetryDelay { failures in
      var delay = first
      for _ in 1..<Swift.max(failures, 1) where delay < longest { delay = delay * factor }
      return Swift.min(delay, longest)
    }
  }

  /// Returns the delay after a number of failures in a row, from 1.
  public func delay(afterFailures failures: Int) -> Duration { delay(failures) }
}

extension Publisher {
  /// Subscribes to this publisher again after a failure, when a delay has passed.
  ///
  /// Like `retry(_:)`, which subscribes again at once.
  ///
  /// - Values: those of all subscriptions, in order. The number of failures is not reset by a
  ///   value.
  /// - Demand: passed on; unmet demand is passed on to the next subscription.
  /// - Completion: finishes when a subscription finishes. The failure after `limit` retries, or one
  ///   for which `when` returns false, is delivered immediately.
  /// - Cancellation: cancels the subscription or the delay; nothing is delivered afterwards.
  /// - Threads: values are delivered serially on the threads of the publishers and of requests;
  ///   after a delay, the publisher is subscribed to from a task.
  /// - Time: `sleep` makes it testable: pass the `sleep` of a clock under your control.
  ///
  /// - Parameters:
  ///   - limit: The maximum number of retries.
  ///   - delay: The delays before the retries.
  ///   - when: Returns whether a failure is worth a retry.
  ///   - sleep: Waits for a duration; must return or throw when its task is cancelled.
  /// - Returns: The publisher of all values.
  public func retry(
    limit: Int, delay: RetryDelay, when: @escaping @Sendable (Failure) -> Bool = { _ in true },
    sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
  ) -> Publishers.RetryAfter<Self> {
    Publishers.RetryAfter(
      upstream: self, limit: limit, delay: delay, condition: when, sleep: sleep)
  }
}

extension Publishers {
  /// A publisher that subscribes to another one again after failures.
  ///
  /// See `Publisher.retry(limit:delay:when:sleep:)` for its contract.
  public struct RetryAfter<Upstream: Publisher>: Publisher {
    /// A value of upstream.
    public typealias Output = Upstream.Output
    /// The failure of upstream.
    public typealias Failure = Upstream.Failure

    let upstream: Upstream
    let limit: Int
    let delay: RetryDelay
    let condition: @Sendable (Failure) -> Bool
    let sleep: @Sendable (Duration) async throws -> Void

    /// Subscribes to upstream; called by `subscribe(_:)`.
    ///
    /// - Parameter subscriber: The subscriber that receives the values.
    public func receive<Downstream: Subscriber>(subscriber: Downstream)
    where Downstream.Input == Output, Downstream.Failure == Failure {
      let attempts = Attempts(
        settings: self,
        subscription: OperatorSubscription(RetryMachine(limit: limit), for: subscriber))
      attempts.begin()
      attempts.subscription.open()
    }
  }
}

/// Connects the state machine of a retry with its upstream and its delays.
private struct Attempts<Upstream: Publisher> {
  typealias Machine = RetryMachine<Upstream.Output, Upstream.Failure>

  let settings: Publishers.RetryAfter<Upstream>
  let subscription: OperatorSubscription<Machine>
  /// Begins one attempt after another, without recursion if attempts fail immediately.
  private let beginning = DrainLoop()

  init(settings: Publishers.RetryAfter<Upstream>, subscription: OperatorSubscription<Machine>) {
    self.settings = settings
    self.subscription = subscription
  }

  func begin() {
    beginning.run {
      guard let number = subscription.change({ $0.takeAttempt() }) ?? nil else { return false }
      settings.upstream.subscribe(
        Inlet(
          onSubscription: { upstream in
            subscription.receive(upstream) { $0.receive($1, from: number) }
          },
          onValue: { value in subscription.update { $0.receive(value, from: number) } },
          onCompletion: { receive($0, from: number) }))
      return true
    }
  }

  private func receive(
    _ completion: Subscribers.Completion<Upstream.Failure>, from number: Int
  ) {
    let mayRetry =
      if case .failure(let error) = completion { settings.condition(error) } else { false }
    var failures: Int?
    subscription.update { machine in
      let (effect, count) = machine.receive(completion, from: number, mayRetry: mayRetry)
      failures = count
      return effect
    }
    guard let failures else { return }
    let delay = settings.delay.delay(afterFailures: failures)
    guard delay > .zero else {
      _ = subscription.change { $0.isDue = true }
      return begin()
    }
    wait(for: delay)
  }

  private func wait(for delay: Duration) {
    let begin = UncheckedSendable {
      _ = subscription.change { $0.isDue = true }
      self.begin()
    }
    let sleep = settings.sleep
    // Created under the lock, which only enqueues it, so that a cancel finds it.
    _ = subscription.change { $0.timer = timer(after: delay, sleep, then: begin) }
  }
}

/// Starts a task that calls a closure after a delay, unless it is cancelled before.
private func timer(
  after delay: Duration, _ sleep: @escaping @Sendable (Duration) async throws -> Void,
  then action: UncheckedSendable<() -> Void>
) -> Task<Void, Never> {
  Task {
    guard (try? await sleep(delay)) != nil, !Task.isCancelled else { return }
    action.value()
  }
}

/// The state machine: the current attempt, and the number of failures.
private struct RetryMachine<Output, Failure: Error>: OperatorMachine {
  /// Whether an attempt must begin now.
  var isDue = true
  /// The task that waits for the next attempt.
  var timer: Task<Void, Never>?
  private let limit: Int
  private var upstream = Upstream()
  /// The number of attempts, by which signals of an earlier one are recognized.
  private var number = 0
  private var values = Queue<Output>()
  private var open = Subscribers.Demand.none
  private var end: Subscribers.Completion<Failure>?

  init(limit: Int) {
    self.limit = limit
  }

  /// Begins the attempt that is due.
  ///
  /// - Returns: Its number; nil if none is due.
  mutating func takeAttempt() -> Int? {
    guard isDue, end == nil else { return nil }
    isDue = false
    timer = nil
    number += 1
    upstream = Upstream(requesting: open)
    return number
  }

  mutating func request(_ demand: Subscribers.Demand) -> Effect {
    open += demand
    return upstream.request(demand)
  }

  mutating func receive(_ subscription: any Subscription, from number: Int) -> Effect {
    self.number == number ? upstream.receive(subscription) : .cancel(subscription)
  }

  mutating func receive(_ value: Output, from number: Int) -> Effect {
    guard self.number == number, !upstream.isEnded else { return .none }
    if open > .none { open -= 1 }
    values.append(value)
    return .none
  }

  /// Records the end of an attempt.
  ///
  /// - Returns: An effect, and the number of failures if another attempt must follow.
  mutating func receive(
    _ completion: Subscribers.Completion<Failure>, from number: Int, mayRetry: Bool
  ) -> (Effect, failures: Int?) {
    guard self.number == number, !upstream.isEnded else { return (.none, nil) }
    let effect = upstream.end()
    // Every attempt before this one has failed.
    if mayRetry, number <= limit { return (effect, number) }
    end = completion
    return (effect, nil)
  }

  mutating func next(hasDemand: Bool) -> Signal<Output, Failure> {
    if hasDemand, let value = values.popFirst() { return .value(value) }
    if case .failure? = end { return end.map { .completion($0) } ?? .nothing }
    guard let end, values.isEmpty else { return .nothing }
    return .completion(end)
  }

  func cancel() {
    timer?.cancel()
    var upstream = upstream
    upstream.cancel().perform()
  }
}
