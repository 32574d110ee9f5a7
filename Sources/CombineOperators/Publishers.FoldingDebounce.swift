// A debounce that folds values instead of dropping them.

public import ReactiveCore

extension Publisher where Output: Sendable {
  /// Folds values that arrive in quick succession into one, and publishes it when it is quiet.
  ///
  /// Like Combine's `debounce`, which drops all values except the last. Here nothing is lost: the
  /// first value opens a window; each further value is folded in and postpones the end of the
  /// window.
  ///
  /// - Values: one for each window, which ends when no value has arrived for `quiet`, or when it is
  ///   `longest` old. While downstream has not requested the value, or is busy, further values are
  ///   folded in: at most one value waits. With a `quiet` of zero there is no delay.
  /// - Demand: upstream gets unlimited demand immediately; downstream receives what it requests.
  /// - Completion: a completion of upstream, even a failure, ends the window immediately and
  ///   follows its value.
  /// - Cancellation: cancels upstream and the timer, and releases the waiting value. Nothing is
  ///   delivered afterwards.
  /// - Threads: values are delivered serially, on the thread of upstream or of a request, or from
  ///   the task of the timer. `fold` is called serially on the thread of upstream, without a lock,
  ///   in the order of the values. Values that it sends upstream itself are folded in after it has
  ///   returned. Keep it short: in the meantime, values on other threads wait to be folded.
  /// - Time: at most one task sleeps, however many values arrive; when it wakes up, it checks how
  ///   far the end was postponed. If `sleep` throws, the window ends.
  /// - Complexity: amortized constant for a value, plus the cost of `fold`.
  ///
  /// - Parameters:
  ///   - quiet: The time without values after which a window ends.
  ///   - longest: The maximum age of a window while values keep arriving; nil for no limit.
  ///   - now: Returns the current time; must be monotonic.
  ///   - sleep: Waits for a duration without blocking a thread; must return when its task is
  ///     cancelled.
  ///   - fold: Folds a new value into the waiting one.
  /// - Returns: The publisher of the folded values.
  public func debounce<Instant: InstantProtocol>(
    for quiet: Duration, atMost longest: Duration? = nil,
    now: @escaping @Sendable () -> Instant,
    sleep: @escaping @Sendable (Duration) async throws -> Void,
    fold: @escaping @Sendable (inout Output, Output) -> Void
  ) -> Publishers.FoldingDebounce<Self, Instant> where Instant.Duration == Duration {
    Publishers.FoldingDebounce(
      upstream: self, quiet: quiet, longest: longest, now: now, sleep: sleep, fold: fold)
  }
}

extension Publishers {
  /// A publisher that folds values that arrive in quick succession into one.
  ///
  /// See `Publisher.debounce(for:atMost:now:sleep:fold:)` for its contract.
  public struct FoldingDebounce<Upstream: Publisher, Instant: InstantProtocol>: Publisher
  where Upstream.Output: Sendable, Instant.Duration == Duration {
    /// A value of upstream, with later values folded into it.
    public typealias Output = Upstream.Output
    /// The failure of upstream.
    public typealias Failure = Upstream.Failure

    let upstream: Upstream
    let quiet: Duration
    let longest: Duration?
    let now: @Sendable () -> Instant
    let sleep: @Sendable (Duration) async throws -> Void
    let fold: @Sendable (inout Output, Output) -> Void

    /// Subscribes to upstream; called by `subscribe(_:)`.
    ///
    /// - Parameter subscriber: The subscriber that receives the folded values.
    public func receive<Downstream: Subscriber>(subscriber: Downstream)
    where Downstream.Input == Output, Downstream.Failure == Failure {
      let subscription = OperatorSubscription(
        DebounceMachine<Output, Failure, Instant>(quiet: quiet, longest: longest), for: subscriber)
      let debounce = DebounceTimer(subscription: subscription, now: now, sleep: sleep, fold: fold)
      upstream.subscribe(
        Inlet(
          onSubscription: { upstream in
            subscription.open(with: upstream) { $0.upstream.receive($1) }
          },
          onValue: { value in debounce.receive(value) },
          onCompletion: { completion in debounce.receive(completion) }))
      subscription.open()
    }
  }
}

/// Connects the state machine of a debounce with its upstream and its timer.
private final class DebounceTimer<Value: Sendable, Failure: Error, Instant: InstantProtocol>:
  Sendable
where Instant.Duration == Duration {
  typealias Machine = DebounceMachine<Value, Failure, Instant>

  private let subscription: OperatorSubscription<Machine>
  private let now: @Sendable () -> Instant
  private let sleep: @Sendable (Duration) async throws -> Void
  private let fold: @Sendable (inout Value, Value) -> Void

  init(
    subscription: OperatorSubscription<Machine>, now: @escaping @Sendable () -> Instant,
    sleep: @escaping @Sendable (Duration) async throws -> Void,
    fold: @escaping @Sendable (inout Value, Value) -> Void
  ) {
    self.subscription = subscription
    self.now = now
    self.sleep = sleep
    self.fold = fold
  }

  func receive(_ value: Value) {
    let moment = now()
    if var folded = take(value, at: moment) {
      // Only one thread folds at a time, and it has the only copy of the value, so the value is
      // mutated in place.
      while let next = nextToFold(into: folded) { fold(&folded, next) }
    }
    subscription.deliver()
  }

  /// Takes a value.
  ///
  /// - Returns: The value to fold into, if the caller must do that.
  private func take(_ value: Value, at moment: Instant) -> Value? {
    subscription.change { machine in
      // The timer is created under the lock (which only enqueues it), so that there is never a
      // second one.
      machine.receive(value, at: moment) { Task { await self.watch() } }
    } ?? nil
  }

  private func nextToFold(into value: Value) -> Value? {
    subscription.change { $0.nextToFold(into: value) } ?? nil
  }

  func receive(_ completion: Subscribers.Completion<Failure>) {
    let ended = subscription.change { $0.receive(completion) }
    ended?.effect.perform()
    subscription.deliver()
    // Cancel the timer last. Its task also delivers when it is cancelled: if it came first, it
    // would deliver the value instead, some time later.
    ended?.timer?.cancel()
  }

  /// Waits until the window has ended, however often its end is postponed.
  private func watch() async {
    while let rest = rest() {
      do {
        try await sleep(rest)
      } catch {
        _ = subscription.change { $0.closeWindow() }
      }
    }
    subscription.deliver()
  }

  private func rest() -> Duration? {
    let moment = now()
    return subscription.change { $0.rest(at: moment) } ?? nil
  }
}

/// The state machine: the value that is folded, and the timer of its window.
private struct DebounceMachine<Output, Failure: Error, Instant: InstantProtocol>: OperatorMachine
where Instant.Duration == Duration {
  var upstream = Upstream(requesting: .unlimited)
  private var folded: FoldedValue<Output, Instant>
  private var timer: Task<Void, Never>?
  private var end: Subscribers.Completion<Failure>?

  init(quiet: Duration, longest: Duration?) {
    folded = FoldedValue(quiet: quiet, longest: longest)
  }

  /// Takes a value.
  ///
  /// - Returns: The value to fold into, if the caller must do that.
  mutating func receive(
    _ value: Output, at moment: Instant, startTimer: () -> Task<Void, Never>
  ) -> Output? {
    guard end == nil else { return nil }
    let taken = folded.add(value, at: moment)
    if timer == nil, !folded.isDue { timer = startTimer() }
    return taken
  }

  mutating func nextToFold(into value: Output) -> Output? {
    folded.nextToFold(into: value)
  }

  mutating func receive(
    _ completion: Subscribers.Completion<Failure>
  ) -> (effect: Effect, timer: Task<Void, Never>?) {
    guard end == nil else { return (.none, nil) }
    end = completion
    folded.close()
    return (upstream.end(), timer.take())
  }

  /// Returns how long the timer must sleep; nil if the window, and with it the timer, has ended.
  mutating func rest(at moment: Instant) -> Duration? {
    folded.close(at: moment)
    let rest = folded.rest(at: moment)
    if rest == nil { timer = nil }
    return rest
  }

  mutating func closeWindow() {
    folded.close()
  }

  mutating func request(_ demand: Subscribers.Demand) -> Effect { .none }

  mutating func next(hasDemand: Bool) -> Signal<Output, Failure> {
    if hasDemand, let value = folded.take() { return .value(value) }
    guard let end, folded.isEmpty else { return .nothing }
    return .completion(end)
  }

  func cancel() {
    var upstream = upstream
    upstream.cancel().perform()
    timer?.cancel()
  }
}
