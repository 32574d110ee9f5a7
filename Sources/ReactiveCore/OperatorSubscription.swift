// The subscription of every operator with state: lock, demand, and delivery.

/// The next signal of an operator to its subscriber.
package enum Signal<Output, Failure: Error> {
  /// A value, and an effect upstream after it has been delivered.
  case value(Output, then: Effect = .none)
  /// The completion.
  case completion(Subscribers.Completion<Failure>)
  /// Nothing can be delivered now.
  case nothing
}

/// The state machine of an operator: it decides under a lock and calls nothing.
///
/// Necessary calls are returned as an ``Effect`` or a ``Signal``.
package protocol OperatorMachine: SendableMetatype {
  associatedtype Output
  associatedtype Failure: Error

  /// Records demand from downstream.
  mutating func request(_ demand: Subscribers.Demand) -> Effect

  /// Whether there may be a signal, which saves a call of `next` if there is none.
  ///
  /// Mutating, so that it is called in place: a copy of a machine is expensive.
  mutating func hasSignal() -> Bool

  /// Removes the next signal for downstream.
  ///
  /// - Parameter hasDemand: Whether there is unmet demand.
  /// - Returns: The signal.
  mutating func next(hasDemand: Bool) -> Signal<Output, Failure>

  /// Whether nothing but the end can follow, however the upstreams go on.
  var onlyEnds: Bool { get }

  /// Cancels remaining work; called once, after the end or a cancellation, outside of the lock.
  func cancel()
}

extension OperatorMachine {
  /// There may be a signal.
  package mutating func hasSignal() -> Bool { true }

  /// Something may follow.
  package var onlyEnds: Bool { false }
}

/// The subscription of a subscriber to an operator.
///
/// It owns the machine until the completion has been delivered or the subscriber has cancelled;
/// then it releases everything, outside of the lock. If several threads have something to deliver,
/// one of them delivers all, one signal after another, without the lock and without recursion.
package final class OperatorSubscription<Machine: OperatorMachine>: Subscription, Sendable,
  CustomStringConvertible
{
  /// The subscriber of the operator.
  package typealias Downstream = any Subscriber<Machine.Output, Machine.Failure>

  /// What the lock guards.
  private final class Active {
    let downstream: Outlet<Machine.Output, Machine.Failure>
    var machine: Machine
    /// The unmet demand from downstream.
    var demand = Subscribers.Demand.none
    /// Whether a thread is delivering; it also delivers what other threads add meanwhile.
    var isDelivering = false
    var opening = Opening()
    /// What upstreams are asked for as soon as the subscriber can receive it.
    var deferred: [Effect] = []
    /// Whether the machine may have a signal that the delivering thread has not considered.
    var hasChanged = false

    init(_ machine: Machine, _ downstream: Outlet<Machine.Output, Machine.Failure>) {
      self.machine = machine
      self.downstream = downstream
    }

    /// Whether the calling thread may deliver.
    @inline(__always) var isIdle: Bool { !isDelivering && opening.admitsCaller }
  }

  /// The machine with its subscriber; nil after the end.
  private final class State {
    var active: Active?

    init(_ active: Active) { self.active = active }
  }

  private let lock = Lock()
  // See `Lock`: the fields are only used while it is locked.
  private let state: UncheckedSendable<State>

  /// Creates the subscription of an operator.
  ///
  /// Subscribe to the upstreams, and call ``open()``.
  package init(_ machine: Machine, for downstream: Downstream) {
    state = UncheckedSendable(State(Active(machine, downstream.makeOutlet())))
  }

  /// Whether the subscriber still expects values.
  package var isActive: Bool {
    lock.lock()
    defer { lock.unlock() }
    return state.value.active.map { !$0.machine.onlyEnds } ?? false
  }

  /// Stores the subscription to the only upstream, and hands this one to the subscriber.
  package func open(
    with subscription: any Subscription, as upstream: (inout Machine, any Subscription) -> Effect
  ) {
    receive(subscription, as: upstream)
    open()
  }

  /// Hands the subscription to the subscriber, if it has not been before.
  ///
  /// The upstreams are subscribed to before, so that what is sent while the subscriber gets its
  /// subscription is not lost. What the machine asks them for on its own account is asked for when the
  /// subscriber has its subscription, or requests something while it gets it.
  package func open() {
    lock.lock()
    guard let active = state.value.active, active.opening.begin() else { return lock.unlock() }
    lock.unlock()
    active.downstream.receive(subscription: self)
    lock.lock()
    active.opening.end()
    let effects = active.deferred
    active.deferred = []
    let isActive = state.value.active != nil
    lock.unlock()
    guard isActive else { return }
    for effect in effects { effect.perform() }
    deliver()
  }

  /// The name of the operator, for `print`: `Zip` for the machine `ZipMachine`.
  package var description: String {
    let name = String(describing: Machine.self).prefix { $0 != "<" }
    return String(name.hasSuffix("Machine") ? name.dropLast(7) : name)
  }

  // MARK: From downstream

  /// Passes demand to the machine, and delivers what it makes possible.
  package func request(_ demand: Subscribers.Demand) {
    guard demand > .none else { return }
    grant(demand)
    deliver()
  }

  /// Ends the subscription.
  package func cancel() {
    lock.lock()
    let active = state.value.active.take()
    lock.unlock()
    active?.machine.cancel()
  }

  private func grant(_ demand: Subscribers.Demand) {
    guard demand > .none else { return }
    var effect = Effect.none
    var deferred: [Effect] = []
    lock.lock()
    if let active = state.value.active {
      active.demand += demand
      active.hasChanged = true
      effect = active.machine.request(demand)
      if !active.opening.isOver { swap(&deferred, &active.deferred) }
    }
    lock.unlock()
    effect.perform()
    for effect in deferred { effect.perform() }
  }

  // MARK: From upstream

  /// Stores the subscription to an upstream, or cancels it if it arrives too late.
  package func receive(
    _ subscription: any Subscription, as upstream: (inout Machine, any Subscription) -> Effect
  ) {
    var effect = Effect.cancel(subscription)
    lock.lock()
    if let active = state.value.active {
      effect = upstream(&active.machine, subscription)
      if case .request = effect, !active.opening.isOver, active.demand == .none {
        active.deferred.append(effect)
        effect = .none
      }
    }
    lock.unlock()
    effect.perform()
  }

  /// Updates the machine, performs the resulting effect, and delivers signals.
  ///
  /// Does nothing after the end.
  package func update(_ body: (inout Machine) -> Effect) {
    lock.lock()
    guard let active = state.value.active else { return lock.unlock() }
    let effect = body(&active.machine)
    active.hasChanged = true
    let isIdle = active.isIdle
    lock.unlock()
    effect.perform()
    if isIdle { deliver() }
  }

  /// Updates the machine under the lock.
  ///
  /// - Returns: The result of the closure; nil after the end.
  package func change<Result>(_ body: (inout Machine) -> Result) -> Result? {
    lock.lock()
    defer { lock.unlock() }
    guard let active = state.value.active else { return nil }
    active.hasChanged = true
    return body(&active.machine)
  }

  // MARK: To downstream

  /// Passes a value of upstream on, without a queue if that is possible.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - passes: Whether the machine lets a value pass if the subscriber is idle and has requested
  ///     one, and the effect after it. If it does not, the value is put into the queue of the machine.
  ///   - queue: Puts the value into the queue of the machine.
  package func pass(
    _ value: Machine.Output, if passes: (inout Machine) -> Effect?,
    else queue: (inout Machine) -> Effect
  ) {
    lock.lock()
    guard let active = state.value.active else { return lock.unlock() }
    guard active.isIdle, active.demand > .none, let effect = passes(&active.machine) else {
      let effect = queue(&active.machine)
      active.hasChanged = true
      let isIdle = active.isIdle
      lock.unlock()
      effect.perform()
      if isIdle { deliver() }
      return
    }
    active.demand -= 1
    active.isDelivering = true
    active.hasChanged = false
    lock.unlock()
    let more = active.downstream.receive(value)
    effect.perform()
    grant(more)
    lock.lock()
    active.isDelivering = false
    let hasChanged = active.hasChanged
    lock.unlock()
    if hasChanged { deliver() }
  }

  /// Delivers pending signals, unless another thread is doing so.
  package func deliver() {
    lock.lock()
    guard let active = state.value.active, active.isIdle else { return lock.unlock() }
    active.isDelivering = true
    while state.value.active != nil {
      guard active.machine.hasSignal() else {
        active.isDelivering = false
        return lock.unlock()
      }
      let signal = active.machine.next(hasDemand: active.demand > .none)
      switch signal {
      case .value(let value, let effect):
        active.demand -= 1
        lock.unlock()
        let more = active.downstream.receive(value)
        effect.perform()
        grant(more)
      case .completion(let completion):
        state.value.active = nil
        lock.unlock()
        active.machine.cancel()
        return active.downstream.receive(completion: completion)
      case .nothing:
        active.isDelivering = false
        return lock.unlock()
      }
      lock.lock()
    }
    lock.unlock()
  }
}
