// Runs that start, queue and restart by themselves: the engine's door for streams of events.

public import CombineOperators
public import WorkflowLanguage

extension Engine {
  /// Runs a workflow for the events of a publisher.
  ///
  ///     let subscription = engine.runs(of: workflow, on: saves, whenBusy: .restart)
  ///       .sink(receiveCompletion: { _ in }, receiveValue: { run in print(run.id) })
  ///
  /// It is cold: each subscription listens to the events and has runs of its own.
  ///
  /// - Values: each run when it begins, in the order in which they begin. `restart` takes a run again
  ///   in place, which publishes nothing.
  /// - Demand: no run begins, and with `restart` none is taken again, before it is asked for: the
  ///   demand of downstream, the end of runs and the limit of waiting events hold each other up.
  /// - Completion: when the events are over and the last run has ended; a failure of the events comes
  ///   then, too.
  /// - Cancellation: cancels the events and the runs under way; returns without waiting for their end. So does
  ///   leaving a loop over its `values`.
  /// - Threads: runs are delivered one after the other, from tasks; `onDrop` is called where events
  ///   come from, and is to be quick.
  ///
  /// - Parameters:
  ///   - workflow: What to run.
  ///   - events: What starts runs.
  ///   - whenBusy: What happens to an event that comes while a run is under way.
  ///   - secrets: The values of the secrets of the workflow.
  ///   - onDrop: Called with each event that starts no run because it is dropped, in order.
  /// - Returns: The publisher of the runs.
  public func runs<Events: Publisher>(
    of workflow: Workflow, on events: Events, whenBusy: WhenBusy = .queue(),
    secrets: Secrets = Secrets(), onDrop: @escaping @Sendable (Events.Output) -> Void = { _ in }
  ) -> RunsPublisher where Events.Output: Sendable {
    runs(on: events, whenBusy: whenBusy, secrets: secrets, onDrop: onDrop) { _ in workflow }
  }

  /// Runs what a closure makes of each event of a publisher.
  ///
  /// The contract is that of `runs(of:on:whenBusy:secrets:onDrop:)`. With `restart`, an event whose
  /// workflow has other steps than the run under way waits for the run's end and starts a new one.
  ///
  /// - Parameters:
  ///   - events: What starts runs.
  ///   - whenBusy: What happens to an event that comes while a run is under way.
  ///   - secrets: The values of the secrets of the workflows.
  ///   - onDrop: Called with each event that starts no run because it is dropped, in order.
  ///   - workflow: What to run for an event; nil for nothing.
  /// - Returns: The publisher of the runs.
  public func runs<Events: Publisher>(
    on events: Events, whenBusy: WhenBusy = .queue(), secrets: Secrets = Secrets(),
    onDrop: @escaping @Sendable (Events.Output) -> Void = { _ in },
    workflow: @escaping @Sendable (Events.Output) -> Workflow?
  ) -> RunsPublisher where Events.Output: Sendable {
    RunsPublisher(
      base: events.runs(
        policy(whenBusy, secrets: secrets, onDrop: onDrop, workflow: workflow)))
  }

  private func policy<Event: Sendable>(
    _ whenBusy: WhenBusy, secrets: Secrets, onDrop: @escaping @Sendable (Event) -> Void,
    workflow: @escaping @Sendable (Event) -> Workflow?
  ) -> RunsPolicy<Event> {
    RunsPolicy(
      whenBusy: whenBusy, onDrop: onDrop, fold: { $0 = $1 },
      begin: { event in workflow(event).map { start($0, secrets: secrets) } },
      again: { run, event in
        guard let workflow = workflow(event) else { return true }
        return (try? await run.restart(with: workflow)) ?? false
      })
  }

  /// Runs a workflow for the elements of a sequence.
  ///
  /// The contract is that of `runs(of:on:whenBusy:secrets:onDrop:)`. With `hold`, and with `parallel`
  /// where nothing limits how many wait, the sequence is asked for its next element when a run may begin,
  /// and so waits.
  ///
  /// - Parameters:
  ///   - workflow: What to run.
  ///   - events: What starts runs.
  ///   - whenBusy: What happens to an event that comes while a run is under way.
  ///   - secrets: The values of the secrets of the workflow.
  ///   - onDrop: Called with each event that starts no run because it is dropped, in order.
  /// - Returns: The publisher of the runs.
  public func runs<Events: AsyncSequence & Sendable>(
    of workflow: Workflow, on events: Events, whenBusy: WhenBusy = .queue(),
    secrets: Secrets = Secrets(), onDrop: @escaping @Sendable (Events.Element) -> Void = { _ in }
  ) -> RunsPublisher where Events.Element: Sendable {
    var policy = policy(whenBusy, secrets: secrets, onDrop: onDrop) { _ in workflow }
    policy.sourceWaits = true
    return RunsPublisher(base: events.publisher.runs(policy))
  }
}
