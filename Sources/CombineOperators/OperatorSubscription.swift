// The subscription of every operator: lock, demand, and delivery.

import CombineShim

/// The next signal of an operator to its subscriber.
enum Signal<Output, Failure: Error> {
  /// A value, and an effect upstream after it has been delivered.
  case value(Output, then: Effect = .none)
  case completion(Subscribers.Completion<Failure>)
  /// Nothing can be delivered now.
  case nothing
}

/// The state machine of an operator: it decides under a lock and calls nothing.
///
/// Necessary calls are returned as an ``Effect`` or a ``Signal``.
protocol OperatorMachine: SendableMetatype {
  associatedtype Output
  associatedtype Failure: Error

  /// Records demand from downstream.
  mutating func request(_ demand: Subscribers.Demand) -> Effect

  /// Removes the next signal for downstream.
  ///
  /// - Parameter hasDemand: Whether there is unmet demand.
  /// - Returns: The signal.
  mutating func next(hasDemand: Bool) -> Signal<Output, Failure>

  /// Cancels remaining work; called once, after the end or a cancellation, outside of the lock.
  func cancel()
}

/// The subscription of a subscriber to an operator.
///
/// It owns the machine until the completion has been delivered or the subscriber has cancelled;
/// then it releases everything, outside of the lock.
final class OperatorSubscription<Machine: OperatorMachine>: Subscription, Sendable {
  typealias Downstream = any Subscriber<Machine.Output, Machine.Failure>

  private struct Active {
    let downstream: Downstream
    var machine: Machine
    /// The unmet demand from downstream.
    var demand = Subscribers.Demand.none

    mutating func change<Result>(_ body: (inout Machine) -> Result) -> Result { body(&machine) }

    mutating func grant(_ more: Subscribers.Demand) -> Effect {
      demand += more
      return machine.request(more)
    }

    mutating func next() -> Signal<Machine.Output, Machine.Failure> {
      let signal = machine.next(hasDemand: demand > .none)
      if case .value = signal, demand > .none { demand -= 1 }
      return signal
    }
  }

  private enum Delivery {
    case value(Downstream, Machine.Output, then: Effect)
    case completion(Active, Subscribers.Completion<Machine.Failure>)
    case nothing
  }

  /// The machine with its subscriber; nil after the end.
  private let active: Locked<Active?>
  private let loop = DrainLoop()

  init(_ machine: Machine, for downstream: Downstream) {
    active = Locked(Active(downstream: downstream, machine: machine))
  }

  /// Whether the subscriber still expects signals.
  var isActive: Bool { active.withLock { $0 != nil } }

  // MARK: From downstream

  func request(_ demand: Subscribers.Demand) {
    guard demand > .none else { return }
    grant(demand)
    deliver()
  }

  func cancel() {
    active.withLock { $0.take() }?.machine.cancel()
  }

  private func grant(_ demand: Subscribers.Demand) {
    guard demand > .none else { return }
    active.withLock { $0?.grant(demand) }?.perform()
  }

  // MARK: From upstream

  /// Stores the subscription to an upstream, or cancels it if it arrives too late.
  func receive(
    _ subscription: any Subscription, as upstream: (inout Machine, any Subscription) -> Effect
  ) {
    let effect = change { upstream(&$0, subscription) } ?? .cancel(subscription)
    effect.perform()
  }

  /// Updates the machine, performs the resulting effect, and delivers signals.
  ///
  /// Does nothing after the end.
  func update(_ body: (inout Machine) -> Effect) {
    guard let effect = change(body) else { return }
    effect.perform()
    deliver()
  }

  /// Updates the machine under the lock.
  ///
  /// - Returns: The result of the closure; nil after the end.
  func change<Result>(_ body: (inout Machine) -> Result) -> Result? {
    active.withLock { $0?.change(body) }
  }

  // MARK: To downstream

  /// Delivers pending signals; if several threads call this, one of them delivers all.
  func deliver() {
    loop.run { deliverNext() }
  }

  private func deliverNext() -> Bool {
    switch active.withLock(Self.next) {
    case .value(let downstream, let value, let effect):
      let more = downstream.receive(value)
      effect.perform()
      grant(more)
      return true
    case .completion(let ended, let completion):
      ended.machine.cancel()
      ended.downstream.receive(completion: completion)
      return false
    case .nothing:
      return false
    }
  }

  private static func next(_ active: inout Active?) -> Delivery {
    switch active?.next() {
    case .value(let value, let effect):
      guard let downstream = active?.downstream else { return .nothing }
      return .value(downstream, value, then: effect)
    case .completion(let completion):
      guard let ended = active.take() else { return .nothing }
      return .completion(ended, completion)
    case .nothing, nil:
      return .nothing
    }
  }
}
