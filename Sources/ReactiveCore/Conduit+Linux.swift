// The subscription of one subscriber to a subject.

#if !canImport(Combine)

/// Delivers the values of a subject to one of its subscribers, one at a time and without a lock.
final class Conduit<Output, Failure: Error>: Subscription, Sendable, CustomStringConvertible {
  /// What the lock guards.
  private final class State {
    /// Nil after the end.
    var downstream: Outlet<Output, Failure>?
    /// The demand, minus the values in the queue.
    var demand = Subscribers.Demand.none
    /// The newest value, if it has not been requested and must not be lost.
    var latest: Output?
    var hasLatest = false
    /// Requested values.
    var values = Queue<Output>()
    var completion: Subscribers.Completion<Failure>?
    /// Whether the subject has sent the completion.
    var hasCompleted = false
    /// Whether the downstream is called, or will be called by the thread that has set it.
    var isDelivering = false
    var opening = Opening()
    /// The number of the subscriber; nil until it has been added.
    var number: Int?

    init(_ downstream: Outlet<Output, Failure>) { self.downstream = downstream }

    /// Adds demand, and moves the newest value to the requested ones.
    func grant(_ more: Subscribers.Demand) {
      demand += more
      guard hasLatest, demand > .none, let value = latest.take() else { return }
      hasLatest = false
      demand -= 1
      values.append(value)
    }

    /// Keeps a value that cannot be delivered now, if it was requested or must not be lost.
    @inline(never) func keep(_ value: Output, isLatest: Bool) {
      if demand > .none {
        demand -= 1
        values.append(value)
      } else if isLatest {
        latest = value
        hasLatest = true
      }
    }

    /// Whether the calling thread may deliver.
    @inline(__always) var isIdle: Bool { !isDelivering && opening.admitsCaller }

    /// Whether there is something to deliver, and no thread does.
    var isReady: Bool { isIdle && (!values.isEmpty || hasCompleted) }
  }

  private let lock = Lock()
  // See `Lock`: the fields are only used while it is locked.
  private let state: UncheckedSendable<State>
  /// Whether the newest value is kept until it is requested.
  private let keepsLatest: Bool
  private let onRequest: @Sendable () -> Void
  private let onCancel: @Sendable (Int) -> Void

  init(
    _ downstream: Outlet<Output, Failure>, keepsLatest: Bool,
    onRequest: @escaping @Sendable () -> Void, onCancel: @escaping @Sendable (_ number: Int) -> Void
  ) {
    state = UncheckedSendable(State(downstream))
    self.keepsLatest = keepsLatest
    self.onRequest = onRequest
    self.onCancel = onCancel
  }

  /// The name of the subject, for `print`.
  var description: String { keepsLatest ? "CurrentValueSubject" : "PassthroughSubject" }

  // MARK: From downstream

  func request(_ demand: Subscribers.Demand) {
    guard demand > .none else { return }
    let state = state.value
    lock.lock()
    state.grant(demand)
    let isReady = state.isReady
    lock.unlock()
    onRequest()
    if isReady { deliver() }
  }

  func cancel() {
    let state = state.value
    lock.lock()
    let downstream = state.downstream.take()
    let hasValues = state.hasLatest || !state.values.isEmpty
    let number = downstream == nil ? nil : state.number
    lock.unlock()
    if hasValues { releaseValues() }
    if let number { onCancel(number) }
  }

  /// Releases the values outside of the lock, because that may call back.
  private func releaseValues() {
    let state = state.value
    lock.lock()
    let released = (state.values, state.latest)
    state.values = Queue()
    state.latest = nil
    lock.unlock()
    withExtendedLifetime(released) {}
  }

  // MARK: From the subject

  /// Hands the subscription to the subscriber; call it once, after ``add(to:)``.
  func open() {
    let state = state.value
    lock.lock()
    guard let downstream = state.downstream, state.opening.begin() else { return lock.unlock() }
    lock.unlock()
    downstream.receive(subscription: self)
    lock.lock()
    state.opening.end()
    lock.unlock()
    deliver()
  }

  /// Adds the subscriber to the list of the subject.
  func add(to members: inout MemberList) {
    lock.lock()
    if state.value.downstream != nil { state.value.number = members.append(self) }
    lock.unlock()
  }

  /// Keeps the current value of the subject, for its subscriber.
  func keep(_ value: Output) {
    let state = state.value
    lock.lock()
    if state.downstream != nil { state.keep(value, isLatest: true) }
    lock.unlock()
  }

  /// Takes a value, if it was requested.
  ///
  /// - Returns: The subscriber, if the caller must deliver the value itself, outside of the lock of the
  ///   subject.
  func take(_ value: Output) -> Outlet<Output, Failure>? {
    let state = state.value
    lock.lock()
    defer { lock.unlock() }
    guard !state.hasCompleted, let downstream = state.downstream else { return nil }
    if state.demand > .none, state.isIdle, state.values.isEmpty {
      state.demand -= 1
      state.isDelivering = true
      return downstream
    }
    state.keep(value, isLatest: keepsLatest)
    return nil
  }

  /// Queues a value that it has taken.
  func queue(_ value: Output) {
    let state = state.value
    lock.lock()
    state.values.append(value)
    state.isDelivering = false
    lock.unlock()
  }

  /// Takes the completion.
  func take(_ completion: Subscribers.Completion<Failure>) {
    let state = state.value
    lock.lock()
    if !state.hasCompleted {
      state.completion = completion
      state.hasCompleted = true
      state.number = nil
    }
    lock.unlock()
  }

  /// Delivers a value that it has taken, and what follows it.
  func deliver(_ value: Output, to outlet: Outlet<Output, Failure>?) {
    guard let downstream = outlet ?? downstream else { return }
    if finish(downstream.receive(value)) { deliver() }
  }

  private var downstream: Outlet<Output, Failure>? {
    lock.lock()
    defer { lock.unlock() }
    return state.value.downstream
  }

  /// Delivers what is ready, unless another thread is doing so.
  func deliver() {
    let state = state.value
    while true {
      lock.lock()
      guard state.isReady, let downstream = state.downstream else { return lock.unlock() }
      guard let value = state.values.popFirst() else {
        let completion = state.completion.take()
        state.downstream = nil
        lock.unlock()
        if let completion { downstream.receive(completion: completion) }
        return
      }
      state.isDelivering = true
      lock.unlock()
      guard finish(downstream.receive(value)) else { return }
    }
  }

  /// Ends the delivery of a value.
  ///
  /// - Returns: Whether more is ready.
  private func finish(_ more: Subscribers.Demand) -> Bool {
    let state = state.value
    lock.lock()
    state.isDelivering = false
    if more > .none { state.grant(more) }
    let isReady = state.isReady
    lock.unlock()
    return isReady
  }
}

#endif
