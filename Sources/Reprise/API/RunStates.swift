// `RunStates`: the states of a run as a coalescing publisher, for views.

public import CombineOperators

/// The states of one run, for view models.
///
/// - Values: the current state on subscription, updates as events occur, and the final state.
///   States less than 10 ms apart, or without demand, are coalesced: a subscriber receives the
///   latest state, which may already include an event that ``RunEvents`` has yet to deliver.
/// - Completion: `.finished` after the state in which the run has ended.
/// - Threads: the same queue as ``RunEvents``; a subscriber may block it.
/// - Demand: honored.
/// - Cancellation: cancelling the subscription only stops delivery. The run continues.
/// - Complexity: a state is copied per delivery, at most 100 times a second, regardless of the
///   number of events. (`events.scan(RunState())` copies the state for each event, which takes
///   quadratic time.)
public struct RunStates: Publisher, Sendable {
  /// A state of the run.
  public typealias Output = RunState
  /// A run always ends with a state, never with an error.
  public typealias Failure = Never

  let ledger: RunLedger

  /// Subscribes; called by `subscribe(_:)`.
  ///
  /// - Parameter subscriber: The subscriber that receives the states.
  public func receive<Downstream: Subscriber & SendableMetatype>(subscriber: Downstream)
  where Downstream.Input == RunState, Downstream.Failure == Never {
    let subscription = StateSubscription(downstream: subscriber, ledger: ledger)
    subscriber.receive(subscription: subscription)
    ledger.join(subscription)
  }
}

/// One subscriber with its demand and a flag for an undelivered state.
private final class StateSubscription<Downstream: Subscriber & SendableMetatype>: Subscription,
  EventListener
where Downstream.Input == RunState, Downstream.Failure == Never {
  private static var interval: Duration { .milliseconds(10) }

  private struct State {
    var downstream: Downstream?
    var demand = Subscribers.Demand.none
    var hasChanged = false
    var isFinished = false
    /// Whether a delivery is scheduled, or the minimum interval since the last one has not elapsed.
    var isScheduled = false

    /// Returns whether a delivery must be scheduled now, and if so records that it is.
    mutating func mustSchedule() -> Bool {
      guard downstream != nil, hasChanged, demand > .none, !isScheduled else { return false }
      isScheduled = true
      return true
    }

    /// Returns the subscriber if a state is due, and consumes its demand.
    mutating func takeDelivery() -> Downstream? {
      guard hasChanged, demand > .none else { return nil }
      hasChanged = false
      demand -= 1
      return downstream
    }

    /// Takes the subscriber if the completion is due.
    mutating func takeCompletion() -> Downstream? {
      guard isFinished, !hasChanged else { return nil }
      return downstream.take()
    }
  }

  private let state: Locked<State>
  private let ledger: RunLedger

  init(downstream: Downstream, ledger: RunLedger) {
    state = Locked(State(downstream: downstream))
    self.ledger = ledger
  }

  func request(_ demand: Subscribers.Demand) {
    change { $0.demand += demand }
  }

  func cancel() {
    let downstream = state.withLock { $0.downstream.take() }
    guard downstream != nil else { return }
    ledger.leave(self)
  }

  func receive(_ event: Event) {
    change { $0.hasChanged = true }
  }

  func finish() {
    state.withLock { state in
      state.isFinished = true
      // The last state is not delayed.
      state.isScheduled = true
    }
    deliver()
  }

  private func change(_ body: (inout State) -> Void) {
    let mustSchedule = state.withLock { state in
      body(&state)
      return state.mustSchedule()
    }
    if mustSchedule { ledger.onDeliveryQueue { self.deliver() } }
  }

  /// Delivers the current state and schedules the next delivery.
  ///
  /// Runs on the ledger's queue, so calls never overlap.
  private func deliver() {
    if let downstream = state.withLock({ $0.takeDelivery() }) {
      let more = downstream.receive(ledger.state)
      state.withLock { $0.demand += more }
      if !state.withLock({ $0.isFinished }) {
        return ledger.onDeliveryQueue(after: Self.interval) { self.permit() }
      }
    }
    state.withLock { $0.takeCompletion() }?.receive(completion: .finished)
    permit()
  }

  /// Ends the interval, and schedules the next delivery if there is a new state.
  private func permit() {
    change { $0.isScheduled = false }
  }
}
