// One execution of a publisher for many subscribers. Knows nothing of what is executed.

public import OpenCombineShim
import Synchronization

extension Publisher {
  /// Shares one subscription to this publisher among all subscribers, and repeats its last values for
  /// those that come late.
  ///
  /// Like Combine's `share()`, with three differences: late subscribers get the last values, also
  /// after the end; each subscriber's demand is its own; and a subscriber that leaves costs constant
  /// time, however many there are.
  ///
  /// - Start: the first subscriber connects; nothing is asked of upstream before.
  /// - Demand: upstream is asked for everything. Each subscriber gets what it asks for, the rest waits
  ///   in a buffer of its own, so a slow subscriber holds nobody up.
  /// - Completion: comes to each subscriber after its values. Afterwards the last values and the
  ///   completion are repeated for whoever subscribes; upstream is not connected again, and let go.
  /// - Cancellation: when the last subscriber has left before the end, upstream is cancelled. Who
  ///   subscribes then connects anew.
  /// - Threads: subscribers are called on the thread on which upstream delivers, or on the one on
  ///   which they ask.
  ///
  /// - Parameter count: How many of the last values are repeated.
  /// - Returns: The shared publisher.
  public func share(replay count: Int) -> SharedPublisher<Output, Failure> {
    SharedPublisher(self, replay: count)
  }
}

/// A publisher that many subscribers share.
///
/// See `Publisher.share(replay:)` for its contract. Its type does not name what it shares, so that
/// publishers that build on one another stay of one type.
public final class SharedPublisher<Output, Failure: Error>: Publisher, Sendable {
  /// How to subscribe to what is shared, as long as that may still be needed.
  fileprivate typealias Connect = (SharedInput<Output, Failure>) -> Void

  // @unchecked: subscriptions and values need not be Sendable. The upstream subscription is used from
  // any thread, as its protocol allows; values are passed on unchanged.
  fileprivate struct State: @unchecked Sendable {
    var connect: Connect?
    /// Counts connections, so that what a former one still says is not heard.
    var connection = 0
    var upstream: (any Subscription)?
    var replay: [Output] = []
    var completion: Subscribers.Completion<Failure>?
    /// In the order of subscribing, with gaps where subscribers have left.
    var subscribers: [SharedSubscription<Output, Failure>?] = []
    var count = 0
  }

  private let replayCount: Int
  private let state: Mutex<State>

  init<Upstream: Publisher>(_ upstream: Upstream, replay count: Int)
  where Upstream.Output == Output, Upstream.Failure == Failure {
    replayCount = count
    state = Mutex(State(connect: Carried { upstream.subscribe($0) }.value))
  }

  /// Adds a subscriber; called by `subscribe(_:)`.
  ///
  /// - Parameter subscriber: Who gets the values.
  public func receive<Downstream: Subscriber & SendableMetatype>(subscriber: Downstream)
  where Downstream.Input == Output, Downstream.Failure == Failure {
    let subscription = SharedOutput(downstream: subscriber, shared: self)
    // The subscription comes first, so that it is there when values come.
    subscriber.receive(subscription: subscription)
    let start = state.withLock { state -> Carried<(connect: Connect, connection: Int)?> in
      subscription.prepare(state.replay, state.completion)
      guard state.completion == nil else { return Carried(nil) }
      subscription.position = state.subscribers.count
      state.subscribers.append(subscription)
      state.count += 1
      guard state.count == 1, let connect = state.connect else { return Carried(nil) }
      state.connection += 1
      return Carried((connect, state.connection))
    }
    subscription.deliver()
    // A subscriber that has left while it was told of its subscription is not there to be served.
    if subscription.hasLeft { leave(subscription) }
    guard let (connect, connection) = start.value else { return }
    connect(SharedInput(shared: self, connection: connection))
  }

  /// Removes a subscriber; upstream is cancelled with the last one.
  fileprivate func leave(_ subscription: SharedSubscription<Output, Failure>) {
    let upstream = state.withLock { state -> Carried<(any Subscription)?> in
      guard let position = subscription.position, state.completion == nil else {
        return Carried(nil)
      }
      subscription.position = nil
      state.subscribers[position] = nil
      state.count -= 1
      guard state.count == 0 else {
        state.closeGaps()
        return Carried(nil)
      }
      // From now on, what this connection still says is not heard.
      defer {
        state.connection += 1
        state.subscribers = []
        state.replay = []
        state.upstream = nil
      }
      return Carried(state.upstream)
    }
    upstream.value?.cancel()
  }

  // MARK: From upstream

  fileprivate func receive(_ subscription: any Subscription, connection: Int) {
    let carried = Carried(subscription)
    let isWanted = state.withLock { state in
      guard state.connection == connection else { return false }
      state.upstream = carried.value
      return true
    }
    isWanted ? subscription.request(.unlimited) : subscription.cancel()
  }

  fileprivate func receive(_ value: Output, connection: Int) {
    let carried = Carried(value)
    let subscribers = state.withLock { state -> [SharedSubscription<Output, Failure>?] in
      guard state.connection == connection else { return [] }
      if replayCount > 0 {
        if state.replay.count == replayCount { state.replay.removeFirst() }
        state.replay.append(carried.value)
      }
      for case let subscriber? in state.subscribers { subscriber.append(carried) }
      return state.subscribers
    }
    for case let subscriber? in subscribers { subscriber.deliver() }
  }

  fileprivate func receive(_ completion: Subscribers.Completion<Failure>, connection: Int) {
    // What is let go of goes outside of the lock: it may be the last reference to upstream.
    let dropped = state.withLock { state in
      guard state.connection == connection else { return Carried(Dropped()) }
      state.completion = completion
      for case let subscriber? in state.subscribers { subscriber.prepare([], completion) }
      defer {
        state.connect = nil
        state.upstream = nil
        state.subscribers = []
      }
      return Carried(
        Dropped(
          connect: state.connect, upstream: state.upstream, subscribers: state.subscribers))
    }
    for case let subscriber? in dropped.value.subscribers { subscriber.deliver() }
  }

  private struct Dropped {
    var connect: Connect?
    var upstream: (any Subscription)?
    var subscribers: [SharedSubscription<Output, Failure>?] = []
  }
}

extension SharedPublisher.State {
  /// Closes the gaps once they are more than the subscribers: constant time on average.
  fileprivate mutating func closeGaps() {
    guard subscribers.count > 16, count * 2 < subscribers.count else { return }
    subscribers.removeAll { $0 == nil }
    for (position, subscriber) in subscribers.enumerated() { subscriber?.position = position }
  }
}

/// What subscribes to the publisher that is shared.
private struct SharedInput<Output, Failure: Error>: Subscriber {
  let shared: SharedPublisher<Output, Failure>
  let connection: Int
  let combineIdentifier = CombineIdentifier()

  func receive(subscription: any Subscription) {
    shared.receive(subscription, connection: connection)
  }

  func receive(_ input: Output) -> Subscribers.Demand {
    shared.receive(input, connection: connection)
    return .none
  }

  func receive(completion: Subscribers.Completion<Failure>) {
    shared.receive(completion, connection: connection)
  }
}

/// One subscriber of a shared publisher, whatever its type.
private class SharedSubscription<Output, Failure: Error>: @unchecked Sendable {
  // @unchecked: for `position`, which is only read and written under the lock of the publisher.
  /// Where it stands among the subscribers; nil when it is not among them.
  final var position: Int?

  /// Adds what comes next, to be delivered later.
  func prepare(_ values: [Output], _ completion: Subscribers.Completion<Failure>?) {}
  func append(_ value: Carried<Output>) {}
  /// Delivers as far as the demand goes.
  func deliver() {}
}

/// One subscriber with its demand and what it has not asked for yet.
private final class SharedOutput<Downstream: Subscriber & SendableMetatype>: SharedSubscription<
  Downstream.Input, Downstream.Failure
>, Subscription, @unchecked Sendable
{
  // @unchecked: inherited; everything that is added here is a checked `let` or behind the mutex.
  private struct State: @unchecked Sendable {
    // @unchecked: the subscriber and the values are handed to one thread at a time, guarded by
    // `isDelivering`.
    var downstream: Downstream?
    var demand = Subscribers.Demand.none
    var values = Queue<Downstream.Input>()
    var completion: Subscribers.Completion<Downstream.Failure>?
    var isDelivering = false
  }

  private enum Action {
    case deliver(Downstream, Downstream.Input)
    case complete(Downstream, Subscribers.Completion<Downstream.Failure>)
    case nothing
  }

  private let shared: SharedPublisher<Downstream.Input, Downstream.Failure>
  private let state: Mutex<State>

  init(downstream: Downstream, shared: SharedPublisher<Downstream.Input, Downstream.Failure>) {
    self.shared = shared
    state = Mutex(State(downstream: downstream))
  }

  /// Whether the subscriber has cancelled.
  var hasLeft: Bool { state.withLock { $0.downstream == nil && $0.completion == nil } }

  func request(_ demand: Subscribers.Demand) {
    state.withLock { $0.demand += demand }
    deliver()
  }

  func cancel() {
    let dropped = state.withLock { state in
      defer {
        state.downstream = nil
        state.values.removeAll()
      }
      return Carried((state.downstream, state.values))
    }
    if dropped.value.0 != nil { shared.leave(self) }
  }

  override func prepare(
    _ values: [Downstream.Input], _ completion: Subscribers.Completion<Downstream.Failure>?
  ) {
    let carried = Carried(values)
    state.withLock { state in
      guard state.downstream != nil else { return }
      for value in carried.value { state.values.append(value) }
      state.completion = completion
    }
  }

  override func append(_ value: Carried<Downstream.Input>) {
    state.withLock { state in
      if state.downstream != nil { state.values.append(value.value) }
    }
  }

  override func deliver() {
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
    guard let downstream = state.downstream else {
      state.isDelivering = false
      return .nothing
    }
    if state.demand > .none, let value = state.values.popFirst() {
      state.demand -= 1
      return .deliver(downstream, value)
    }
    state.isDelivering = false
    guard state.values.isEmpty, let completion = state.completion else { return .nothing }
    state.downstream = nil
    return .complete(downstream, completion)
  }
}
