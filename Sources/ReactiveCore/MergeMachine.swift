// The state machine of merge and flatMap.

/// Queues the values of several publishers in order of arrival.
///
/// The publishers are given, or are created from the values of an outer one. While the demand is
/// limited, each gets a request for one value more than it has contributed.
package struct MergeMachine<Output, Failure: Error>: OperatorMachine {
  /// The publisher from whose values the others are created; has ended if they are given.
  package var outer: Upstream
  /// The publishers that have not finished.
  private var inners: [Int: Upstream] = [:]
  /// The number of created publishers.
  private var number = 0
  /// Whether an inner publisher that has finished makes room for another one.
  private let isLimited: Bool
  private var values = Queue<Output>()
  /// The publisher of each value.
  private var numbers = Queue<Int>()
  /// The initial request to each publisher; none before the first demand.
  private var requested = Subscribers.Demand.none
  private var failure: Failure?
  private var hasFailed = false

  /// Creates the machine of a number of given publishers, which have the numbers from 0.
  package init(count: Int) {
    outer = Upstream()
    _ = outer.end()
    isLimited = false
    for _ in 0..<count { _ = begin() }
  }

  /// Creates the machine of publishers that are created from the values of another one.
  ///
  /// - Parameter limit: The maximum number of publishers at a time.
  package init(limit: Subscribers.Demand) {
    outer = Upstream(requesting: limit)
    isLimited = limit != .unlimited
  }

  /// Reserves the place of a publisher.
  ///
  /// - Returns: Its number.
  package mutating func begin() -> Int {
    defer { number += 1 }
    inners[number] = Upstream(requesting: requested)
    return number
  }

  /// Takes the subscription to a publisher.
  package mutating func receive(_ subscription: any Subscription, from number: Int) -> Effect {
    inners[number]?.receive(subscription) ?? .cancel(subscription)
  }

  /// Takes a value of a publisher.
  package mutating func receive(_ value: Output, from number: Int) -> Effect {
    guard inners[number] != nil else { return .none }
    values.append(value)
    numbers.append(number)
    return .none
  }

  /// Whether a publisher has failed.
  package var onlyEnds: Bool { hasFailed }

  /// Whether a value may pass without the queue, and the effect after it.
  package mutating func passes(from number: Int) -> Effect? {
    guard values.isEmpty, !hasFailed else { return nil }
    if requested == .unlimited { return Effect.none }
    return inners[number]?.request(.max(1))
  }

  /// Takes the completion of a publisher.
  package mutating func receive(
    _ completion: Subscribers.Completion<Failure>, from number: Int
  ) -> Effect {
    guard var inner = inners.removeValue(forKey: number) else { return .none }
    if case .failure(let error) = completion { fail(error) }
    guard isLimited else { return inner.end() }
    return .all([inner.end(), outer.request(.max(1))])
  }

  /// Takes the completion of the outer publisher.
  package mutating func receive(outer completion: Subscribers.Completion<Failure>) -> Effect {
    if case .failure(let error) = completion { fail(error) }
    return outer.end()
  }

  private mutating func fail(_ error: Failure) {
    guard !hasFailed else { return }
    failure = error
    hasFailed = true
  }

  /// Whether there is a value or the end.
  package mutating func hasSignal() -> Bool {
    !values.isEmpty || hasFailed || outer.isEnded && inners.isEmpty
  }

  /// Requests a first value, or all values, of each publisher.
  package mutating func request(_ demand: Subscribers.Demand) -> Effect {
    guard requested != .unlimited, requested == .none || demand == .unlimited else { return .none }
    requested = demand == .unlimited ? .unlimited : .max(1)
    return .all(
      inners.keys.sorted().compactMap { number in inners[number]?.request(requested) })
  }

  /// Removes the next value.
  package mutating func next(hasDemand: Bool) -> Signal<Output, Failure> {
    if let failure { return .completion(.failure(failure)) }
    if hasDemand, let value = values.popFirst(), let number = numbers.popFirst() {
      guard requested != .unlimited else { return .value(value) }
      return .value(value, then: inners[number]?.request(.max(1)) ?? .none)
    }
    guard outer.isEnded, inners.isEmpty, values.isEmpty else { return .nothing }
    return .completion(.finished)
  }

  /// Cancels all publishers.
  package func cancel() {
    var outer = outer
    outer.cancel().perform()
    for number in inners.keys.sorted() {
      guard var inner = inners[number] else { continue }
      inner.cancel().perform()
    }
  }
}

extension Publisher {
  /// Subscribes a merge to this publisher, as one of its upstreams.
  package func merge(
    into merge: OperatorSubscription<MergeMachine<Output, Failure>>, at number: Int
  ) {
    // If the merge has already ended, do not subscribe to the remaining publishers.
    guard merge.isActive else { return }
    subscribe(
      Inlet(
        onSubscription: { merge.receive($0) { $0.receive($1, from: number) } },
        onValue: { value in
          merge.pass(value) {
            $0.passes(from: number)
          } else: {
            $0.receive(value, from: number)
          }
        },
        onCompletion: { completion in merge.update { $0.receive(completion, from: number) } }))
  }
}
