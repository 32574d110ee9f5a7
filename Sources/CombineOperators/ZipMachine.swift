// The state machine of zip, for any number of publishers of any types.

import CombineShim

/// The unused values of one publisher, regardless of their type.
protocol ZipInput: AnyObject {
  var isEmpty: Bool { get }
  func removeAll()
}

/// The unused values of one publisher.
///
/// This is a class so that values of different types can be stored; used only under the lock of the
/// zip.
final class ZipValues<Value>: ZipInput {
  private var values = Queue<Value>()

  var isEmpty: Bool { values.isEmpty }

  func append(_ value: Value) { values.append(value) }

  func removeFirst() -> Value {
    guard let value = values.popFirst() else {
      preconditionFailure("BUG: a zip takes a value that is missing")
    }
    return value
  }

  func removeAll() { values.removeAll() }
}

/// Collects values by position and publishes an output when no position is empty.
struct ZipMachine<Output, Failure: Error>: OperatorMachine {
  private var upstreams: [Upstream]
  private let inputs: [any ZipInput]
  /// The number of inputs without a value.
  private var missing: Int
  private var completion: Subscribers.Completion<Failure>?
  /// Removes the first value of each input.
  private let removeFirst: () -> Output

  /// Creates the state of a zip.
  ///
  /// - Parameters:
  ///   - inputs: The queues of unused values, one for each publisher.
  ///   - removeFirst: Removes the first value of each input; called only when each has one.
  init(_ inputs: [any ZipInput], removeFirst: @escaping () -> Output) {
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

  mutating func request(_ demand: Subscribers.Demand) -> Effect {
    .all(upstreams.indices.map { upstreams[$0].request(demand) })
  }

  mutating func next(hasDemand: Bool) -> Signal<Output, Failure> {
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

  func cancel() {
    for var upstream in upstreams { upstream.cancel().perform() }
    for input in inputs { input.removeAll() }
  }
}

extension Publisher {
  /// Subscribes a zip to this publisher, as one of its upstreams.
  func zip<Output>(
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
