// Operators that keep values until they are requested, or until there are enough.

#if !canImport(Combine)

extension Publishers {
  /// When a buffer requests values.
  public enum PrefetchStrategy: Hashable, Sendable {
    /// As many as fit: a subject loses what it sends while the buffer is full.
    case keepFull
    /// All: what does not fit is dropped, as the buffer's strategy says.
    case byRequest
  }

  /// What a buffer does with a value that arrives when it is full.
  public enum BufferingStrategy<Failure: Error> {
    /// Drops the new value.
    case dropNewest
    /// Drops the oldest value.
    case dropOldest
    /// Fails, after the values in the buffer.
    case customError(@Sendable () -> Failure)
  }

  /// Keeps values until they are requested, up to a number.
  public struct Buffer<Upstream: Publisher>: Publisher {
    /// A value of upstream.
    public typealias Output = Upstream.Output
    /// The failure of upstream, or of a full buffer.
    public typealias Failure = Upstream.Failure

    /// The publisher whose values are kept.
    public let upstream: Upstream
    /// The maximum number of values that are kept.
    public let size: Int
    /// When values are requested.
    public let prefetch: PrefetchStrategy
    /// What happens when the buffer is full.
    public let whenFull: BufferingStrategy<Failure>

    /// Creates a publisher with a buffer.
    public init(
      upstream: Upstream, size: Int, prefetch: PrefetchStrategy,
      whenFull: BufferingStrategy<Failure>
    ) {
      self.upstream = upstream
      self.size = size
      self.prefetch = prefetch
      self.whenFull = whenFull
    }

    /// Attaches a subscriber; called by `subscribe(_:)`.
    public func receive<S: Subscriber>(subscriber: S)
    where S.Input == Output, S.Failure == Failure {
      upstream.operate(
        for: subscriber, BufferMachine(size: size, prefetch: prefetch, whenFull: whenFull))
    }
  }

  /// Publishes lists of a number of values; the last one may be shorter.
  public struct CollectByCount<Upstream: Publisher>: Publisher {
    /// A list of values.
    public typealias Output = [Upstream.Output]
    /// The failure of upstream.
    public typealias Failure = Upstream.Failure

    /// The publisher whose values are collected.
    public let upstream: Upstream
    /// The number of values in a list.
    public let count: Int

    /// Creates a publisher of lists.
    public init(upstream: Upstream, count: Int) {
      self.upstream = upstream
      self.count = count
    }

    /// Attaches a subscriber; called by `subscribe(_:)`.
    public func receive<S: Subscriber>(subscriber: S)
    where S.Input == Output, S.Failure == Failure {
      upstream.operate(for: subscriber, CountMachine(count: count))
    }
  }
}

extension Publishers.Buffer: Sendable where Upstream: Sendable {}
extension Publishers.BufferingStrategy: Sendable {}
extension Publishers.CollectByCount: Sendable where Upstream: Sendable {}

/// The state machine of a buffer.
private struct BufferMachine<Output, Failure: Error>: PassingMachine {
  typealias Input = Output
  typealias InputFailure = Failure

  var upstream: Upstream
  private let isPrefetching: Bool
  private let strategy: Publishers.BufferingStrategy<Failure>
  private var values: BufferedValues<Output>
  private var end: Subscribers.Completion<Failure>? {
    didSet { hasEnded = true }
  }
  private var hasEnded = false

  init(
    size: Int, prefetch: Publishers.PrefetchStrategy,
    whenFull strategy: Publishers.BufferingStrategy<Failure>
  ) {
    isPrefetching = prefetch == .keepFull
    upstream = Upstream(requesting: isPrefetching ? .max(size) : .unlimited)
    values = BufferedValues(limit: size)
    self.strategy = strategy
  }

  mutating func passes() -> Effect? {
    guard !hasEnded, values.pass() else { return nil }
    return isPrefetching ? upstream.request(.max(1)) : Effect.none
  }

  mutating func hasSignal() -> Bool { hasEnded || !values.isEmpty }

  mutating func receive(_ value: Output) -> Effect {
    guard end == nil else { return .none }
    let overflow: Overflow =
      switch strategy {
      case .dropNewest: .dropNewest
      case .dropOldest: .dropOldest
      case .customError: .fail
      }
    switch values.add(value, whenFull: overflow) {
    case .kept: return .none
    case .dropped(let dropped): return .release(dropped)
    case .failed(let dropped):
      if case .customError(let makeError) = strategy { end = .failure(makeError()) }
      return .all([upstream.cancel(), .release(dropped)])
    }
  }

  mutating func receive(_ completion: Subscribers.Completion<Failure>) -> Effect {
    end = end ?? completion
    return upstream.end()
  }

  mutating func request(_ demand: Subscribers.Demand) -> Effect {
    values.request(demand)
    return .none
  }

  mutating func next(hasDemand: Bool) -> Signal<Output, Failure> {
    if let value = values.popFirst() {
      return .value(value, then: isPrefetching ? upstream.request(.max(1)) : .none)
    }
    guard let end, values.isEmpty else { return .nothing }
    return .completion(end)
  }
}

/// The state machine of lists of a number of values.
private struct CountMachine<Value, Failure: Error>: InletMachine {
  typealias Input = Value
  typealias Output = [Value]

  var upstream = Upstream()
  private let count: Int
  private var values: [Value] = []
  private var lists = Queue<[Value]>()
  private var end: Subscribers.Completion<Failure>?

  init(count: Int) { self.count = count }

  mutating func receive(_ value: Value) -> Effect {
    guard end == nil else { return .none }
    values.append(value)
    if values.count == count { cut() }
    return .none
  }

  private mutating func cut() {
    lists.append(values)
    values = []
  }

  mutating func receive(_ completion: Subscribers.Completion<Failure>) -> Effect {
    guard end == nil else { return .none }
    end = completion
    if case .finished = completion, !values.isEmpty { cut() }
    return upstream.end()
  }

  mutating func request(_ demand: Subscribers.Demand) -> Effect { upstream.request(demand * count) }

  mutating func next(hasDemand: Bool) -> Signal<[Value], Failure> {
    if hasDemand, let list = lists.popFirst() { return .value(list) }
    guard let end, lists.isEmpty else { return .nothing }
    return .completion(end)
  }
}

extension Publisher {
  /// Keeps values until they are requested, up to a number.
  public func buffer(
    size: Int, prefetch: Publishers.PrefetchStrategy,
    whenFull: Publishers.BufferingStrategy<Failure>
  ) -> Publishers.Buffer<Self> {
    Publishers.Buffer(upstream: self, size: size, prefetch: prefetch, whenFull: whenFull)
  }

  /// Publishes lists of a number of values; the last one may be shorter.
  public func collect(_ count: Int) -> Publishers.CollectByCount<Self> {
    Publishers.CollectByCount(upstream: self, count: count)
  }
}

#endif
