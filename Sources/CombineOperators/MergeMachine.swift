// The state machine of a merge of any number of publishers.

public import CombineShim

extension Collection where Element: Publisher {
  /// Merges the values of all publishers of the collection as they arrive.
  ///
  /// The contract is that of `Publishers.MergeMany`.
  ///
  /// - Returns: The publisher of all values.
  public func merge() -> Publishers.MergeMany<Element> {
    Publishers.MergeMany(self)
  }
}

/// Queues the values of all publishers in order of arrival.
struct MergeMachine<Output, Failure: Error>: OperatorMachine {
  private var upstreams: [Upstream]
  private var values = Queue<(value: Output, position: Int)>()
  /// The number of publishers that have not finished.
  private var running: Int
  /// The initial request to each publisher; none before the first demand.
  private var requested = Subscribers.Demand.none
  private var failure: Failure?

  /// Creates the state.
  init(count: Int) {
    upstreams = Array(repeating: Upstream(), count: count)
    running = count
  }

  mutating func receive(_ subscription: any Subscription, at position: Int) -> Effect {
    upstreams[position].receive(subscription)
  }

  mutating func receive(_ value: Output, at position: Int) -> Effect {
    if !upstreams[position].isEnded { values.append((value, position)) }
    return .none
  }

  mutating func receive(
    _ completion: Subscribers.Completion<Failure>, at position: Int
  ) -> Effect {
    guard !upstreams[position].isEnded else { return .none }
    running -= 1
    if case .failure(let error) = completion { failure = failure ?? error }
    return upstreams[position].end()
  }

  mutating func request(_ demand: Subscribers.Demand) -> Effect {
    guard requested != .unlimited, requested == .none || demand == .unlimited else { return .none }
    requested = demand == .unlimited ? .unlimited : .max(1)
    return .all(upstreams.indices.map { upstreams[$0].request(requested) })
  }

  mutating func next(hasDemand: Bool) -> Signal<Output, Failure> {
    if let failure { return .completion(.failure(failure)) }
    if hasDemand, let next = values.popFirst() {
      let more = requested == .unlimited ? Subscribers.Demand.none : .max(1)
      return .value(next.value, then: upstreams[next.position].request(more))
    }
    return running == 0 && values.isEmpty ? .completion(.finished) : .nothing
  }

  func cancel() {
    for var upstream in upstreams { upstream.cancel().perform() }
  }
}

extension Publisher {
  /// Subscribes a merge to this publisher, as one of its upstreams.
  func merge(
    into merge: OperatorSubscription<MergeMachine<Output, Failure>>, at position: Int
  ) {
    // If the merge has already ended, do not subscribe to the remaining publishers.
    guard merge.isActive else { return }
    subscribe(
      Inlet(
        onSubscription: { merge.receive($0) { $0.receive($1, at: position) } },
        onValue: { value in merge.update { $0.receive(value, at: position) } },
        onCompletion: { completion in merge.update { $0.receive(completion, at: position) } }))
  }
}
