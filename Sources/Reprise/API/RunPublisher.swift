// A run as a cold publisher: each subscription is one. Knows when a run may begin, nothing of what it does.

public import CombineOperators
import Synchronization
public import WorkflowLanguage

/// Why the publisher of a run has ended with a failure: the run did not succeed.
public struct RunFailure: Error, Sendable, Equatable, CustomStringConvertible {
  /// The id of the run.
  public let run: RunID
  /// How it ended.
  public let outcome: RunOutcome

  /// Says how a run ended.
  ///
  /// - Parameters:
  ///   - run: The id of the run.
  ///   - outcome: How it ended.
  public init(run: RunID, outcome: RunOutcome) {
    self.run = run
    self.outcome = outcome
  }

  /// What happened, as a clause, such as `run 3fk2m9x0ab: step "build" failed: exited with status 2`.
  public var description: String {
    "run \(run): \(outcome)"
  }
}

/// The events of runs: each subscription is a run of its own.
///
/// - Subscribing starts a run. When an earlier run of the same workflow by the same engine was cancelled by its
///   subscription and is not gone yet, the new one begins when it is: `switchToLatest` never has two alive.
/// - Values are the events of the run, on a queue of its own, with the demand and the replay of ``RunEvents``.
/// - It finishes when the run has succeeded, and fails with ``RunFailure`` when it ended otherwise, always after the
///   last event: so `retry` starts another run, and `catch` takes over from a failed one.
/// - Cancelling the subscription cancels the run, and returns at once: its steps end within their grace periods.
///   Nothing is delivered after that.
public struct RunPublisher: Publisher, Sendable {
  /// An event of the run.
  public typealias Output = Event
  /// How the run ended, if not well.
  public typealias Failure = RunFailure

  let engine: Engine
  let workflow: Workflow
  let secrets: Secrets

  /// Subscribes; called by `subscribe(_:)`.
  ///
  /// - Parameter subscriber: Who is to be told.
  public func receive<Downstream: Subscriber & SendableMetatype>(subscriber: Downstream)
  where Downstream.Input == Event, Downstream.Failure == RunFailure {
    let subscription = RunSubscription(downstream: subscriber, self)
    subscriber.receive(subscription: subscription)
    subscription.begin()
  }
}

extension Engine {
  /// The cold form of ``start(_:id:secrets:usualDurations:)``: subscribing starts a run, cancelling the subscription cancels
  /// it.
  ///
  ///     saves.map { _ in engine.publisher(for: workflow).catch { _ in Empty() } }.switchToLatest()
  ///
  /// - Parameters:
  ///   - workflow: What to run.
  ///   - secrets: The values of its secrets.
  /// - Returns: The publisher of its events.
  public func publisher(for workflow: Workflow, secrets: Secrets = Secrets()) -> RunPublisher {
    RunPublisher(engine: self, workflow: workflow, secrets: secrets)
  }
}

extension RunPublisher {
  /// The events of a run as an asynchronous sequence.
  ///
  /// A loop over it starts a run and ends with it: it throws ``RunFailure`` when the run did not succeed. Leaving the
  /// loop, in whatever way, cancels the run.
  public var values: CancellingAsyncPublisher<RunPublisher> { CancellingAsyncPublisher(self) }
}

/// One subscriber with the run that was started for it.
private final class RunSubscription<Downstream: Subscriber & SendableMetatype>: Subscription,
  Subscriber, Sendable
where Downstream.Input == Event, Downstream.Failure == RunFailure {
  typealias Input = Event
  typealias Failure = Never

  private struct State {
    /// Nil once it is over.
    var downstream: Downstream?
    var demand = Subscribers.Demand.none
    var run: Run?
    var events: (any Subscription)?
    var failure: RunFailure?
  }

  private let state: Locked<State>
  private let publisher: RunPublisher

  init(downstream: Downstream, _ publisher: RunPublisher) {
    state = Locked(State(downstream: downstream))
    self.publisher = publisher
  }

  private var succession: Succession { publisher.engine.succession }

  /// Starts the run, when nothing is left of those that were cancelled.
  func begin() {
    guard succession.hasLeaving(publisher.workflow.name) else { return start() }
    Task {
      await succession.gone(publisher.workflow.name)
      start()
    }
  }

  private func start() {
    // First of all: whoever is cancelled from now on has no run to leave, and yet one may be about to begin.
    let name = publisher.workflow.name
    succession.enter(name)
    defer { succession.exit(name) }
    guard state.withLock({ $0.downstream != nil }) else { return }
    let run = publisher.engine.start(publisher.workflow, secrets: publisher.secrets) { events in
      events.subscribe(self)
    }
    // It may be over already, and then there is nothing to keep.
    let isWanted = state.withLock { state in
      if state.downstream != nil { state.run = run }
      return state.downstream != nil
    }
    if !isWanted { succession.leave(run) }
  }

  /// Takes everything out, for the end.
  private func taken() -> State {
    state.withLock { state in
      defer {
        state.downstream = nil
        state.events = nil
        state.run = nil
      }
      return state
    }
  }

  // MARK: Downstream

  func request(_ demand: Subscribers.Demand) {
    let events = state.withLock { state -> (any Subscription)? in
      guard let events = state.events else {
        state.demand += demand
        return nil
      }
      return events
    }
    events?.request(demand)
  }

  func cancel() {
    let old = taken()
    guard old.downstream != nil else { return }
    old.events?.cancel()
    if let run = old.run { succession.leave(run) }
  }

  // MARK: Upstream

  func receive(subscription: any Subscription) {
    let demand = state.withLock { state -> Subscribers.Demand? in
      guard state.downstream != nil else { return nil }
      state.events = subscription
      defer { state.demand = .none }
      return state.demand
    }
    guard let demand else { return subscription.cancel() }
    if demand > .none { subscription.request(demand) }
  }

  func receive(_ event: Event) -> Subscribers.Demand {
    let downstream = state.withLock { state in
      if case .runEnded(let outcome) = event.kind, outcome != .succeeded {
        state.failure = RunFailure(run: event.run, outcome: outcome)
      }
      return state.downstream
    }
    return downstream?.receive(event) ?? .none
  }

  func receive(completion: Subscribers.Completion<Never>) {
    let old = taken()
    old.downstream?.receive(completion: old.failure.map { .failure($0) } ?? .finished)
  }
}

/// The runs that were cancelled because nobody wants them any more, until nothing is left of them; and those that are
/// about to begin, of which nobody knows yet whether they are wanted.
///
/// Safe to use from any thread.
final class Succession: Sendable {
  private struct Leaving {
    var count = 0
    var waiting = Waiters()
  }

  private let leaving = Mutex<[String: Leaving]>([:])

  init() {}

  /// Whether something is left of runs of a workflow, or about to begin.
  func hasLeaving(_ workflow: String) -> Bool { leaving.withLock { $0[workflow] != nil } }

  /// Cancels a run and keeps it until nothing of it is left.
  ///
  /// Returns at once.
  func leave(_ run: Run) {
    enter(run.workflow.name)
    run.cancel()
    Task {
      _ = await run.ended()
      exit(run.workflow.name)
    }
  }

  /// Has others wait until ``exit(_:)``.
  func enter(_ workflow: String) {
    leaving.withLock { $0[workflow, default: Leaving()].count += 1 }
  }

  /// Ends what one ``enter(_:)`` has begun.
  func exit(_ workflow: String) {
    let waiting = leaving.withLock { leaving in
      leaving[workflow]?.count -= 1
      guard let entry = leaving[workflow], entry.count == 0 else { return Waiters() }
      leaving[workflow] = nil
      return entry.waiting
    }
    waiting.wake()
  }

  /// Waits until nothing is left of runs of a workflow.
  func gone(_ workflow: String) async {
    await leaving.wait(until: { $0[workflow] == nil }, among: { $0[workflow]?.waiting.add($1) })
  }
}
