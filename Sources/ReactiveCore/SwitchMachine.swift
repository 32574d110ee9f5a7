// The state machine of operators that run one of several created publishers.

/// Runs at most one of the publishers that are created from values: the first one, until it has
/// finished, or the newest.
package struct SwitchMachine<Output, Failure: Error>: OperatorMachine {
  /// Which publisher runs.
  package enum Choice: Sendable {
    /// While one is running, values create no other.
    case first
    /// A new one cancels the one before.
    case latest
  }

  /// The publisher from whose values the others are created.
  package var outer = Upstream(requesting: .unlimited)
  private let choice: Choice
  /// The running publisher; nil if there is none.
  private var inner: Upstream?
  /// The number of created publishers, by which signals of an earlier one are recognized.
  private var number = 0
  private var values = Queue<Output>()
  /// The demand that no publisher has met yet.
  private var open = Subscribers.Demand.none
  private var failure: Failure?
  private var hasFailed = false

  /// Creates a machine.
  package init(_ choice: Choice) { self.choice = choice }

  /// Makes room for a new publisher.
  ///
  /// - Returns: Its number, and the cancel of the publisher before; nil if that one goes on.
  package mutating func begin() -> (number: Int, effect: Effect)? {
    guard !hasFailed, inner == nil || choice == .latest else { return nil }
    number += 1
    var effects: [Effect] = []
    if choice == .latest {
      if var old = inner { effects.append(old.cancel()) }
      while let value = values.popFirst() {
        // What was not delivered was not requested by then, or its demand is open again.
        open += 1
        effects.append(.release(value))
      }
    }
    inner = Upstream(requesting: open)
    return (number, .all(effects))
  }

  /// Passes demand on to the running publisher, or to the next one.
  package mutating func request(_ demand: Subscribers.Demand) -> Effect {
    open += demand
    return inner?.request(demand) ?? .none
  }

  /// Takes the completion of the outer publisher.
  package mutating func receive(outer completion: Subscribers.Completion<Failure>) -> Effect {
    if case .failure(let error) = completion { fail(error) }
    return outer.end()
  }

  /// Takes the subscription to a created publisher.
  package mutating func receive(_ subscription: any Subscription, from number: Int) -> Effect {
    guard self.number == number else { return .cancel(subscription) }
    return inner?.receive(subscription) ?? .cancel(subscription)
  }

  /// Takes a value of a created publisher.
  package mutating func receive(_ value: Output, from number: Int) -> Effect {
    guard self.number == number, inner != nil else { return .none }
    if open > .none { open -= 1 }
    values.append(value)
    return .none
  }

  /// Whether a value may pass without the queue, and the effect after it.
  package mutating func passes(from number: Int) -> Effect? {
    guard self.number == number, inner != nil, values.isEmpty, !hasFailed else { return nil }
    open -= 1
    return Effect.none
  }

  /// Takes the completion of a created publisher.
  package mutating func receive(
    _ completion: Subscribers.Completion<Failure>, from number: Int
  ) -> Effect {
    guard self.number == number, inner != nil else { return .none }
    if case .failure(let error) = completion { fail(error) }
    defer { inner = nil }
    return inner?.end() ?? .none
  }

  private mutating func fail(_ error: Failure) {
    guard !hasFailed else { return }
    failure = error
    hasFailed = true
  }

  /// Whether there is a value or the end.
  package mutating func hasSignal() -> Bool {
    !values.isEmpty || hasFailed || outer.isEnded && inner == nil
  }

  /// Removes the next value.
  package mutating func next(hasDemand: Bool) -> Signal<Output, Failure> {
    if let failure { return .completion(.failure(failure)) }
    if hasDemand, let value = values.popFirst() { return .value(value) }
    return outer.isEnded && inner == nil && values.isEmpty ? .completion(.finished) : .nothing
  }

  /// Cancels the publishers.
  package func cancel() {
    var (outer, inner) = (outer, inner)
    outer.cancel().perform()
    inner?.cancel().perform()
  }
}

extension Publisher {
  /// Subscribes a downstream to the first or the latest of the publishers created from values.
  package func runOne<Inner: Publisher>(
    _ choice: SwitchMachine<Inner.Output, Failure>.Choice,
    for downstream: any Subscriber<Inner.Output, Failure>,
    _ transform: @escaping (Output) -> Inner
  ) where Inner.Failure == Failure {
    let operation = OperatorSubscription(
      SwitchMachine<Inner.Output, Failure>(choice), for: downstream)
    subscribe(
      Inlet(
        onSubscription: { outer in operation.open(with: outer) { $0.outer.receive($1) } },
        onValue: { value in
          // The one before is cancelled first, so that at most one runs.
          guard let (number, effect) = operation.change({ $0.begin() }) ?? nil else { return }
          effect.perform()
          transform(value).subscribe(
            Inlet(
              onSubscription: { operation.receive($0) { $0.receive($1, from: number) } },
              onValue: { value in
                operation.pass(value) {
                  $0.passes(from: number)
                } else: {
                  $0.receive(value, from: number)
                }
              },
              onCompletion: { end in operation.update { $0.receive(end, from: number) } }))
        },
        onCompletion: { completion in operation.update { $0.receive(outer: completion) } }))
    operation.open()
  }
}
