// The elements of a sequence.

#if !canImport(Combine)

extension Publishers {
  /// Publishes the elements of a sequence, as they are requested, and finishes.
  public struct Sequence<Elements: Swift.Sequence, Failure: Error>: Publisher {
    /// An element of the sequence.
    public typealias Output = Elements.Element

    /// The sequence.
    public let sequence: Elements

    /// Creates a publisher of the elements of a sequence.
    public init(sequence: Elements) { self.sequence = sequence }

    /// Attaches a subscriber; called by `subscribe(_:)`.
    public func receive<S: Subscriber>(subscriber: S)
    where S.Input == Output, S.Failure == Failure {
      SequenceSubscription.start(sequence, .finished, for: subscriber)
    }
  }
}

extension Publishers.Sequence: Sendable where Elements: Sendable {}
extension Publishers.Sequence: Equatable where Elements: Equatable {}

extension Sequence {
  /// A publisher of the elements.
  public var publisher: Publishers.Sequence<Self, Never> { Publishers.Sequence(sequence: self) }
}

/// Iterates over a sequence, without a lock, on one thread at a time.
final class SequenceSubscription<Elements: Sequence, Failure: Error>: Subscription, Sendable,
  CustomStringConvertible
{
  /// What the lock guards.
  private final class State {
    /// Nil after the end.
    var downstream: Outlet<Elements.Element, Failure>?
    var demand = Subscribers.Demand.none
    var isDelivering = false

    init(_ downstream: Outlet<Elements.Element, Failure>) { self.downstream = downstream }
  }

  /// The rest of the sequence, which only the delivering thread uses.
  ///
  /// The next element is known, and so the end with the last one.
  private final class Rest {
    var next: Elements.Element
    var iterator: Elements.Iterator

    init(_ next: Elements.Element, _ iterator: Elements.Iterator) {
      self.next = next
      self.iterator = iterator
    }
  }

  private let lock = Lock()
  // See `Lock`: the fields are only used while it is locked.
  private let state: UncheckedSendable<State>
  private let rest: UncheckedSendable<Rest>
  private let completion: Subscribers.Completion<Failure>
  /// Starts to publish a sequence.
  static func start<S: Subscriber>(
    _ sequence: Elements, _ completion: Subscribers.Completion<Failure>, for downstream: S
  ) where S.Input == Elements.Element, S.Failure == Failure {
    var iterator = sequence.makeIterator()
    guard let first = iterator.next() else {
      downstream.receive(subscription: Subscriptions.empty)
      return downstream.receive(completion: completion)
    }
    downstream.receive(
      subscription: SequenceSubscription(
        State(downstream.makeOutlet()), Rest(first, iterator), completion))
  }

  private init(_ state: State, _ rest: Rest, _ completion: Subscribers.Completion<Failure>) {
    self.state = UncheckedSendable(state)
    self.rest = UncheckedSendable(rest)
    self.completion = completion
  }

  /// The name of the publisher, for `print`.
  var description: String { "Sequence" }

  func request(_ demand: Subscribers.Demand) {
    let state = state.value
    lock.lock()
    state.demand += demand
    guard !state.isDelivering, state.demand > .none, let downstream = state.downstream else {
      return lock.unlock()
    }
    state.isDelivering = true
    lock.unlock()
    publish(to: downstream)
  }

  func cancel() {
    lock.lock()
    let downstream = state.value.downstream.take()
    lock.unlock()
    withExtendedLifetime(downstream) {}
  }

  private func publish(to downstream: Outlet<Elements.Element, Failure>) {
    let (state, rest) = (state.value, rest.value)
    var hasDemand = true
    while hasDemand {
      let more = downstream.receive(rest.next)
      guard let next = rest.iterator.next() else { return complete() }
      rest.next = next
      lock.lock()
      state.demand += more
      state.demand -= 1
      hasDemand = state.demand > .none && state.downstream != nil
      state.isDelivering = hasDemand
      lock.unlock()
    }
  }

  private func complete() {
    lock.lock()
    let downstream = state.value.downstream.take()
    lock.unlock()
    downstream?.receive(completion: completion)
  }
}

#endif
