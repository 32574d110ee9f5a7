// Waits for a stream to be quiet and passes on what came meanwhile as one value. Knows nothing of the
// values, and takes the time from whoever uses it.

public import CombineShim
import Synchronization

extension Publisher where Output: Sendable {
  /// Folds values that follow one another closely into one, and publishes that when it is quiet.
  ///
  /// Like Combine's `debounce`, which throws away all but the last value. Here nothing is lost: the
  /// first value opens a window, each further one is folded in and moves the end of the window.
  ///
  /// - Values: one for each window, which ends when nothing has come for `quiet`, or when it is
  ///   `longest` old. While downstream has not asked for it, or is busy, more is folded in: at most one
  ///   value waits. With a `quiet` of zero nothing waits for time.
  /// - Demand: upstream is asked for everything at once; downstream gets what it asks for.
  /// - Completion: of upstream, also a failure: ends the window at once and comes after its value.
  /// - Cancellation: cancels upstream and the timer, and lets go of what waits. Nothing is delivered
  ///   after it.
  /// - Threads: values are delivered one after the other, on the thread of upstream or of a request, or
  ///   from the task of the timer. `fold` is called on the thread of upstream, outside of any lock, one
  ///   call at a time, in the order of the values. What it sends upstream itself is folded in when it
  ///   has returned. It is to be quick: while it is busy, what other threads send waits to be folded.
  /// - Time: one task at a time sleeps, however many values come; when it wakes, it looks how far the
  ///   end has moved. When `sleep` throws, the window ends.
  /// - Complexity: constant for a value on average, and what `fold` takes.
  ///
  /// - Parameters:
  ///   - quiet: How long nothing must come.
  ///   - longest: How old a window may become while values keep coming; nil for any age.
  ///   - now: The present moment; must not go back.
  ///   - sleep: Waits so long without occupying a thread; must end when its task is cancelled.
  ///   - fold: Folds a new value into the one that waits.
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
  /// A publisher that folds values which follow one another closely into one.
  ///
  /// See `Publisher.debounce(for:atMost:now:sleep:fold:)` for its contract.
  public struct FoldingDebounce<Upstream: Publisher, Instant: InstantProtocol>: Publisher
  where Upstream.Output: Sendable, Instant.Duration == Duration {
    /// What values of upstream are folded into: one of them.
    public typealias Output = Upstream.Output
    /// The failure of upstream.
    public typealias Failure = Upstream.Failure

    let upstream: Upstream
    let quiet: Duration
    let longest: Duration?
    let now: @Sendable () -> Instant
    let sleep: @Sendable (Duration) async throws -> Void
    let fold: @Sendable (inout Output, Output) -> Void

    /// Subscribes to the publisher that gives the values; called by `subscribe(_:)`.
    ///
    /// - Parameter subscriber: Who gets the folded values.
    public func receive<Downstream: Subscriber & SendableMetatype>(subscriber: Downstream)
    where Downstream.Input == Output, Downstream.Failure == Failure {
      upstream.subscribe(
        FoldingDebounceSubscription(
          downstream: subscriber, folded: FoldedValue(quiet: quiet, longest: longest), now: now,
          sleep: sleep, fold: fold))
    }
  }
}

/// The one object of a subscription: the subscriber of upstream and the subscription of downstream, and
/// it owns the timer.
private final class FoldingDebounceSubscription<
  Downstream: Subscriber & SendableMetatype, Instant: InstantProtocol
>: Subscriber, Subscription, Sendable
where Downstream.Input: Sendable, Instant.Duration == Duration {
  typealias Input = Downstream.Input
  typealias Failure = Downstream.Failure

  // @unchecked: neither subscriptions nor subscribers need be Sendable. The upstream subscription is
  // used from any thread, as its protocol allows; the subscriber is called by one thread at a time,
  // guarded by `isDelivering`.
  private struct State: @unchecked Sendable {
    var downstream: Downstream?
    var upstream: (any Subscription)?
    var demand = Subscribers.Demand.none
    var folded: FoldedValue<Input, Instant>
    var timer: Task<Void, Never>?
    var end: Subscribers.Completion<Failure>?
    var isDelivering = false
  }

  private enum Action {
    case deliver(Downstream, Input)
    case complete(Downstream, Subscribers.Completion<Failure>)
    case nothing
  }

  private let now: @Sendable () -> Instant
  private let sleep: @Sendable (Duration) async throws -> Void
  private let fold: @Sendable (inout Input, Input) -> Void
  private let state: Mutex<State>

  init(
    downstream: Downstream, folded: FoldedValue<Input, Instant>,
    now: @escaping @Sendable () -> Instant,
    sleep: @escaping @Sendable (Duration) async throws -> Void,
    fold: @escaping @Sendable (inout Input, Input) -> Void
  ) {
    self.now = now
    self.sleep = sleep
    self.fold = fold
    state = Mutex(State(downstream: downstream, folded: folded))
  }

  // MARK: From downstream

  func request(_ demand: Subscribers.Demand) {
    state.withLock { $0.demand += demand }
    deliver()
  }

  func cancel() {
    // What is let go of goes outside of the lock: its end may call back.
    let dropped = state.withLock { state in
      defer {
        state.downstream = nil
        state.upstream = nil
        state.timer = nil
      }
      return Carried((state.upstream, state.timer, state.downstream, state.folded.removeAll()))
    }
    dropped.value.0?.cancel()
    dropped.value.1?.cancel()
  }

  // MARK: From upstream

  func receive(subscription: any Subscription) {
    let carried = Carried(subscription)
    let downstream = state.withLock { state -> Carried<Downstream?> in
      guard state.upstream == nil, state.end == nil else { return Carried(nil) }
      state.upstream = carried.value
      return Carried(state.downstream)
    }
    guard let downstream = downstream.value else { return subscription.cancel() }
    downstream.receive(subscription: self)
    // It may have cancelled when it was told of its subscription.
    if state.withLock({ $0.downstream != nil }) { subscription.request(.unlimited) }
  }

  func receive(_ input: Input) -> Subscribers.Demand {
    let moment = now()
    // One thread at a time folds, and nobody else holds the value then: it is changed in place.
    if var value = take(input, at: moment) {
      while let next = nextToFold(into: value) { fold(&value, next) }
    }
    deliver()
    return .none
  }

  func receive(completion: Subscribers.Completion<Failure>) {
    let dropped = state.withLock { state in
      guard state.downstream != nil, state.end == nil else {
        return Carried<((any Subscription)?, Task<Void, Never>?)>((nil, nil))
      }
      state.end = completion
      state.folded.close()
      defer {
        state.upstream = nil
        state.timer = nil
      }
      return Carried((state.upstream, state.timer))
    }
    deliver()
    // The timer comes last: were it woken before, it might be what delivers, some time later.
    dropped.value.1?.cancel()
  }

  /// Takes a value in.
  ///
  /// - Returns: The value to fold into, where that is to be done by whoever calls this.
  private func take(_ input: Input, at moment: Instant) -> Input? {
    state.withLock { state in
      guard state.downstream != nil, state.end == nil else { return nil }
      let value = state.folded.add(input, at: moment)
      if state.timer == nil, !state.folded.isDue {
        // Made under the lock, which only enqueues it, so that there is never a second one.
        state.timer = Task { await self.watch() }
      }
      return value
    }
  }

  private func nextToFold(into value: Input) -> Input? {
    state.withLock { state in
      state.downstream == nil ? nil : state.folded.nextToFold(into: value)
    }
  }

  // MARK: From the timer

  /// Waits until the window has ended, however often its end moves.
  private func watch() async {
    while let rest = rest() {
      do {
        try await sleep(rest)
      } catch {
        state.withLock { $0.folded.close() }
      }
    }
    deliver()
  }

  /// How long the timer is to sleep, or nil when it is over: then there is no timer any more.
  private func rest() -> Duration? {
    let moment = now()
    return state.withLock { state in
      state.folded.close(at: moment)
      let rest = state.folded.rest(at: moment)
      if rest == nil { state.timer = nil }
      return rest
    }
  }

  // MARK: To downstream

  /// Delivers what can be delivered.
  ///
  /// Of several threads that come here at once, one delivers for all.
  private func deliver() {
    let isMine = state.withLock { state in
      guard !state.isDelivering else { return false }
      state.isDelivering = true
      return true
    }
    guard isMine else { return }
    while true {
      switch state.withLock({ Carried(Self.next(&$0)) }).value {
      case .deliver(let downstream, let value):
        let more = downstream.receive(value)
        state.withLock { $0.demand += more }
      case .complete(let downstream, let completion):
        return downstream.receive(completion: completion)
      case .nothing:
        return
      }
    }
  }

  private static func next(_ state: inout State) -> Action {
    if let downstream = state.downstream, state.demand > .none, let value = state.folded.take() {
      state.demand -= 1
      return .deliver(downstream, value)
    }
    state.isDelivering = false
    guard let downstream = state.downstream, let end = state.end, state.folded.isEmpty else {
      return .nothing
    }
    state.downstream = nil
    return .complete(downstream, end)
  }
}
