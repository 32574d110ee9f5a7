// A bounded buffer that reports dropped values.

public import ReactiveCore

/// What a buffer does with a value that arrives when it is full.
public enum BufferFullStrategy<Failure: Error>: Sendable {
  /// Drops the oldest waiting value and keeps the new one.
  case dropOldest
  /// Drops the new value.
  case dropNewest
  /// Drops the new value, cancels upstream, and fails with this error after the waiting values.
  case fail(Failure)
}

/// The failure of a full buffer, for publishers without a failure type of their own.
public struct BufferIsFull: Error, Hashable {
  /// Creates the failure.
  public init() {}
}

extension Publisher where Output: Sendable {
  /// Buffers values until downstream requests them, up to a limit, and reports dropped values.
  ///
  /// Like Combine's `buffer(size:prefetch:whenFull:)`, which drops silently. To let a full buffer
  /// fail, set a failure type on a publisher that cannot fail: `setFailureType(to:
  /// BufferIsFull.self).buffer(limit: 10, whenFull: .fail(BufferIsFull()))`.
  ///
  /// - Values: in upstream order. A value that downstream has already requested does not count as
  ///   waiting. Each received value is either delivered, dropped, or waiting.
  /// - Demand: upstream gets unlimited demand immediately; downstream receives what it requests.
  ///   With a limit of 0, a value passes if downstream has already requested it, and is dropped
  ///   otherwise.
  /// - Completion: that of upstream, or the failure of `whenFull`; even a failure is delivered only
  ///   after the waiting values.
  /// - Cancellation: cancels upstream and releases the waiting values, which are not reported as
  ///   dropped. Nothing is delivered afterwards.
  /// - Threads: values are delivered serially, on the thread of upstream or of a request. `onDrop`
  ///   and `onChange` are called serially, in order and without a lock, on the threads of upstream,
  ///   of requests and of the cancellation; before the next value is delivered, unless another
  ///   thread is already reporting. Both may call back into the publishers. Keep them short: while
  ///   one is running, drops on other threads wait to be reported.
  /// - Complexity: amortized constant for a value.
  ///
  /// - Parameters:
  ///   - limit: The maximum number of waiting values; not negative.
  ///   - strategy: What to do with a value that arrives when the buffer is full.
  ///   - onDrop: Called with each dropped value.
  ///   - onChange: Called with the number of waiting values after it has changed. Quick successive
  ///     changes may be coalesced into the last one. Called with 0 after a cancellation.
  /// - Returns: The publisher of the values that are not dropped.
  public func buffer(
    limit: Int, whenFull strategy: BufferFullStrategy<Failure>,
    onDrop: @escaping @Sendable (Output) -> Void = { _ in },
    onChange: @escaping @Sendable (_ waiting: Int) -> Void = { _ in }
  ) -> Publishers.CountingBuffer<Self> {
    precondition(limit >= 0, "a buffer cannot hold \(limit) values")
    return Publishers.CountingBuffer(
      upstream: self, limit: limit, strategy: strategy, onDrop: onDrop, onChange: onChange)
  }
}

extension Publishers {
  /// A publisher that buffers values until they are requested, up to a limit.
  ///
  /// See `Publisher.buffer(limit:whenFull:onDrop:onChange:)` for its contract.
  public struct CountingBuffer<Upstream: Publisher>: Publisher where Upstream.Output: Sendable {
    /// A value of upstream.
    public typealias Output = Upstream.Output
    /// The failure of upstream or of a full buffer.
    public typealias Failure = Upstream.Failure

    let upstream: Upstream
    let limit: Int
    let strategy: BufferFullStrategy<Upstream.Failure>
    let onDrop: @Sendable (Upstream.Output) -> Void
    let onChange: @Sendable (Int) -> Void

    /// Subscribes to upstream; called by `subscribe(_:)`.
    ///
    /// - Parameter subscriber: The subscriber that receives the values.
    public func receive<Downstream: Subscriber>(subscriber: Downstream)
    where Downstream.Input == Output, Downstream.Failure == Failure {
      let reporter = BufferReporter(onDrop: onDrop, onChange: onChange)
      upstream.operate(
        for: subscriber, BufferMachine(limit: limit, strategy: strategy, reporter: reporter))
    }
  }
}

/// The state machine of a buffer, with its upstream and its end.
private struct BufferMachine<Output, Failure: Error>: PassingMachine {
  typealias Input = Output
  typealias InputFailure = Failure

  var upstream = Upstream(requesting: .unlimited)
  private var values: BufferedValues<Output>
  private var end: Subscribers.Completion<Failure>?
  private let strategy: BufferFullStrategy<Failure>
  private let reporter: BufferReporter<Output>

  init(limit: Int, strategy: BufferFullStrategy<Failure>, reporter: BufferReporter<Output>) {
    values = BufferedValues(limit: limit)
    self.strategy = strategy
    self.reporter = reporter
  }

  mutating func passes() -> Effect? {
    end == nil && values.pass() ? Effect.none : nil
  }

  mutating func receive(_ value: Output) -> Effect {
    guard end == nil else { return .none }
    switch values.add(value, whenFull: overflow) {
    case .kept:
      return report()
    case .dropped(let dropped):
      return report(dropped)
    case .failed(let dropped):
      if case .fail(let failure) = strategy { end = .failure(failure) }
      return .all([upstream.cancel(), report(dropped)])
    }
  }

  private var overflow: Overflow {
    switch strategy {
    case .dropOldest: .dropOldest
    case .dropNewest: .dropNewest
    case .fail: .fail
    }
  }

  private func report(_ dropped: Output? = nil) -> Effect {
    let hasReport = reporter.note(dropped: dropped, waiting: values.waitingCount)
    return hasReport ? .run(reporter.report) : .none
  }

  mutating func receive(_ completion: Subscribers.Completion<Failure>) -> Effect {
    end = end ?? completion
    return upstream.end()
  }

  mutating func request(_ demand: Subscribers.Demand) -> Effect {
    values.request(demand)
    return report()
  }

  mutating func next(hasDemand: Bool) -> Signal<Output, Failure> {
    if let value = values.popFirst() { return .value(value) }
    guard let end, values.isEmpty else { return .nothing }
    return .completion(end)
  }

  func cancel() {
    var upstream = upstream
    upstream.cancel().perform()
    if reporter.note(waiting: 0) { reporter.report() }
  }
}
