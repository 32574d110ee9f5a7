// Operators that wait for a value of another publisher.

#if !canImport(Combine)

extension Publishers {
  /// Publishes values until another publisher publishes one.
  public struct PrefixUntilOutput<Upstream: Publisher, Other: Publisher>: Publisher {
    /// A value of upstream.
    public typealias Output = Upstream.Output
    /// The failure of upstream.
    public typealias Failure = Upstream.Failure

    /// The publisher whose values are published.
    public let upstream: Upstream
    /// The publisher whose first value ends it.
    public let other: Other

    /// Attaches a subscriber; called by `subscribe(_:)`.
    public func receive<S: Subscriber>(subscriber: S)
    where S.Input == Output, S.Failure == Failure {
      upstream.operate(for: subscriber, UntilMachine(upstream: Output.self, isOpen: true)) {
        other.signal($0)
      }
    }
  }

  /// Skips values until another publisher publishes one.
  public struct DropUntilOutput<Upstream: Publisher, Other: Publisher>: Publisher
  where Upstream.Failure == Other.Failure {
    /// A value of upstream.
    public typealias Output = Upstream.Output
    /// The failure of the publishers.
    public typealias Failure = Upstream.Failure

    /// The publisher whose values are published.
    public let upstream: Upstream
    /// The publisher whose first value starts it.
    public let other: Other

    /// Attaches a subscriber; called by `subscribe(_:)`.
    public func receive<S: Subscriber>(subscriber: S)
    where S.Input == Output, S.Failure == Failure {
      upstream.operate(for: subscriber, UntilMachine(upstream: Output.self, isOpen: false)) {
        other.signal($0)
      }
    }
  }
}

extension Publishers.PrefixUntilOutput: Sendable where Upstream: Sendable, Other: Sendable {}
extension Publishers.DropUntilOutput: Sendable where Upstream: Sendable, Other: Sendable {}

/// The state machine of values that another publisher ends, or lets through.
private struct UntilMachine<Output, Failure: Error>: InletMachine {
  typealias Input = Output
  typealias InputFailure = Failure

  var upstream = Upstream()
  var other = Upstream(requesting: .max(1))
  /// Whether values are let through.
  private var isOpen: Bool
  /// Whether the value of the other publisher ends it.
  private let isPrefix: Bool
  private var values = Queue<Output>()
  private var end: Subscribers.Completion<Failure>?

  init(upstream: Output.Type, isOpen: Bool) {
    self.isOpen = isOpen
    isPrefix = isOpen
  }

  mutating func request(_ demand: Subscribers.Demand) -> Effect { upstream.request(demand) }

  mutating func receive(_ value: Output) -> Effect {
    guard end == nil else { return .none }
    guard isOpen else { return upstream.request(.max(1)) }
    values.append(value)
    return .none
  }

  mutating func receive(_ completion: Subscribers.Completion<Failure>) -> Effect {
    end = end ?? completion
    return .all([upstream.end(), other.cancel()])
  }

  /// Takes the value of the other publisher.
  mutating func signal() -> Effect {
    guard end == nil, isPrefix || !isOpen else { return .none }
    isOpen = true
    guard isPrefix else { return other.cancel() }
    end = .finished
    return .all([upstream.cancel(), other.cancel()])
  }

  /// Takes the completion of the other publisher.
  mutating func receive(other completion: Subscribers.Completion<Failure>) -> Effect {
    let ended = other.end()
    // Without its value, nothing is ever let through.
    guard !isOpen, end == nil else { return ended }
    end = completion
    return .all([ended, upstream.cancel()])
  }

  mutating func next(hasDemand: Bool) -> Signal<Output, Failure> {
    if hasDemand, let value = values.popFirst() { return .value(value) }
    guard let end, values.isEmpty else { return .nothing }
    return .completion(end)
  }

  func cancel() {
    var (upstream, other) = (upstream, other)
    upstream.cancel().perform()
    other.cancel().perform()
  }
}

extension Publisher {
  /// Connects this publisher as the one whose value is awaited.
  fileprivate func signal<Value, End>(_ operation: OperatorSubscription<UntilMachine<Value, End>>) {
    subscribe(
      Inlet(
        onSubscription: { operation.receive($0) { $0.other.receive($1) } },
        onValue: { _ in operation.update { $0.signal() } },
        onCompletion: { completion in
          var end = Subscribers.Completion<End>.finished
          // The failure of another type only concerns a prefix, which goes on.
          if case .failure(let error as End) = completion { end = .failure(error) }
          operation.update { $0.receive(other: end) }
        }))
  }

  /// Publishes values until another publisher publishes one.
  public func prefix<P: Publisher>(
    untilOutputFrom publisher: P
  ) -> Publishers.PrefixUntilOutput<Self, P> {
    Publishers.PrefixUntilOutput(upstream: self, other: publisher)
  }

  /// Skips values until another publisher publishes one.
  public func drop<P: Publisher>(
    untilOutputFrom publisher: P
  ) -> Publishers.DropUntilOutput<Self, P> where P.Failure == Failure {
    Publishers.DropUntilOutput(upstream: self, other: publisher)
  }
}

#endif
