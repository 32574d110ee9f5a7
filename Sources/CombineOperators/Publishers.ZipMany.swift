// The zip of any number of publishers. Knows nothing of where their values come from.
// All of it can be inlined: what is compiled for the types of a caller costs a tenth.

public import CombineShim
public import Synchronization

extension Collection where Element: Publisher {
  /// Combines the values of all publishers of the collection, position by position.
  ///
  /// Like `zip` of two, three or four, for any number: the n-th output holds the n-th value of each.
  /// Unlike OpenCombine's `Zip`, it may be used on `Future`s, and no lock is held while it delivers.
  ///
  /// - Values: of an empty collection, one empty array, then the end.
  /// - Demand: what is asked of it, it asks of each publisher; what came early is buffered.
  /// - Completion: when a publisher has finished and all of its values have been used. A failure of
  ///   any publisher comes through at once. Either way the others are cancelled.
  /// - Cancellation: cancels all publishers; nothing is delivered after it.
  /// - Threads: publishers may deliver on different threads at once; outputs are delivered one after
  ///   the other, each on the thread of the value that completed it.
  /// - Complexity: constant for a value, linear in the number of publishers for an output.
  ///
  /// - Returns: The publisher of the combined values.
  @inlinable
  public func zip() -> Publishers.ZipMany<Element> {
    Publishers.ZipMany(upstreams: Array(self))
  }
}

extension Publishers {
  /// A publisher that combines the values of any number of publishers, position by position.
  ///
  /// See `Collection.zip()` for its contract.
  public struct ZipMany<Upstream: Publisher>: Publisher {
    /// One value of each publisher, in the order of the publishers.
    public typealias Output = [Upstream.Output]
    /// The failure of the publishers.
    public typealias Failure = Upstream.Failure

    /// The publishers whose values are combined.
    public let upstreams: [Upstream]
    /// Subscribes to all of them; made where their type is known.
    @usableFromInline let connect: ([Upstream], Receiver<Output, Failure>) -> Void

    /// Makes a zip.
    ///
    /// - Parameter upstreams: The publishers whose values are combined.
    @inlinable
    public init(upstreams: [Upstream]) {
      self.upstreams = upstreams
      connect = { upstreams, downstream in
        let junction = ZipJunction(downstream: downstream, count: upstreams.count)
        downstream.receive(junction)
        for position in upstreams.indices {
          // Not `subscribe`, through which no compiler sees which types meet.
          upstreams[position].receive(subscriber: DirectInput(junction, number: position))
        }
      }
    }

    /// Subscribes to every publisher; called by `subscribe(_:)`.
    ///
    /// - Parameter subscriber: Who gets the outputs.
    @inlinable
    public func receive<Downstream: Subscriber & SendableMetatype>(subscriber: Downstream)
    where Downstream.Input == Output, Downstream.Failure == Failure {
      connect(upstreams, SubscriberReceiver(subscriber))
    }
  }
}

/// The subscription of a zip: where the values of all publishers meet.
@usableFromInline
final class ZipJunction<Input, Failure: Error>: DirectSubscription, InputOwner,
  @unchecked Sendable
{
  // @unchecked: inherited; what is added is behind the mutex.
  /// What is known of one publisher.
  @usableFromInline
  struct Slot {
    @usableFromInline var subscription: (any Subscription)?
    /// The values that came and were not used yet.
    @usableFromInline var values = Queue<Input>()
    @usableFromInline var isFinished = false

    @inlinable
    init() {}
  }

  @usableFromInline typealias Downstream = Receiver<[Input], Failure>

  // @unchecked: neither subscriptions nor subscribers nor values need be Sendable. Subscriptions are
  // used from any thread, as their protocol allows; the subscriber and the values are handed to one
  // thread at a time, guarded by `isDelivering`.
  @usableFromInline
  struct State: @unchecked Sendable {
    @usableFromInline var downstream: Downstream?
    @usableFromInline var slots: [Slot]
    /// How many slots have no value.
    @usableFromInline var missing: Int
    /// Whether a slot without values has finished, so that no output can come any more.
    @usableFromInline var isExhausted = false
    @usableFromInline var failure: Failure?
    /// What has been asked of every publisher so far.
    @usableFromInline var asked = Subscribers.Demand.none
    @usableFromInline var demand = Subscribers.Demand.none
    @usableFromInline var isDelivering = false

    @inlinable
    init(downstream: Downstream, count: Int) {
      self.downstream = downstream
      slots = Array(repeating: Slot(), count: count)
      missing = count
    }
  }

  /// What is to be done after the lock has been given back.
  @usableFromInline
  enum Action {
    case deliver(Downstream, [Input])
    case complete(Downstream, Subscribers.Completion<Failure>, [Slot])
    case nothing
  }

  @usableFromInline let state: Mutex<State>

  @inlinable
  init(downstream: Downstream, count: Int) {
    state = Mutex(State(downstream: downstream, count: count))
    super.init { subscription, signal in
      let junction = unsafeDowncast(subscription, to: ZipJunction.self)
      switch signal {
      case .request(let demand): junction.takeDemand(demand)
      case .cancel: junction.takeCancel()
      }
    }
  }

  // MARK: From downstream

  @inlinable
  func takeDemand(_ demand: Subscribers.Demand) {
    ask(demand)
    deliver(state.withLock { Carried($0.begin()) }.value)
  }

  @inlinable
  func takeCancel() {
    let dropped = state.withLock { state in
      let dropped = (state.downstream, state.slots)
      state.downstream = nil
      state.slots = []
      return Carried(dropped)
    }
    for slot in dropped.value.1 { slot.subscription?.cancel() }
  }

  @inlinable
  func ask(_ demand: Subscribers.Demand) {
    guard demand > .none else { return }
    let subscriptions = state.withLock { state in
      state.demand += demand
      state.asked += demand
      return Carried(state.slots.compactMap(\.subscription))
    }
    for subscription in subscriptions.value { subscription.request(demand) }
  }

  // MARK: From the publishers

  @inlinable
  func receive(subscription: any Subscription, from position: Int) {
    let carried = Carried(subscription)
    let asked = state.withLock { state -> Subscribers.Demand? in
      guard state.downstream != nil else { return nil }
      state.slots[position].subscription = carried.value
      return state.asked
    }
    guard let asked else { return subscription.cancel() }
    if asked > .none { subscription.request(asked) }
  }

  @inlinable
  func receive(_ value: Input, from position: Int) {
    let carried = Carried(value)
    let action = state.withLock { state -> Carried<Action> in
      guard state.downstream != nil else { return Carried(.nothing) }
      if state.slots[position].values.isEmpty { state.missing -= 1 }
      state.slots[position].values.append(carried.value)
      return Carried(state.begin())
    }
    deliver(action.value)
  }

  @inlinable
  func receive(completion: Subscribers.Completion<Failure>, from position: Int) {
    let action = state.withLock { state -> Carried<Action> in
      guard state.downstream != nil else { return Carried(.nothing) }
      state.slots[position].subscription = nil
      switch completion {
      case .finished:
        state.slots[position].isFinished = true
        if state.slots[position].values.isEmpty { state.isExhausted = true }
      case .failure(let error):
        state.failure = error
      }
      return Carried(state.begin())
    }
    deliver(action.value)
  }

  // MARK: To downstream

  /// Delivers what can be delivered, beginning with what was taken under the lock.
  @inlinable
  func deliver(_ first: Action) {
    var action = first
    while true {
      switch action {
      case .deliver(let downstream, let values):
        ask(downstream.receive(values))
        action = state.withLock { Carried($0.next()) }.value
      case .complete(let downstream, let completion, let slots):
        for slot in slots { slot.subscription?.cancel() }
        return downstream.receive(completion)
      case .nothing:
        return
      }
    }
  }
}

extension ZipJunction.State {
  /// Takes what is to be done, unless another thread is at it: of several, one delivers for all.
  @inlinable
  mutating func begin() -> ZipJunction.Action {
    guard !isDelivering else { return .nothing }
    isDelivering = true
    return next()
  }

  /// Takes what is to be done next; for whoever delivers.
  @inlinable
  mutating func next() -> ZipJunction.Action {
    guard let downstream else {
      isDelivering = false
      return .nothing
    }
    if let failure { return complete(downstream, .failure(failure)) }
    if isExhausted { return complete(downstream, .finished) }
    guard missing == 0, demand > .none else {
      isDelivering = false
      return .nothing
    }
    demand -= 1
    var values: [Input] = []
    values.reserveCapacity(slots.count)
    for position in slots.indices {
      guard let value = slots[position].values.popFirst() else {
        preconditionFailure("BUG: no value is missing, but slot \(position) has none")
      }
      values.append(value)
      if slots[position].values.isEmpty {
        missing += 1
        if slots[position].isFinished { isExhausted = true }
      }
    }
    // Of nothing there is one output only.
    if slots.isEmpty { isExhausted = true }
    return .deliver(downstream, values)
  }

  @inlinable
  mutating func complete(
    _ downstream: ZipJunction.Downstream, _ completion: Subscribers.Completion<Failure>
  ) -> ZipJunction.Action {
    // What is let go of goes outside of the lock.
    defer {
      self.downstream = nil
      slots = []
      isDelivering = false
    }
    return .complete(downstream, completion, slots)
  }
}
