// `RunEvents`: the events of a run as a hot publisher with replay.

public import CombineOperators

/// The events of one run, from its beginning, regardless of when a subscriber joins.
///
/// - Replay: a subscriber first receives a short recap that folds to the current state
///   (transitions, and the last lines of output of each step), then every event as it happens, then
///   `.finished`.
/// - Threads: all subscribers of a run are called one after another on the run's own queue. They
///   may block it: the run continues, but steps that write much output are suspended
///   (back-pressure).
/// - Demand: honored. The run never waits for a subscriber without demand; a subscriber that is
///   more than 1,024 events behind misses output, but no transition.
/// - Cancellation: cancelling the subscription only stops delivery. The run continues.
public struct RunEvents: Publisher, Sendable {
  /// An event of the run.
  public typealias Output = Event
  /// A run always ends with an event, never with an error.
  public typealias Failure = Never

  let ledger: RunLedger

  /// Subscribes; called by `subscribe(_:)`.
  ///
  /// - Parameter subscriber: The subscriber that receives the events.
  public func receive<Downstream: Subscriber & SendableMetatype>(subscriber: Downstream)
  where Downstream.Input == Event, Downstream.Failure == Never {
    let subscription = EventSubscription(downstream: subscriber, ledger: ledger)
    subscriber.receive(subscription: subscription)
    ledger.join(subscription)
  }
}

/// One subscriber with its demand and the events that are not delivered yet.
private final class EventSubscription<Downstream: Subscriber & SendableMetatype>: Subscription,
  EventListener
where Downstream.Input == Event, Downstream.Failure == Never {
  private static var bufferMax: Int { 1024 }

  private struct State {
    var downstream: Downstream?
    var demand = Subscribers.Demand.none
    var buffer = Queue<Event>()
    var isFinished = false

    enum Next {
      case deliver(Downstream, Event)
      case complete(Downstream)
      case wait
    }

    mutating func next() -> Next {
      guard let downstream else { return .wait }
      guard buffer.isEmpty || demand > .none else { return .wait }
      if let event = buffer.popFirst() {
        demand -= 1
        return .deliver(downstream, event)
      }
      guard isFinished else { return .wait }
      self.downstream = nil
      return .complete(downstream)
    }
  }

  private let state: Locked<State>
  private let ledger: RunLedger

  init(downstream: Downstream, ledger: RunLedger) {
    state = Locked(State(downstream: downstream))
    self.ledger = ledger
  }

  func request(_ demand: Subscribers.Demand) {
    let mustFlush = state.withLock { state in
      state.demand += demand
      return !state.buffer.isEmpty
    }
    if mustFlush { ledger.onDeliveryQueue { self.flush() } }
  }

  func cancel() {
    let downstream = state.withLock { state in
      let downstream = state.downstream
      state.downstream = nil
      state.buffer.removeAll()
      return downstream
    }
    guard downstream != nil else { return }
    ledger.leave(self)
  }

  func receive(_ event: Event) {
    state.withLock { state in
      guard state.downstream != nil else { return }
      let isFarBehind = state.buffer.count >= Self.bufferMax
      if !(isFarBehind && event.isTransient) { state.buffer.append(event) }
    }
    flush()
  }

  func finish() {
    state.withLock { $0.isFinished = true }
    flush()
  }

  /// Delivers buffered events as far as the demand allows.
  ///
  /// Runs on the ledger's queue, so calls never overlap.
  private func flush() {
    while true {
      switch state.withLock({ $0.next() }) {
      case .deliver(let downstream, let event):
        let more = downstream.receive(event)
        state.withLock { $0.demand += more }
      case .complete(let downstream):
        downstream.receive(completion: .finished)
        return
      case .wait:
        return
      }
    }
  }
}
