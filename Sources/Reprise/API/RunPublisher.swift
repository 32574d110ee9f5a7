// `RunPublisher`: a run as a cold publisher. Each subscription starts a run of its own.

public import CombineOperators
import Synchronization
public import Workflows

/// The failure of a ``RunPublisher``: the run did not succeed.
public struct RunFailure: Error, Sendable, Equatable, CustomStringConvertible {
  /// The id of the run.
  public let run: RunID
  /// The outcome of the run.
  public let outcome: RunOutcome

  /// Creates a failure.
  ///
  /// - Parameters:
  ///   - run: The id of the run.
  ///   - outcome: The outcome of the run.
  public init(run: RunID, outcome: RunOutcome) {
    self.run = run
    self.outcome = outcome
  }

  /// The run and its outcome, such as `run 3fk2m9x0ab: step "build" failed: exited with status 2`.
  public var description: String {
    "run \(run): \(outcome)"
  }
}

/// A cold publisher that starts a run for each subscription and delivers its events.
///
/// - Subscription: subscribing starts a run. If an earlier run of the same workflow and engine was
///   cancelled by its subscription and is still stopping, the new run starts once it is gone, so
///   `switchToLatest` never has two live runs.
/// - Values: the events of the run, on the run's own queue, with the demand and replay of
///   ``RunEvents``.
/// - Completion: `.finished` if the run succeeds, otherwise ``RunFailure``, always after the last
///   event. So `retry` starts another run, and `catch` replaces a failed one.
/// - Cancellation: cancelling the subscription cancels the run and returns immediately; the steps
///   stop within their grace periods. Nothing is delivered afterwards.
public struct RunPublisher: Publisher, Sendable {
  /// An event of the run.
  public typealias Output = Event
  /// The outcome of a run that did not succeed.
  public typealias Failure = RunFailure

  let engine: Engine
  let workflow: Workflow
  let secrets: Secrets

  /// Subscribes; called by `subscribe(_:)`.
  ///
  /// - Parameter subscriber: The subscriber that receives the events.
  public func receive<Downstream: Subscriber & SendableMetatype>(subscriber: Downstream)
  where Downstream.Input == Event, Downstream.Failure == RunFailure {
    let subscription = RunSubscription(downstream: subscriber, self)
    subscriber.receive(subscription: subscription)
    subscription.begin()
  }
}

extension Engine {
  /// Returns a publisher that starts a run per subscription and cancels it with the subscription.
  ///
  /// The cold counterpart of ``start(_:id:secrets:usualDurations:)``:
  ///
  ///     saves.map { _ in engine.publisher(for: workflow).catch { _ in Empty() } }.switchToLatest()
  ///
  /// - Parameters:
  ///   - workflow: The workflow to run.
  ///   - secrets: The values of its secrets.
  /// - Returns: A publisher of the events of each run.
  public func publisher(for workflow: Workflow, secrets: Secrets = Secrets()) -> RunPublisher {
    RunPublisher(engine: self, workflow: workflow, secrets: secrets)
  }
}

extension RunPublisher {
  /// The events of a run as an asynchronous sequence.
  ///
  /// Each iteration starts a run. It throws ``RunFailure`` if the run does not succeed. Leaving the
  /// loop in any way cancels the run.
  public var values: CancellingAsyncPublisher<RunPublisher> { CancellingAsyncPublisher(self) }
}

/// One subscriber with the run that was started for it.
private final class RunSubscription<Downstream: Subscriber & SendableMetatype>: Subscription,
  Subscriber, Sendable
where Downstream.Input == Event, Downstream.Failure == RunFailure {
  typealias Input = Event
  typealias Failure = Never

  private struct State {
    /// Nil once the subscription has completed or was cancelled.
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

  private var cancelledRuns: CancelledRuns { publisher.engine.cancelledRuns }

  /// Starts the run, once all cancelled runs of the workflow are gone.
  func begin() {
    guard cancelledRuns.hasLeaving(publisher.workflow.name) else { return start() }
    Task {
      await cancelledRuns.gone(publisher.workflow.name)
      start()
    }
  }

  private func start() {
    // Enter first: if this subscription is cancelled before `run` is stored, a later subscription
    // must still wait for the run that is being started here.
    let name = publisher.workflow.name
    cancelledRuns.enter(name)
    defer { cancelledRuns.exit(name) }
    guard state.withLock({ $0.downstream != nil }) else { return }
    let run = publisher.engine.start(publisher.workflow, secrets: publisher.secrets) { events in
      events.subscribe(self)
    }
    // The subscription may have completed or been cancelled in the meantime.
    let isWanted = state.withLock { state in
      if state.downstream != nil { state.run = run }
      return state.downstream != nil
    }
    if !isWanted { cancelledRuns.leave(run) }
  }

  /// Clears the state, on completion or cancellation, and returns its previous value.
  private func takeState() -> State {
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
    let old = takeState()
    guard old.downstream != nil else { return }
    old.events?.cancel()
    if let run = old.run { cancelledRuns.leave(run) }
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
      if case .runEnded(let outcome) = event.kind, !outcome.isSuccess {
        state.failure = RunFailure(run: event.run, outcome: outcome)
      }
      return state.downstream
    }
    return downstream?.receive(event) ?? .none
  }

  func receive(completion: Subscribers.Completion<Never>) {
    let old = takeState()
    old.downstream?.receive(completion: old.failure.map { .failure($0) } ?? .finished)
  }
}

/// Tracks cancelled runs until they are gone, so that a new run of the same workflow can wait.
///
/// Also counts runs that are starting, because they may turn out to be unwanted.
///
/// Thread-safe.
final class CancelledRuns: Sendable {
  private struct Leaving {
    var count = 0
    var waiting = Waiters()
  }

  private let leaving = Mutex<[String: Leaving]>([:])

  init() {}

  /// Returns whether runs of a workflow are stopping or starting.
  func hasLeaving(_ workflow: String) -> Bool { leaving.withLock { $0[workflow] != nil } }

  /// Cancels a run and retains it until it has ended completely.
  ///
  /// Returns immediately.
  func leave(_ run: Run) {
    enter(run.workflow.name)
    run.cancel()
    Task {
      _ = await run.ended()
      exit(run.workflow.name)
    }
  }

  /// Makes ``gone(_:)`` wait until the matching ``exit(_:)``.
  func enter(_ workflow: String) {
    leaving.withLock { $0[workflow, default: Leaving()].count += 1 }
  }

  /// Ends one ``enter(_:)``, and wakes the waiters if it was the last.
  func exit(_ workflow: String) {
    let waiting = leaving.withLock { leaving in
      leaving[workflow]?.count -= 1
      guard let entry = leaving[workflow], entry.count == 0 else { return Waiters() }
      leaving[workflow] = nil
      return entry.waiting
    }
    waiting.wake()
  }

  /// Waits until no run of a workflow is stopping or starting.
  func gone(_ workflow: String) async {
    await leaving.wait(until: { $0[workflow] == nil }, among: { $0[workflow]?.waiting.add($1) })
  }
}
