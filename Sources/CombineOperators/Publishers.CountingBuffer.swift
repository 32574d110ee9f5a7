// Keeps values until they are asked for, up to a limit, and says what it drops. Knows nothing of the
// values. All of it can be inlined, as the zip can.

public import CombineShim
public import Synchronization

/// What a buffer does with a value that comes when it is full.
public enum BufferFullStrategy<Failure: Error>: Sendable {
  /// Drops the value that has waited longest and takes the new one.
  case dropOldest
  /// Drops the new value.
  case dropNewest
  /// Drops the new value, cancels upstream, and ends with this failure after what waits.
  case fail(Failure)
}

/// The failure of a buffer that is full, for publishers that have none of their own.
public struct BufferIsFull: Error, Hashable {
  /// Makes the failure.
  public init() {}
}

extension Publisher where Output: Sendable {
  /// Keeps values until downstream asks for them, up to a limit, and says what it drops.
  ///
  /// Like Combine's `buffer(size:prefetch:whenFull:)`, which drops silently. A publisher that cannot
  /// fail is given a failure first, to let a full buffer be one:
  /// `setFailureType(to: BufferIsFull.self).buffer(limit: 10, whenFull: .fail(BufferIsFull()))`.
  ///
  /// - Values: in the order of upstream. What downstream has asked for does not count as waiting. Of
  ///   the values received, each is delivered, dropped or waiting, and only one of these.
  /// - Demand: upstream is asked for everything at once; downstream gets what it asks for. With a limit
  ///   of 0 a value passes when downstream has asked for it already, and is dropped otherwise.
  /// - Completion: comes after what waits, also a failure, whether of upstream or of `whenFull`.
  /// - Cancellation: cancels upstream and lets go of what waits, which is not reported as dropped.
  ///   Nothing is delivered after it.
  /// - Threads: values are delivered one after the other, on the thread of upstream or of a request.
  ///   `onDrop` and `onChange` are called one after the other, in order, on the threads of upstream, of
  ///   requests and of the cancellation, before what follows is delivered where no other thread is at
  ///   it. Each of them may call back into the publishers. They are to be quick: while one is busy,
  ///   what other threads drop waits to be reported.
  /// - Complexity: constant for a value on average.
  ///
  /// - Parameters:
  ///   - limit: How many values may wait; not negative.
  ///   - strategy: What to do with a value that comes when so many wait.
  ///   - onDrop: Told of each value that is dropped.
  ///   - onChange: Told how many wait, when that has changed. Of changes that follow one another
  ///     quickly, only the last need be told. Told of 0 after a cancellation.
  /// - Returns: The publisher of the values that are not dropped.
  @inlinable
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
  /// A publisher that keeps values until they are asked for, up to a limit.
  ///
  /// See `Publisher.buffer(limit:whenFull:onDrop:onChange:)` for its contract.
  public struct CountingBuffer<Upstream: Publisher>: Publisher where Upstream.Output: Sendable {
    /// A value of upstream.
    public typealias Output = Upstream.Output
    /// The failure of upstream, and of a buffer that is full.
    public typealias Failure = Upstream.Failure

    @usableFromInline let upstream: Upstream
    @usableFromInline let limit: Int
    @usableFromInline let strategy: BufferFullStrategy<Upstream.Failure>
    @usableFromInline let onDrop: @Sendable (Upstream.Output) -> Void
    @usableFromInline let onChange: @Sendable (Int) -> Void
    /// Subscribes to upstream; made where its type is known.
    @usableFromInline let connect: (CountingBuffer, Receiver<Output, Failure>) -> Void

    @inlinable
    init(
      upstream: Upstream, limit: Int, strategy: BufferFullStrategy<Upstream.Failure>,
      onDrop: @escaping @Sendable (Upstream.Output) -> Void,
      onChange: @escaping @Sendable (Int) -> Void
    ) {
      self.upstream = upstream
      self.limit = limit
      self.strategy = strategy
      self.onDrop = onDrop
      self.onChange = onChange
      connect = { buffer, downstream in
        let subscription = CountingBufferSubscription(
          downstream: downstream, limit: buffer.limit, strategy: buffer.strategy,
          onDrop: buffer.onDrop, onChange: buffer.onChange)
        buffer.upstream.receive(subscriber: DirectInput(subscription))
      }
    }

    /// Subscribes to the publisher that gives the values; called by `subscribe(_:)`.
    ///
    /// - Parameter subscriber: Who gets the values.
    @inlinable
    public func receive<Downstream: Subscriber & SendableMetatype>(subscriber: Downstream)
    where Downstream.Input == Output, Downstream.Failure == Failure {
      connect(self, SubscriberReceiver(subscriber))
    }
  }
}

/// The subscription of downstream, which subscribes to upstream.
@usableFromInline
final class CountingBufferSubscription<Input: Sendable, Failure: Error>: DirectSubscription,
  InputOwner, @unchecked Sendable
{
  // @unchecked: inherited; what is added is constant or behind the mutex.
  @usableFromInline typealias Downstream = Receiver<Input, Failure>

  // @unchecked: neither subscriptions nor subscribers need be Sendable. The upstream subscription is
  // used from any thread, as its protocol allows; the subscriber is called by one thread at a time,
  // guarded by `isDelivering`.
  @usableFromInline
  struct State: @unchecked Sendable {
    @usableFromInline var downstream: Downstream?
    @usableFromInline var upstream: (any Subscription)?
    @usableFromInline var values: BufferedValues<Input>
    @usableFromInline var end: Subscribers.Completion<Failure>?
    @usableFromInline var isDelivering = false
    /// Apart from `isDelivering`, so that a slow subscriber holds up no report.
    @usableFromInline var isReporting = false

    @inlinable
    init(downstream: Downstream, limit: Int) {
      self.downstream = downstream
      values = BufferedValues(limit: limit)
    }
  }

  @usableFromInline
  enum Action {
    case deliver(Downstream, Input)
    case complete(Downstream, Subscribers.Completion<Failure>)
    case nothing
  }

  @usableFromInline let strategy: BufferFullStrategy<Failure>
  @usableFromInline let onDrop: @Sendable (Input) -> Void
  @usableFromInline let onChange: @Sendable (Int) -> Void
  @usableFromInline let state: Mutex<State>

  @inlinable
  init(
    downstream: Downstream, limit: Int, strategy: BufferFullStrategy<Failure>,
    onDrop: @escaping @Sendable (Input) -> Void,
    onChange: @escaping @Sendable (Int) -> Void
  ) {
    self.strategy = strategy
    self.onDrop = onDrop
    self.onChange = onChange
    state = Mutex(State(downstream: downstream, limit: limit))
    super.init { subscription, signal in
      let buffer = unsafeDowncast(subscription, to: CountingBufferSubscription.self)
      switch signal {
      case .request(let demand): buffer.takeDemand(demand)
      case .cancel: buffer.takeCancel()
      }
    }
  }

  // MARK: From downstream

  @inlinable
  func takeDemand(_ demand: Subscribers.Demand) {
    ask(demand)
    deliver()
  }

  @inlinable
  func takeCancel() {
    // What is let go of goes outside of the lock: its end may call back.
    let dropped = state.withLock { state in
      defer {
        state.downstream = nil
        state.upstream = nil
      }
      return Carried((state.upstream, state.downstream, state.values.removeAll()))
    }
    dropped.value.0?.cancel()
    report()
  }

  @inlinable
  func ask(_ demand: Subscribers.Demand) {
    guard demand > .none else { return }
    state.withLock { state in
      if state.downstream != nil { state.values.ask(demand) }
    }
    report()
  }

  // MARK: From upstream

  @inlinable
  func receive(subscription: any Subscription, from _: Int) {
    let carried = Carried(subscription)
    let downstream = state.withLock { state -> Carried<Downstream?> in
      guard state.upstream == nil, state.end == nil else { return Carried(nil) }
      state.upstream = carried.value
      return Carried(state.downstream)
    }
    guard let downstream = downstream.value else { return subscription.cancel() }
    downstream.receive(self)
    // It may have cancelled when it was told of its subscription.
    if state.withLock({ $0.downstream != nil }) { subscription.request(.unlimited) }
  }

  @inlinable
  func receive(_ input: Input, from _: Int) {
    let upstream = state.withLock { state -> Carried<(any Subscription)?> in
      guard state.downstream != nil, state.end == nil,
        let failure = state.values.add(input, whenFull: strategy)
      else { return Carried(nil) }
      state.end = .failure(failure)
      defer { state.upstream = nil }
      return Carried(state.upstream)
    }
    upstream.value?.cancel()
    report()
    deliver()
  }

  @inlinable
  func receive(completion: Subscribers.Completion<Failure>, from _: Int) {
    let upstream = state.withLock { state -> Carried<(any Subscription)?> in
      guard state.downstream != nil, state.end == nil else { return Carried(nil) }
      state.end = completion
      defer { state.upstream = nil }
      return Carried(state.upstream)
    }
    withExtendedLifetime(upstream) {}
    deliver()
  }

  // MARK: To the user

  /// Tells what was dropped and how many wait.
  ///
  /// Of several threads that come here at once, one tells for all.
  @inlinable
  func report() {
    var report = state.withLock { state -> BufferedValues<Input>.Report? in
      guard !state.isReporting, let report = state.values.nextReport() else { return nil }
      state.isReporting = true
      return report
    }
    while let next = report {
      switch next {
      case .dropped(let value): onDrop(value)
      case .waiting(let count): onChange(count)
      }
      report = state.withLock { state in
        let report = state.values.nextReport()
        if report == nil { state.isReporting = false }
        return report
      }
    }
  }

  // MARK: To downstream

  /// Delivers what can be delivered.
  ///
  /// Of several threads that come here at once, one delivers for all.
  @inlinable
  func deliver() {
    var action = state.withLock { state in
      guard !state.isDelivering else { return Carried(Action.nothing) }
      state.isDelivering = true
      return Carried(Self.next(&state))
    }.value
    while true {
      switch action {
      case .deliver(let downstream, let value):
        ask(downstream.receive(value))
        action = state.withLock { Carried(Self.next(&$0)) }.value
      case .complete(let downstream, let completion):
        return downstream.receive(completion)
      case .nothing:
        return
      }
    }
  }

  @inlinable
  static func next(_ state: inout State) -> Action {
    if let downstream = state.downstream, let value = state.values.next() {
      return .deliver(downstream, value)
    }
    state.isDelivering = false
    guard let downstream = state.downstream, let end = state.end, state.values.isEmpty else {
      return .nothing
    }
    state.downstream = nil
    return .complete(downstream, end)
  }
}
