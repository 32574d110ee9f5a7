// Shares one execution of a publisher among many subscribers.

public import ReactiveCore

extension Publisher {
  /// Shares one subscription to this publisher among all subscribers, and replays its last values
  /// to late ones.
  ///
  /// Like Combine's `share()`, with three differences: late subscribers receive the last values,
  /// even after the end; each subscriber has its own demand; and a subscriber is removed in
  /// logarithmic time, however many there are.
  ///
  /// - Start: the first subscriber connects; nothing is requested from upstream before.
  /// - Demand: upstream gets unlimited demand. Each subscriber receives what it requests; the rest
  ///   waits in its own buffer, so a slow subscriber does not delay others.
  /// - Completion: delivered to each subscriber after its values. Later subscribers receive the
  ///   last values and the completion; upstream is released and never connected again.
  /// - Cancellation: when the last subscriber cancels before the end, upstream is cancelled. The
  ///   next subscriber connects again.
  /// - Threads: subscribers are called on the thread on which upstream delivers, or on which they
  ///   request.
  /// - Complexity: linear in the number of subscribers for a value.
  ///
  /// - Parameter count: The number of last values that are replayed.
  /// - Returns: The shared publisher.
  public func share(replay count: Int) -> SharedPublisher<Output, Failure> {
    SharedPublisher(self, replay: count)
  }
}

/// A publisher that many subscribers share.
///
/// See `Publisher.share(replay:)` for its contract. Its type does not name the upstream type, so
/// publishers that build on one another have the same type.
public final class SharedPublisher<Output, Failure: Error>: Publisher, Sendable {
  fileprivate typealias Member = OperatorSubscription<SharedMachine<Output, Failure>>

  fileprivate struct State {
    /// Subscribes to upstream; nil after the end.
    var connect: ((SharedPublisher, _ connection: Int) -> Void)?
    var upstream = Upstream()
    /// The number of connections, by which signals of an earlier one are recognized and ignored.
    var connection = 0
    var replay = Queue<Output>()
    var completion: Subscribers.Completion<Failure>?
    var members = MemberList()
  }

  private let replayCount: Int
  private let state: Locked<State>

  init<Upstream: Publisher>(_ upstream: Upstream, replay count: Int)
  where Upstream.Output == Output, Upstream.Failure == Failure {
    replayCount = count
    state = Locked(
      State { shared, connection in
        upstream.subscribe(
          Inlet(
            onSubscription: { shared.receive($0, from: connection) },
            onValue: { shared.receive($0, from: connection) },
            onCompletion: { shared.receive(completion: $0, from: connection) }))
      })
  }

  // MARK: From downstream

  /// Adds a subscriber; called by `subscribe(_:)`.
  ///
  /// - Parameter subscriber: The subscriber that receives the values.
  public func receive<Downstream: Subscriber>(subscriber: Downstream)
  where Downstream.Input == Output, Downstream.Failure == Failure {
    let member = Member(SharedMachine { self.leave($0) }, for: subscriber)
    let connect = state.withLock { state in state.add(member) }
    member.open()
    // All subscribers may have cancelled when they received their subscriptions.
    guard let connect, state.withLock({ $0.connection == connect.connection }) else { return }
    connect.function(self, connect.connection)
  }

  /// Removes a subscriber, and cancels upstream if it was the last one.
  private func leave(_ number: Int?) {
    guard let number else { return }
    let left = state.withLock { $0.remove(number) }
    left.effect.perform()
  }

  // MARK: From upstream

  private func receive(_ subscription: any Subscription, from connection: Int) {
    let effect = state.withLock { state in
      state.connection == connection ? state.upstream.receive(subscription) : .cancel(subscription)
    }
    effect.perform()
  }

  private func receive(_ value: Output, from connection: Int) {
    // The oldest value is released outside of the lock.
    let (members, _) = state.withLock { state -> (MemberList?, Output?) in
      guard state.connection == connection, state.completion == nil else { return (nil, nil) }
      state.members.forEach(as: Member.self) { member in
        _ = member.change { $0.values.append(value) }
      }
      guard replayCount > 0 else { return (state.members, nil) }
      state.replay.append(value)
      return (state.members, state.replay.count > replayCount ? state.replay.popFirst() : nil)
    }
    members?.forEach(as: Member.self) { $0.deliver() }
  }

  private func receive(completion: Subscribers.Completion<Failure>, from connection: Int) {
    let ended = state.withLock { state -> (members: MemberList, released: Any)? in
      guard state.connection == connection, state.completion == nil else { return nil }
      state.completion = completion
      let members = state.members.removeAll()
      members.forEach(as: Member.self) { member in
        _ = member.change { $0.completion = completion }
      }
      // This may be the last reference to upstream.
      return (members, (state.connect.take(), state.upstream.end()))
    }
    guard let ended else { return }
    ended.members.forEach(as: Member.self) { $0.deliver() }
  }
}

extension SharedPublisher.State {
  typealias Connect = (SharedPublisher, _ connection: Int) -> Void

  /// Adds a subscriber with the values and the completion that it has missed.
  ///
  /// - Returns: How to connect, for the first subscriber.
  fileprivate mutating func add(
    _ member: SharedPublisher.Member
  ) -> (function: Connect, connection: Int)? {
    _ = member.change { machine in
      machine.values = replay
      machine.completion = completion
      if completion == nil { machine.number = members.append(member) }
    }
    guard completion == nil, members.count == 1 else { return nil }
    connection += 1
    upstream = Upstream(requesting: .unlimited)
    return connect.map { ($0, connection) }
  }

  /// Removes a subscriber.
  ///
  /// - Returns: The effect on upstream, and values to release outside of the lock.
  fileprivate mutating func remove(_ number: Int) -> (effect: Effect, released: Any?) {
    let removed = members.remove(number)
    guard removed != nil, members.isEmpty else { return (.none, removed) }
    // From now on, signals of this connection are ignored.
    connection += 1
    let released = (removed, replay)
    replay = Queue()
    return (upstream.cancel(), released)
  }
}

/// The state machine of one subscriber: the values that it has not received.
private struct SharedMachine<Output, Failure: Error>: OperatorMachine {
  var values = Queue<Output>()
  var completion: Subscribers.Completion<Failure>?
  /// The id of the subscriber; nil until it has been added.
  var number: Int?
  private let leave: (_ number: Int?) -> Void

  init(leave: @escaping (_ number: Int?) -> Void) {
    self.leave = leave
  }

  mutating func request(_ demand: Subscribers.Demand) -> Effect { .none }

  mutating func next(hasDemand: Bool) -> Signal<Output, Failure> {
    if hasDemand, let value = values.popFirst() { return .value(value) }
    guard let completion, values.isEmpty else { return .nothing }
    return .completion(completion)
  }

  func cancel() { leave(number) }
}
