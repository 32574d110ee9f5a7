// Publishers to which values can be sent.

#if !canImport(Combine)

/// What the two subjects have in common: their subscribers, and the publishers that send to them.
private final class SubjectCore<Output, Failure: Error>: Sendable {
  typealias Member = Conduit<Output, Failure>

  /// What the lock guards.
  private final class State {
    /// The current value; nil if the subject has none.
    var value: Output?
    var members = MemberList()
    var upstreams: [any Subscription] = []
    /// Whether the publishers that send to the subject have been asked for values.
    var hasDemand: Bool
    var completion: Subscribers.Completion<Failure>?
    var hasCompleted = false

    init(value: Output?) {
      self.value = value
      hasDemand = value != nil
    }
  }

  private let lock = Lock()
  // See `Lock`: the fields are only used while it is locked.
  private let state: UncheckedSendable<State>
  private let keepsLatest: Bool

  /// Creates the core of a subject with a current value, or without one.
  init(value: Output?) {
    keepsLatest = value != nil
    state = UncheckedSendable(State(value: value))
  }

  deinit {
    for upstream in state.value.upstreams { upstream.cancel() }
  }

  var value: Output? {
    let state = state.value
    lock.lock()
    defer { lock.unlock() }
    return state.value
  }

  /// Sets the current value, also after the end, and sends it.
  func set(_ value: Output) {
    let state = state.value
    lock.lock()
    guard state.hasCompleted else {
      lock.unlock()
      return send(value)
    }
    // Released outside of the lock.
    let old = state.value
    state.value = value
    lock.unlock()
    withExtendedLifetime(old) {}
  }

  /// Sends a value.
  func send(_ value: Output) {
    let state = state.value
    // Values are taken under the lock, so that all subscribers receive them in one order.
    lock.lock()
    guard !state.hasCompleted else { return lock.unlock() }
    let members = state.members.members
    if keepsLatest { state.value = value }
    // The subscribers, of the first 64, to which this thread must deliver the value.
    var idle: UInt64 = 0
    var outlet: Outlet<Output, Failure>?
    for place in 0..<members.count {
      guard let object = members[place] else { continue }
      let member = MemberList.typed(object, as: Member.self)
      guard let taker = member.take(value) else { continue }
      if members.count == 1 { outlet = taker }
      if place < 64 { idle |= 1 << UInt64(place) } else { member.queue(value) }
    }
    lock.unlock()
    for place in 0..<members.count {
      guard let object = members[place] else { continue }
      let member = MemberList.typed(object, as: Member.self)
      if place >= 64 {
        member.deliver()
      } else if idle & (1 << UInt64(place)) != 0 {
        member.deliver(value, to: outlet)
      }
    }
  }

  func send(completion: Subscribers.Completion<Failure>) {
    let state = state.value
    lock.lock()
    guard !state.hasCompleted else { return lock.unlock() }
    state.completion = completion
    state.hasCompleted = true
    // Released outside of the lock.
    let upstreams = state.upstreams
    state.upstreams = []
    let members = state.members.removeAll()
    members.forEach(as: Member.self) { $0.take(completion) }
    lock.unlock()
    members.forEach(as: Member.self) { $0.deliver() }
    withExtendedLifetime(upstreams) {}
  }

  func add<S: Subscriber>(_ downstream: S) where S.Input == Output, S.Failure == Failure {
    let state = state.value
    let member = Member(
      downstream.makeOutlet(), keepsLatest: keepsLatest,
      onRequest: { [weak self] in self?.requestUpstream() },
      onCancel: { [weak self] in self?.remove($0) })
    lock.lock()
    if !state.hasCompleted {
      member.add(to: &state.members)
      if keepsLatest, let value = state.value { member.keep(value) }
    } else if let completion = state.completion {
      member.take(completion)
    }
    lock.unlock()
    member.open()
  }

  private func remove(_ number: Int) {
    let state = state.value
    lock.lock()
    let removed = state.members.remove(number)
    lock.unlock()
    withExtendedLifetime(removed) {}
  }

  func add(upstream: any Subscription) {
    let state = state.value
    lock.lock()
    if !state.hasCompleted { state.upstreams.append(upstream) }
    let isWanted = state.hasDemand
    lock.unlock()
    if isWanted { upstream.request(.unlimited) }
  }

  private func requestUpstream() {
    let state = state.value
    lock.lock()
    let upstreams = state.hasDemand ? [] : state.upstreams
    state.hasDemand = true
    lock.unlock()
    for upstream in upstreams { upstream.request(.unlimited) }
  }
}

/// A subject that passes values on to its subscribers, and loses those that are not requested.
///
/// Thread-safe. Subscribers are called without a lock, one value at a time; all of them receive the
/// values in the same order.
public final class PassthroughSubject<Output, Failure: Error>: Subject, Sendable {
  private let core = SubjectCore<Output, Failure>(value: nil)

  /// Creates a subject.
  public init() {}

  /// Sends a value to the subscribers that have requested one.
  public func send(_ value: Output) { core.send(value) }

  /// Ends the subject; later values are ignored.
  public func send(completion: Subscribers.Completion<Failure>) {
    core.send(completion: completion)
  }

  /// Requests all values of a publisher, as soon as a subscriber requests one.
  public func send(subscription: any Subscription) { core.add(upstream: subscription) }

  /// Attaches a subscriber; called by `subscribe(_:)`.
  public func receive<S: Subscriber>(subscriber: S)
  where S.Input == Output, S.Failure == Failure {
    core.add(subscriber)
  }
}

/// A subject with a current value, which each new subscriber receives first.
///
/// Thread-safe. Subscribers are called without a lock, one value at a time; all of them receive the
/// values in the same order. A subscriber that requests nothing for a while receives the newest value.
public final class CurrentValueSubject<Output, Failure: Error>: Subject, Sendable {
  private let core: SubjectCore<Output, Failure>

  /// Creates a subject.
  public init(_ value: Output) { core = SubjectCore(value: value) }

  /// The current value; setting it sends the new value to the subscribers, if the subject has not ended.
  public var value: Output {
    get {
      guard let value = core.value else { preconditionFailure("BUG: no current value") }
      return value
    }
    set { core.set(newValue) }
  }

  /// Sets the current value, and sends it to the subscribers.
  public func send(_ value: Output) { core.send(value) }

  /// Ends the subject; later values are ignored.
  public func send(completion: Subscribers.Completion<Failure>) {
    core.send(completion: completion)
  }

  /// Requests all values of a publisher.
  public func send(subscription: any Subscription) { core.add(upstream: subscription) }

  /// Attaches a subscriber; called by `subscribe(_:)`.
  public func receive<S: Subscriber>(subscriber: S)
  where S.Input == Output, S.Failure == Failure {
    core.add(subscriber)
  }
}

/// Sends the signals of a publisher to a subject, for `subscribe(_:)`.
final class SubjectSender<S: Subject>: Subscriber, Cancellable {
  private let subject: Locked<S?>
  private let upstream = Locked(Upstream())

  init(_ subject: S) { self.subject = Locked(subject) }

  func receive(subscription: any Subscription) {
    upstream.withLock { $0.receive(subscription) }.perform()
    subject.withLock { $0 }?.send(subscription: subscription)
  }

  func receive(_ input: S.Output) -> Subscribers.Demand {
    subject.withLock { $0 }?.send(input)
    return .none
  }

  func receive(completion: Subscribers.Completion<S.Failure>) {
    upstream.withLock { $0.end() }.perform()
    subject.withLock { $0.take() }?.send(completion: completion)
  }

  func cancel() {
    _ = subject.withLock { $0.take() }
    upstream.withLock { $0.cancel() }.perform()
  }
}

#endif
