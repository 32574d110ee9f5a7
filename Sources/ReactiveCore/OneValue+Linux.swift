// The subscription to a publisher of one result, which may be ready later.

#if !canImport(Combine)

/// Delivers a result when it is there and has been requested; a failure needs no request.
final class OneValue<Output, Failure: Error>: Subscription, Sendable, CustomStringConvertible {
  /// What the lock guards.
  private final class State {
    /// Nil after the end, or while the value is delivered.
    var downstream: Outlet<Output, Failure>?
    var hasDemand = false
    var isCancelled = false
    var hasResult: Bool
    var result: Result<Output, Failure>?

    init(_ downstream: Outlet<Output, Failure>, _ result: Result<Output, Failure>?) {
      self.downstream = downstream
      self.result = result
      hasResult = result != nil
    }
  }

  private let lock = Lock()
  // See `Lock`: the fields are only used while it is locked.
  private let state: UncheckedSendable<State>
  private let onCancel: (@Sendable (OneValue) -> Void)?

  init<S: Subscriber>(
    _ result: Result<Output, Failure>? = nil, for downstream: S,
    onCancel: (@Sendable (OneValue) -> Void)? = nil
  ) where S.Input == Output, S.Failure == Failure {
    state = UncheckedSendable(State(downstream.makeOutlet(), result))
    self.onCancel = onCancel
  }

  /// The name of the publisher, for `print`.
  var description: String { onCancel == nil ? "Just" : "Future" }

  /// Whether the subscriber still expects the result.
  var isActive: Bool {
    lock.lock()
    defer { lock.unlock() }
    return state.value.downstream != nil
  }

  func request(_ demand: Subscribers.Demand) {
    guard demand > .none else { return }
    lock.lock()
    state.value.hasDemand = true
    let hasResult = state.value.hasResult
    lock.unlock()
    if hasResult { deliver() }
  }

  func cancel() {
    let state = state.value
    lock.lock()
    state.isCancelled = true
    let (downstream, result) = (state.downstream.take(), state.result.take())
    lock.unlock()
    withExtendedLifetime(result) {}
    if downstream != nil { onCancel?(self) }
  }

  /// Sets the result; only the first one counts.
  func fulfill(_ result: Result<Output, Failure>) {
    let state = state.value
    lock.lock()
    if !state.hasResult {
      state.result = result
      state.hasResult = true
    }
    lock.unlock()
    deliver()
  }

  /// Delivers the result, if it may be delivered.
  private func deliver() {
    let state = state.value
    lock.lock()
    guard let downstream = state.downstream, let result = state.result else {
      return lock.unlock()
    }
    switch result {
    case .success(let value):
      guard state.hasDemand else { return lock.unlock() }
      (state.downstream, state.result) = (nil, nil)
      lock.unlock()
      _ = downstream.receive(value)
      lock.lock()
      let isCancelled = state.isCancelled
      lock.unlock()
      if !isCancelled { downstream.receive(completion: .finished) }
    case .failure(let error):
      state.downstream = nil
      lock.unlock()
      downstream.receive(completion: .failure(error))
    }
  }
}

/// A publisher of one result, which a closure provides, now or later.
///
/// The closure is called immediately, whether there is a subscriber or not. The result is kept for all
/// subscribers.
public final class Future<Output, Failure: Error>: Publisher, Sendable {
  /// Provides the result; only the first call counts.
  public typealias Promise = @Sendable (Result<Output, Failure>) -> Void

  /// What the lock guards.
  private final class State {
    var result: Result<Output, Failure>?
    var hasResult = false
    /// The subscriptions that wait for the result, each a `OneValue`; see `MemberList`.
    var waiting: [AnyObject] = []
  }

  private let lock = Lock()
  // See `Lock`: the fields are only used while it is locked.
  private let state = UncheckedSendable(State())

  /// Creates a future, and calls the closure that provides its result.
  public init(_ attemptToFulfill: @escaping (@escaping Promise) -> Void) {
    attemptToFulfill { self.fulfill($0) }
  }

  private func fulfill(_ result: Result<Output, Failure>) {
    let state = state.value
    lock.lock()
    guard !state.hasResult else { return lock.unlock() }
    state.result = result
    state.hasResult = true
    let waiting = state.waiting
    state.waiting = []
    lock.unlock()
    for subscription in waiting {
      unsafeDowncast(subscription, to: OneValue<Output, Failure>.self).fulfill(result)
    }
  }

  /// Attaches a subscriber; called by `subscribe(_:)`.
  public func receive<S: Subscriber>(subscriber: S)
  where S.Input == Output, S.Failure == Failure {
    let state = state.value
    let subscription = OneValue<Output, Failure>(for: subscriber) { self.remove($0) }
    subscriber.receive(subscription: subscription)
    lock.lock()
    if !state.hasResult, subscription.isActive { state.waiting.append(subscription) }
    let result = state.result
    lock.unlock()
    if let result { subscription.fulfill(result) }
  }

  /// The result, as soon as it is there.
  ///
  /// - Throws: The failure; `CancellationError` if the task is cancelled before.
  public var value: Output {
    get async throws {
      for try await value in values { return value }
      throw CancellationError()
    }
  }

  private func remove(_ subscription: OneValue<Output, Failure>) {
    let state = state.value
    lock.lock()
    if let position = state.waiting.lastIndex(where: { $0 === subscription }) {
      state.waiting.remove(at: position)
    }
    lock.unlock()
  }
}

extension Future where Failure == Never {
  /// The result, as soon as it is there; waits for it also if the task is cancelled.
  public var value: Output {
    get async {
      let subscription = Locked<AnyCancellable?>(nil)
      defer { subscription.withLock { $0 = nil } }
      let result = await withCheckedContinuation { continuation in
        let sink = self.sink { continuation.resume(returning: UncheckedSendable($0)) }
        subscription.withLock { $0 = sink }
      }
      return result.value
    }
  }
}

#endif
