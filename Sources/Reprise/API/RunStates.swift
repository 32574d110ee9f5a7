// The states of a run as a publisher, for views that show where it is.

public import CombineOperators

/// The states of one run: what a view model shows.
///
/// - Values: the present state after subscribing, a later one whenever something has happened, and the last
///   one. States that follow one another within a hundredth of a second, or that come without demand, are
///   coalesced: a subscriber receives the latest, which may be ahead of the event that ``RunEvents`` is about
///   to deliver.
/// - Completion: `.finished` after the state in which the run has ended.
/// - Thread: that of ``RunEvents``, which a subscriber may block.
/// - Demand: honoured.
/// - Cancelling the subscription only stops the listening. The run goes on.
/// - Complexity: a state is copied when it is delivered, at most a hundred times a second, however many events
///   there are. (`events.scan(RunState())` copies it for each event, and so takes quadratic time.)
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

/// One subscriber with its demand, and whether there is a state that it has not received.
private final class StateSubscription<Downstream: Subscriber & SendableMetatype>: Subscription,
  EventListener
where Downstream.Input == RunState, Downstream.Failure == Never {
  private static var interval: Duration { .milliseconds(10) }

  private struct State {
    var downstream: Downstream?
    var demand = Subscribers.Demand.none
    var hasChanged = false
    var isFinished = false
    /// Whether a delivery is scheduled, or is not to be made before some time has passed.
    var isScheduled = false

    /// Whether a delivery must be scheduled now.
    mutating func mustSchedule() -> Bool {
      guard downstream != nil, hasChanged, demand > .none, !isScheduled else { return false }
      isScheduled = true
      return true
    }

    /// Takes the subscriber for the delivery of a state.
    mutating func takeDelivery() -> Downstream? {
      guard hasChanged, demand > .none else { return nil }
      hasChanged = false
      demand -= 1
      return downstream
    }

    /// Takes the subscriber for the completion.
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

  /// Delivers the present state, and schedules the next delivery.
  ///
  /// Runs on the ledger's queue, so never twice at once.
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

  /// Permits the next delivery, and schedules it if there is something to deliver.
  private func permit() {
    change { $0.isScheduled = false }
  }
}
