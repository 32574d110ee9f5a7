// The state machine of zip, for any number of publishers of any types.

/// The unused values of one publisher, regardless of their type.
package protocol ZipInput: AnyObject {
  /// Whether there is no unused value.
  var isEmpty: Bool { get }
  /// Removes the unused values.
  func removeAll()
}

/// The unused values of one publisher.
///
/// This is a class so that values of different types can be stored; used only under the lock of the
/// zip.
package final class ZipValues<Value>: ZipInput {
  /// The first value, which is often the only one.
  private var first: Value?
  /// The values after the first one.
  private var rest = Queue<Value>()
  /// Whether there is no unused value.
  package private(set) var isEmpty = true

  /// Creates an empty queue.
  package init() {}

  func append(_ value: Value) {
    guard isEmpty else { return rest.append(value) }
    first = value
    isEmpty = false
  }

  /// Removes the first value, which must exist.
  package func removeFirst() -> Value {
    guard let value = first else {
      preconditionFailure("BUG: a zip takes a value that is missing")
    }
    first = rest.isEmpty ? nil : rest.popFirst()
    isEmpty = first == nil
    return value
  }

  /// Removes the unused values.
  package func removeAll() {
    first = nil
    rest.removeAll()
    isEmpty = true
  }
}

/// Collects values by position and publishes an output when no position is empty.
package struct ZipMachine<Output, Failure: Error>: OperatorMachine {
  private var upstreams: [Upstream]
  private let inputs: [any ZipInput]
  /// The number of inputs without a value.
  private var missing: Int
  private var completion: Subscribers.Completion<Failure>? {
    didSet { hasEnded = true }
  }
  private var hasEnded = false
  /// Removes the first value of each input.
  private let removeFirst: () -> Output

  /// Creates the state of a zip.
  ///
  /// - Parameters:
  ///   - inputs: The queues of unused values, one for each publisher.
  ///   - removeFirst: Removes the first value of each input; called only when each has one.
  package init(_ inputs: [any ZipInput], removeFirst: @escaping () -> Output) {
    upstreams = Array(repeating: Upstream(), count: inputs.count)
    self.inputs = inputs
    missing = inputs.count
    self.removeFirst = removeFirst
  }

  mutating func receive(_ subscription: any Subscription, at position: Int) -> Effect {
    upstreams[position].receive(subscription)
  }

  mutating func receive<Value>(_ value: Value, in values: ZipValues<Value>) -> Effect {
    if values.isEmpty { missing -= 1 }
    values.append(value)
    return .none
  }

  mutating func receive(
    _ completion: Subscribers.Completion<Failure>, at position: Int
  ) -> Effect {
    switch completion {
    // No further output is possible.
    case .finished where inputs[position].isEmpty: self.completion = self.completion ?? completion
    case .finished: break
    case .failure: self.completion = self.completion ?? completion
    }
    return upstreams[position].end()
  }

  /// Passes demand on to every publisher.
  package mutating func request(_ demand: Subscribers.Demand) -> Effect {
    .all(upstreams.indices.map { upstreams[$0].request(demand) })
  }

  /// Whether a publisher has ended the zip.
  package var onlyEnds: Bool { hasEnded }

  /// Whether there is an output or the end.
  package mutating func hasSignal() -> Bool { missing == 0 || hasEnded }

  /// Removes the next output.
  package mutating func next(hasDemand: Bool) -> Signal<Output, Failure> {
    if let completion { return .completion(completion) }
    guard missing == 0, hasDemand else { return .nothing }
    let output = removeFirst()
    for position in inputs.indices where inputs[position].isEmpty {
      missing += 1
      if upstreams[position].isEnded { completion = .finished }
    }
    // An empty collection has one output.
    if inputs.isEmpty { completion = .finished }
    return .value(output)
  }

  /// Cancels all publishers.
  package func cancel() {
    for var upstream in upstreams { upstream.cancel().perform() }
    for input in inputs { input.removeAll() }
  }
}

extension Publisher {
  /// Subscribes a zip to this publisher, as one of its upstreams.
  package func zip<Output>(
    into zip: OperatorSubscription<ZipMachine<Output, Failure>>, as values: ZipValues<Self.Output>,
    at position: Int
  ) {
    // If the zip has already ended, do not subscribe to the remaining publishers.
    guard zip.isActive else { return }
    subscribe(
      Inlet(
        onSubscription: { zip.receive($0) { $0.receive($1, at: position) } },
        onValue: { value in zip.update { $0.receive(value, in: values) } },
        onCompletion: { completion in zip.update { $0.receive(completion, at: position) } }))
  }
}
