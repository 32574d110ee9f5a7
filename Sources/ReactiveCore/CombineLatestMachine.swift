// The state machine of combineLatest, for any number of publishers of any types.

/// The latest value of one publisher.
///
/// This is a class so that values of different types can be stored; used only under the lock of the
/// operator.
package final class LatestValue<Value> {
  /// The value, if there is one.
  package var value: Value?

  /// Creates a place for a value.
  package init() {}

  /// The value; must exist.
  package func get() -> Value {
    guard let value else { preconditionFailure("BUG: a latest value is taken before the first") }
    return value
  }
}

/// Publishes the latest value of each publisher whenever one of them changes.
package struct CombineLatestMachine<Output, Failure: Error>: OperatorMachine {
  private var upstreams: [Upstream]
  /// The number of publishers without a value.
  private var missing: Int
  /// The number of publishers that have not finished.
  private var running: Int
  /// The demand, minus the outputs that were delivered or are in `outputs`.
  private var demand = Subscribers.Demand.none
  /// Outputs for which there was demand, to be delivered.
  private var outputs = Queue<Output>()
  /// Whether a value changed while there was no demand.
  private var hasChanged = false
  private var completion: Subscribers.Completion<Failure>?
  /// Combines the latest values.
  private let combine: () -> Output
  /// Releases the latest values.
  private let release: () -> Void

  /// Creates the state.
  ///
  /// - Parameters:
  ///   - count: The number of publishers.
  ///   - combine: Combines the latest values; called only when each publisher has one.
  ///   - release: Releases the latest values; called at the end.
  package init(count: Int, combine: @escaping () -> Output, release: @escaping () -> Void) {
    upstreams = Array(repeating: Upstream(), count: count)
    missing = count
    running = count
    self.combine = combine
    self.release = release
  }

  mutating func receive(_ subscription: any Subscription, at position: Int) -> Effect {
    upstreams[position].receive(subscription)
  }

  mutating func receive<Value>(_ value: Value, as latest: LatestValue<Value>) -> Effect {
    let old = latest.value
    latest.value = value
    if old == nil { missing -= 1 }
    if missing == 0 { hasChanged = true }
    combineIfRequested()
    return old.map { .release($0) } ?? .none
  }

  mutating func receive(
    _ completion: Subscribers.Completion<Failure>, at position: Int
  ) -> Effect {
    running -= 1
    // Combine waits for all publishers, even if one has finished without a value.
    if case .failure = completion { self.completion = completion }
    return upstreams[position].end()
  }

  /// Passes demand on to every publisher.
  package mutating func request(_ more: Subscribers.Demand) -> Effect {
    demand += more
    combineIfRequested()
    return .all(upstreams.indices.map { upstreams[$0].request(more) })
  }

  private mutating func combineIfRequested() {
    guard hasChanged, demand > .none else { return }
    hasChanged = false
    demand -= 1
    outputs.append(combine())
  }

  /// Whether a publisher has failed.
  package var onlyEnds: Bool { completion != nil }

  /// Removes the next output.
  package mutating func next(hasDemand: Bool) -> Signal<Output, Failure> {
    if let completion { return .completion(completion) }
    if let output = outputs.popFirst() { return .value(output) }
    return running == 0 && !hasChanged ? .completion(.finished) : .nothing
  }

  /// Cancels all publishers.
  package func cancel() {
    for var upstream in upstreams { upstream.cancel().perform() }
    release()
  }
}

extension Publisher {
  /// Subscribes a combination to this publisher, as one of its upstreams.
  package func combine<Output>(
    into combination: OperatorSubscription<CombineLatestMachine<Output, Failure>>,
    as latest: LatestValue<Self.Output>, at position: Int
  ) {
    // If the combination has already ended, do not subscribe to the remaining publishers.
    guard combination.isActive else { return }
    subscribe(
      Inlet(
        onSubscription: { combination.receive($0) { $0.receive($1, at: position) } },
        onValue: { value in combination.update { $0.receive(value, as: latest) } },
        onCompletion: { completion in
          combination.update { $0.receive(completion, at: position) }
        }))
  }
}
