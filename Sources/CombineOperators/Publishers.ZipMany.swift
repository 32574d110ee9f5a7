// The zip of any number of publishers. Knows nothing of where their values come from.

public import OpenCombineShim
import Synchronization

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

    /// Makes a zip.
    ///
    /// - Parameter upstreams: The publishers whose values are combined.
    public init(upstreams: [Upstream]) {
      self.upstreams = upstreams
    }

    /// Subscribes to every publisher; called by `subscribe(_:)`.
    ///
    /// - Parameter subscriber: Who gets the outputs.
    public func receive<Downstream: Subscriber & SendableMetatype>(subscriber: Downstream)
    where Downstream.Input == Output, Downstream.Failure == Failure {
      let junction = ZipJunction(downstream: subscriber, count: upstreams.count)
      subscriber.receive(subscription: junction)
      for (position, upstream) in upstreams.enumerated() {
        upstream.subscribe(ZipInput(junction: junction, position: position))
      }
    }
  }
}

/// The subscription of a zip: where the values of all publishers meet.
private final class ZipJunction<Input, Downstream: Subscriber & SendableMetatype>: Subscription,
  Sendable
where Downstream.Input == [Input] {
  /// What is known of one publisher.
  private struct Slot {
    var subscription: (any Subscription)?
    /// The values that came and were not used yet: `first`, then `more`.
    var first: Input?
    var more = Queue<Input>()
    var isFinished = false

    mutating func takeFirst() -> Input? {
      defer { first = more.popFirst() }
      return first
    }
  }

  // @unchecked: neither subscriptions nor subscribers nor values need be Sendable. Subscriptions are
  // used from any thread, as their protocol allows; the subscriber and the values are handed to one
  // thread at a time, guarded by `isDelivering`.
  private struct State: @unchecked Sendable {
    var downstream: Downstream?
    var slots: [Slot]
    /// How many slots have no value.
    var missing: Int
    /// Whether a slot without values has finished, so that no output can come any more.
    var isExhausted: Bool
    var failure: Downstream.Failure?
    /// What has been asked of every publisher so far.
    var asked = Subscribers.Demand.none
    var demand = Subscribers.Demand.none
    var isDelivering = false
  }

  /// What is to be done after the lock has been given back.
  private enum Action {
    case deliver(Downstream, [Input])
    case complete(Downstream, Subscribers.Completion<Downstream.Failure>, [any Subscription])
    case nothing
  }

  private let state: Mutex<State>

  init(downstream: Downstream, count: Int) {
    state = Mutex(
      State(
        downstream: downstream, slots: Array(repeating: Slot(), count: count), missing: count,
        isExhausted: false))
  }

  // MARK: From downstream

  func request(_ demand: Subscribers.Demand) {
    ask(demand)
    deliver()
  }

  func cancel() {
    let dropped = state.withLock { state in
      let dropped = (state.downstream, state.slots)
      state.downstream = nil
      state.slots = []
      return Carried(dropped)
    }
    for slot in dropped.value.1 { slot.subscription?.cancel() }
  }

  private func ask(_ demand: Subscribers.Demand) {
    guard demand > .none else { return }
    let subscriptions = state.withLock { state in
      state.demand += demand
      state.asked += demand
      return Carried(state.slots.compactMap(\.subscription))
    }
    for subscription in subscriptions.value { subscription.request(demand) }
  }

  // MARK: From the publishers

  func receive(_ subscription: any Subscription, at position: Int) {
    let carried = Carried(subscription)
    let asked = state.withLock { state -> Subscribers.Demand? in
      guard state.downstream != nil else { return nil }
      state.slots[position].subscription = carried.value
      return state.asked
    }
    guard let asked else { return subscription.cancel() }
    if asked > .none { subscription.request(asked) }
  }

  func receive(_ value: Input, at position: Int) {
    let carried = Carried(value)
    state.withLock { state in
      guard state.downstream != nil else { return }
      if state.slots[position].first == nil {
        state.slots[position].first = carried.value
        state.missing -= 1
      } else {
        state.slots[position].more.append(carried.value)
      }
    }
    deliver()
  }

  func receive(_ completion: Subscribers.Completion<Downstream.Failure>, at position: Int) {
    state.withLock { state in
      guard state.downstream != nil else { return }
      state.slots[position].subscription = nil
      switch completion {
      case .finished:
        state.slots[position].isFinished = true
        if state.slots[position].first == nil { state.isExhausted = true }
      case .failure(let error):
        state.failure = error
      }
    }
    deliver()
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
      case .deliver(let downstream, let values):
        ask(downstream.receive(values))
      case .complete(let downstream, let completion, let subscriptions):
        for subscription in subscriptions { subscription.cancel() }
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
    if let failure = state.failure {
      return complete(&state, downstream, .failure(failure))
    }
    if state.isExhausted {
      return complete(&state, downstream, .finished)
    }
    if state.missing == 0 && state.demand > .none {
      state.demand -= 1
      var values: [Input] = []
      values.reserveCapacity(state.slots.count)
      for position in state.slots.indices {
        guard let value = state.slots[position].takeFirst() else {
          preconditionFailure("BUG: no value is missing, but slot \(position) has none")
        }
        values.append(value)
        if state.slots[position].first == nil {
          state.missing += 1
          if state.slots[position].isFinished { state.isExhausted = true }
        }
      }
      // Of nothing there is one output only.
      if state.slots.isEmpty { state.isExhausted = true }
      return .deliver(downstream, values)
    }
    state.isDelivering = false
    return .nothing
  }

  private static func complete(
    _ state: inout State, _ downstream: Downstream,
    _ completion: Subscribers.Completion<Downstream.Failure>
  ) -> Action {
    let subscriptions = state.slots.compactMap(\.subscription)
    state.downstream = nil
    state.slots = []
    state.isDelivering = false
    return .complete(downstream, completion, subscriptions)
  }
}

/// What subscribes to one publisher of a zip.
private struct ZipInput<Input, Downstream: Subscriber & SendableMetatype>: Subscriber
where Downstream.Input == [Input] {
  let junction: ZipJunction<Input, Downstream>
  let position: Int
  let combineIdentifier = CombineIdentifier()

  func receive(subscription: any Subscription) {
    junction.receive(subscription, at: position)
  }

  func receive(_ input: Input) -> Subscribers.Demand {
    junction.receive(input, at: position)
    return .none
  }

  func receive(completion: Subscribers.Completion<Downstream.Failure>) {
    junction.receive(completion, at: position)
  }
}
