// One subscriber of a shared publisher. Knows nothing of the others.

public import CombineShim
public import Synchronization

/// One subscriber with its demand and what it has not asked for yet.
///
/// Its type does not name the subscriber, so that the publisher can call it without a detour.
@usableFromInline
final class SharedSubscription<Output, Failure: Error>: DirectSubscription, @unchecked Sendable {
  // @unchecked: inherited; `position` is only read and written under the lock of the publisher.
  @usableFromInline typealias Downstream = Receiver<Output, Failure>

  // @unchecked: the subscriber and the values are handed to one thread at a time, guarded by
  // `isDelivering`.
  @usableFromInline
  struct State: @unchecked Sendable {
    /// The subscriber; nil when it has left or was told of the end.
    @usableFromInline var downstream: Downstream?
    @usableFromInline var demand = Subscribers.Demand.none
    @usableFromInline var values = Queue<Output>()
    @usableFromInline var completion: Subscribers.Completion<Failure>?
    @usableFromInline var isDelivering = false
    @usableFromInline var hasLeft = false

    @inlinable
    init(downstream: Downstream) {
      self.downstream = downstream
    }
  }

  @usableFromInline
  enum Action {
    case deliver(Downstream, Output)
    case complete(Downstream, Subscribers.Completion<Failure>, hasLeft: Bool)
    /// Nothing can be delivered; whether because the subscriber has cancelled.
    case nothing(hasLeft: Bool)
  }

  /// Where it stands among the subscribers; nil when it is not among them.
  @usableFromInline var position: Int?
  @usableFromInline let shared: SharedPublisher<Output, Failure>
  @usableFromInline let state: Mutex<State>

  @inlinable
  init(downstream: Downstream, shared: SharedPublisher<Output, Failure>) {
    self.shared = shared
    state = Mutex(State(downstream: downstream))
    super.init { subscription, signal in
      let shared = unsafeDowncast(subscription, to: SharedSubscription.self)
      switch signal {
      case .request(let demand): shared.takeDemand(demand)
      case .cancel: shared.takeCancel()
      }
    }
  }

  // MARK: From the subscriber

  @inlinable
  func takeDemand(_ demand: Subscribers.Demand) {
    _ = deliver(
      state.withLock { state in
        state.demand += demand
        return Carried(state.begin())
      }.value)
  }

  @inlinable
  func takeCancel() {
    let dropped = state.withLock { state in
      defer {
        if state.downstream != nil { state.hasLeft = true }
        state.downstream = nil
        state.values.removeAll()
      }
      return Carried((state.downstream, state.values))
    }
    if dropped.value.0 != nil { shared.leave(self) }
  }

  // MARK: From the publisher

  /// Adds what comes next, to be delivered later.
  @inlinable
  func prepare(_ values: Queue<Output>, _ completion: Subscribers.Completion<Failure>?) {
    let carried = Carried(values)
    state.withLock { state in
      guard state.downstream != nil else { return }
      var values = carried.value
      while let value = values.popFirst() { state.values.append(value) }
      state.completion = completion
    }
  }

  /// Adds a value, to be delivered later.
  @inlinable
  func append(_ value: Carried<Output>) {
    state.withLock { state in
      if state.downstream != nil { state.values.append(value.value) }
    }
  }

  /// Delivers as far as the demand goes.
  ///
  /// - Returns: Whether the subscriber has cancelled.
  @inlinable @discardableResult
  func deliver() -> Bool {
    deliver(state.withLock { Carried($0.begin()) }.value)
  }

  /// Delivers what can be delivered, beginning with what was taken under the lock.
  @inlinable
  func deliver(_ first: Action) -> Bool {
    var action = first
    while true {
      switch action {
      case .deliver(let downstream, let value):
        let more = downstream.receive(value)
        action =
          state.withLock { state in
            state.demand += more
            return Carried(state.next())
          }.value
      case .complete(let downstream, let completion, let hasLeft):
        downstream.receive(completion)
        return hasLeft
      case .nothing(let hasLeft):
        return hasLeft
      }
    }
  }
}

extension SharedSubscription.State {
  /// Takes what is to be done, unless another thread is at it: of several, one delivers for all.
  @inlinable
  mutating func begin() -> SharedSubscription.Action {
    guard !isDelivering else { return .nothing(hasLeft: hasLeft) }
    isDelivering = true
    return next()
  }

  /// Takes what is to be done next; for whoever delivers.
  @inlinable
  mutating func next() -> SharedSubscription.Action {
    if let downstream, demand > .none, let value = values.popFirst() {
      demand -= 1
      return .deliver(downstream, value)
    }
    isDelivering = false
    if let downstream, values.isEmpty, let completion {
      self.downstream = nil
      return .complete(downstream, completion, hasLeft: hasLeft)
    }
    return .nothing(hasLeft: hasLeft)
  }
}
