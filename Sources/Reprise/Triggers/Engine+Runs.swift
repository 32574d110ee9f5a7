// Runs started by the events of a publisher or an asynchronous sequence.

public import CombineOperators
public import Workflows

extension Engine {
  /// Runs a workflow for each event of a publisher.
  ///
  ///     let subscription = engine.runs(of: workflow, on: saves, whenBusy: .restart)
  ///       .sink(receiveCompletion: { _ in }, receiveValue: { run in print(run.id) })
  ///
  /// The publisher is cold: each subscription subscribes to the events and has its own runs.
  ///
  /// - Values: each run when it begins, in order. With `restart`, an event restarts the current
  ///   run, which emits nothing.
  /// - Demand: no run begins, and with `restart` no run is restarted, without demand. Back-pressure
  ///   combines the demand from downstream, the end of runs and the limit of waiting events.
  /// - Completion: when the events have completed and the last run has ended. A failure of the
  ///   events is also delivered then.
  /// - Cancellation: cancels the subscription to the events and the runs in progress; returns
  ///   without waiting for the runs to end. Leaving a loop over `values` does the same.
  /// - Threads: runs are delivered one at a time, from tasks. `onDrop` is called on the thread that
  ///   sends the event, and must return quickly.
  ///
  /// - Parameters:
  ///   - workflow: The workflow to run.
  ///   - events: The publisher whose events start runs.
  ///   - whenBusy: What happens to an event that arrives while a run is in progress.
  ///   - secrets: The values of the secrets of the workflow.
  ///   - onDrop: Called with each event that is dropped, and so starts no run, in order.
  /// - Returns: The publisher of the runs.
  public func runs<Events: Publisher>(
    of workflow: Workflow, on events: Events, whenBusy: WhenBusy = .queue(),
    secrets: Secrets = Secrets(), onDrop: @escaping @Sendable (Events.Output) -> Void = { _ in }
  ) -> RunsPublisher where Events.Output: Sendable {
    runs(on: events, whenBusy: whenBusy, secrets: secrets, onDrop: onDrop) { _ in workflow }
  }

  /// Runs the workflow that a closure returns for each event of a publisher.
  ///
  /// The contract is that of `runs(of:on:whenBusy:secrets:onDrop:)`. With `restart`, the run in
  /// progress restarts with the workflow of the event, whose steps may differ.
  ///
  /// - Parameters:
  ///   - events: The publisher whose events start runs.
  ///   - whenBusy: What happens to an event that arrives while a run is in progress.
  ///   - secrets: The values of the secrets of the workflows.
  ///   - onDrop: Called with each event that is dropped, and so starts no run, in order.
  ///   - workflow: Returns the workflow to run for an event; nil to run none.
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
      restart: { run, event in
        guard let workflow = workflow(event) else { return true }
        return (try? await run.restart(with: workflow)) ?? false
      })
  }

  /// Runs a workflow for each element of an asynchronous sequence.
  ///
  /// The contract is that of `runs(of:on:whenBusy:secrets:onDrop:)`. With `hold`, and with
  /// `parallel` without a limit of waiting events, the next element is requested only when a run
  /// may begin, so the sequence waits.
  ///
  /// - Parameters:
  ///   - workflow: The workflow to run.
  ///   - events: The sequence whose elements start runs.
  ///   - whenBusy: What happens to an element that arrives while a run is in progress.
  ///   - secrets: The values of the secrets of the workflow.
  ///   - onDrop: Called with each element that is dropped, and so starts no run, in order.
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
