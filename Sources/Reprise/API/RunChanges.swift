// `RunChanges`: each event of a run together with the state that it leads to.

public import CombineOperators

/// An event of a run, and the state of the run directly after it.
public struct RunChange: Sendable {
  /// What happened.
  public let event: Event
  /// The state of the run after the event, and before the next one.
  public let state: RunState
}

/// The events of one run, each with the state that it leads to.
///
/// ``Run/state`` is the newest state, which can be ahead of the event that a subscriber handles; the state
/// of a change never is. The contract is that of ``RunEvents``, with its recap.
///
/// - Complexity: constant for each event. A subscriber that keeps a state, as `collect()` does, makes the
///   next event copy it: linear in the number of steps.
public struct RunChanges: Publisher, Sendable {
  /// An event with its state.
  public typealias Output = RunChange
  /// A run always ends with an event, never with an error.
  public typealias Failure = Never

  let events: RunEvents

  /// Subscribes; called by `subscribe(_:)`.
  ///
  /// - Parameter subscriber: The subscriber that receives the changes.
  public func receive<Downstream: Subscriber & SendableMetatype>(subscriber: Downstream)
  where Downstream.Input == RunChange, Downstream.Failure == Never {
    events.receive(subscriber: Folding(downstream: subscriber))
  }

  /// Folds the events for one subscriber.
  private final class Folding<Downstream: Subscriber & SendableMetatype>: Subscriber
  where Downstream.Input == RunChange, Downstream.Failure == Never {
    private let downstream: Downstream
    /// Used by the queue of the run only, for one event at a time.
    private var state = RunState()

    init(downstream: Downstream) {
      self.downstream = downstream
    }

    func receive(subscription: any Subscription) {
      downstream.receive(subscription: subscription)
    }

    func receive(_ event: Event) -> Subscribers.Demand {
      do throws(InvalidTransition) {
        try state.apply(event)
      } catch {
        // The recap and what follows it fold without errors: RunLedger makes the recap of the same state.
        preconditionFailure("\(error)")
      }
      // No reference to the state remains here after the call, so that the next event need not copy it.
      return downstream.receive(RunChange(event: event, state: state))
    }

    func receive(completion: Subscribers.Completion<Never>) {
      downstream.receive(completion: completion)
    }
  }
}
