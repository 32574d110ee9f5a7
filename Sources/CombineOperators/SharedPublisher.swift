// One execution of a publisher for many subscribers. Knows nothing of what is executed.
// All of it can be inlined, as the zip can.

public import CombineShim
public import Synchronization

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
  @inlinable
  public func share(replay count: Int) -> SharedPublisher<Output, Failure> {
    SharedPublisher(self, replay: count)
  }
}

/// A publisher that many subscribers share.
///
/// See `Publisher.share(replay:)` for its contract. Its type does not name what it shares, so that
/// publishers that build on one another stay of one type.
public final class SharedPublisher<Output, Failure: Error>: Publisher, InputOwner, Sendable {
  @usableFromInline typealias Input = Output
  /// How to subscribe to what is shared, as one connection.
  @usableFromInline typealias Connect = (SharedPublisher, _ connection: Int) -> Void

  // @unchecked: subscriptions and values need not be Sendable. The upstream subscription is used from
  // any thread, as its protocol allows; values are passed on unchanged.
  @usableFromInline
  struct State: @unchecked Sendable {
    /// How to connect, as long as that may still be needed.
    @usableFromInline var connect: Connect?
    @usableFromInline var upstream: (any Subscription)?
    /// What there is instead of something to connect to, where this is a join.
    @usableFromInline var join: Join<Output, Failure>?
    /// Counts connections, so that what a former one still says is not heard.
    @usableFromInline var connection = 0
    @usableFromInline var replay = Queue<Output>()
    @usableFromInline var completion: Subscribers.Completion<Failure>?
    /// In the order of subscribing, with gaps where subscribers have left.
    @usableFromInline var subscribers: [SharedSubscription<Output, Failure>?] = []
    /// The joins that wait for the value of this one.
    @usableFromInline var dependents: [Dependent<Output, Failure>] = []
    /// How many subscribers, dependents and holders there are.
    @usableFromInline var count = 0

    @inlinable
    init(connect: Connect? = nil, join: Join<Output, Failure>? = nil) {
      self.connect = connect
      self.join = join
    }
  }

  @usableFromInline let replayCount: Int
  @usableFromInline let state: Mutex<State>
  /// Whether it is a join of others, and so gives one value and ends.
  @usableFromInline let isJoin: Bool

  @inlinable
  init<Upstream: Publisher>(_ upstream: Upstream, replay count: Int)
  where Upstream.Output == Output, Upstream.Failure == Failure {
    replayCount = count
    isJoin = false
    let connect = Carried<Connect> { shared, connection in
      upstream.receive(subscriber: DirectInput(shared, number: connection))
    }
    state = Mutex(State(connect: connect.value))
  }

  @inlinable
  init(_ join: Join<Output, Failure>) {
    replayCount = 1
    isJoin = true
    let join = Carried(join)
    state = Mutex(State(join: join.value))
  }

  // MARK: From downstream

  /// Adds a subscriber; called by `subscribe(_:)`.
  ///
  /// - Parameter subscriber: Who gets the values.
  @inlinable
  public func receive<Downstream: Subscriber & SendableMetatype>(subscriber: Downstream)
  where Downstream.Input == Output, Downstream.Failure == Failure {
    let subscription = SharedSubscription(
      downstream: SubscriberReceiver(subscriber), shared: self)
    // The subscription comes first, so that it is there when values come.
    subscriber.receive(subscription: subscription)
    let start = state.withLock { state -> Carried<Start?> in
      subscription.prepare(state.replay, state.completion)
      guard state.completion == nil else { return Carried(nil) }
      subscription.position = state.subscribers.count
      state.subscribers.append(subscription)
      return Carried(state.enter())
    }
    // A subscriber that has left while it was told of its subscription is not there to be served.
    if subscription.deliver() { leave(subscription) }
    if let start = start.value { begin(start) }
  }

  /// Connects as a subscriber would, without listening.
  ///
  /// To be followed by one `letGo()`. Both may be called from any thread.
  @inlinable
  public func hold() {
    let start = state.withLock { state in
      Carried(state.completion == nil ? state.enter() : nil)
    }
    if let start = start.value { begin(start) }
  }

  /// Takes one `hold()` back; when nobody else is there, upstream is cancelled.
  @inlinable
  public func letGo() {
    let stop = state.withLock { state in
      Carried(state.completion == nil ? state.leave() : nil)
    }
    if let stop = stop.value { end(stop) }
  }

  /// Removes a subscriber; upstream is cancelled with the last one.
  @inlinable
  func leave(_ subscription: SharedSubscription<Output, Failure>) {
    let stop = state.withLock { state -> Carried<Stop?> in
      guard let position = subscription.position, state.completion == nil else {
        return Carried(nil)
      }
      subscription.position = nil
      state.subscribers[position] = nil
      return Carried(state.leave())
    }
    if let stop = stop.value { end(stop) }
  }

  /// How the first subscriber connects.
  @usableFromInline
  enum Start {
    case connect(Connect, connection: Int)
    case join([SharedPublisher], connection: Int)
  }

  @inlinable
  func begin(_ start: Start) {
    switch start {
    case .connect(let connect, let connection):
      connect(self, connection)
    case .join(let upstreams, let connection):
      join(upstreams, connection: connection)
    }
  }

  /// What is cancelled when the last subscriber has left.
  @usableFromInline
  enum Stop {
    case upstream(any Subscription)
    case join([SharedPublisher], Task<Void, Never>?, connection: Int)
  }

  @inlinable
  func end(_ stop: Stop) {
    switch stop {
    case .upstream(let subscription): subscription.cancel()
    case .join(let upstreams, let task, let connection):
      task?.cancel()
      leave(upstreams, connection: connection)
    }
  }

  // MARK: From upstream

  @inlinable
  func receive(subscription: any Subscription, from connection: Int) {
    let carried = Carried(subscription)
    let isWanted = state.withLock { state in
      guard state.connection == connection else { return false }
      state.upstream = carried.value
      return true
    }
    isWanted ? subscription.request(.unlimited) : subscription.cancel()
  }

  @inlinable
  func receive(_ value: Output, from connection: Int) {
    let carried = Carried(value)
    let subscribers = state.withLock { state -> [SharedSubscription<Output, Failure>?] in
      guard state.connection == connection else { return [] }
      if replayCount > 0 {
        if state.replay.count == replayCount { _ = state.replay.popFirst() }
        state.replay.append(carried.value)
      }
      for case let subscriber? in state.subscribers { subscriber.append(carried) }
      return state.subscribers
    }
    for case let subscriber? in subscribers { subscriber.deliver() }
  }

  @inlinable
  func receive(completion: Subscribers.Completion<Failure>, from connection: Int) {
    // What is let go of goes outside of the lock: it may be the last reference to upstream.
    let ended = state.withLock { state -> Ended? in
      guard state.connection == connection else { return nil }
      for case let subscriber? in state.subscribers { subscriber.prepare(Queue(), completion) }
      return state.complete(completion)
    }
    guard let ended else { return }
    for case let subscriber? in ended.subscribers { subscriber.deliver() }
  }

  /// What is told of the end, or let go of with it.
  // @unchecked: it was taken out of the state, so whoever has it has it alone.
  @usableFromInline
  struct Ended: @unchecked Sendable {
    @usableFromInline let completion: Subscribers.Completion<Failure>
    /// The last reference to upstream, maybe.
    @usableFromInline let connect: Connect?
    @usableFromInline let join: Join<Output, Failure>?
    @usableFromInline let upstream: (any Subscription)?
    @usableFromInline var subscribers: [SharedSubscription<Output, Failure>?] = []
    @usableFromInline var dependents: [Dependent<Output, Failure>] = []

    @inlinable
    init(
      _ completion: Subscribers.Completion<Failure>, connect: Connect?,
      join: Join<Output, Failure>?, upstream: (any Subscription)?
    ) {
      self.completion = completion
      self.connect = connect
      self.join = join
      self.upstream = upstream
    }
  }
}

extension SharedPublisher.State {
  /// Counts somebody in.
  ///
  /// - Returns: How to connect, for the first one.
  @inlinable
  mutating func enter() -> SharedPublisher.Start? {
    count += 1
    guard count == 1 else { return nil }
    connection += 1
    if let join {
      self.join?.missing = join.upstreams.count
      self.join?.task = nil
      return .join(join.upstreams, connection: connection)
    }
    return connect.map { .connect($0, connection: connection) }
  }

  /// Counts somebody out.
  ///
  /// - Returns: What is to be cancelled after the last one.
  @inlinable
  mutating func leave() -> SharedPublisher.Stop? {
    count -= 1
    guard count == 0 else {
      closeGaps()
      return nil
    }
    // From now on, what this connection still says is not heard.
    defer {
      connection += 1
      subscribers = []
      replay.removeAll()
      upstream = nil
    }
    if let join { return .join(join.upstreams, join.task, connection: connection) }
    return upstream.map { .upstream($0) }
  }

  /// Notes the end.
  ///
  /// - Returns: What is to be told or let go of outside of the lock.
  @inlinable
  mutating func complete(
    _ completion: Subscribers.Completion<Failure>
  ) -> SharedPublisher.Ended {
    self.completion = completion
    // Moved, not copied: copies would be counted, and there is one for each step.
    var ended = SharedPublisher.Ended(
      completion, connect: connect.take(), join: join.take(), upstream: upstream.take())
    swap(&ended.subscribers, &subscribers)
    swap(&ended.dependents, &dependents)
    return ended
  }

  /// Closes the gaps once they are more than the subscribers: constant time on average.
  @inlinable
  mutating func closeGaps() {
    guard subscribers.count > 16, count * 2 < subscribers.count else { return }
    subscribers.removeAll { $0 == nil }
    for (position, subscriber) in subscribers.enumerated() { subscriber?.position = position }
  }
}
