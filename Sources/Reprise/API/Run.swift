// `Run`: the caller's handle on one execution of a workflow. Forwards requests to the `RunDriver`.

import Synchronization
public import Workflows

/// One execution of a workflow: its events and state, and the methods that control it.
///
/// All members are thread-safe, and only ``outcome`` waits for the run to end. Releasing the last
/// reference cancels the run.
public final class Run: Sendable {
  /// The id of the run; restarts do not change it.
  public let id: RunID
  /// The workflow being run: that of the current generation.
  public var workflow: Workflow { ledger.plan.workflow }
  let ledger: RunLedger
  let runtime: Runtime
  let requests: AsyncStream<RunDriver.Request>.Continuation
  let end = SharedAnswer<RunOutcome>()
  /// The first signal that has cancelled the run.
  let stopSignal = Mutex<Int32?>(nil)
  /// The number of requests that were not answered yet.
  let openRequestCount = Mutex(0)

  /// Whether a run is new or resumed.
  enum Beginning {
    case start(RunID)
    case resume(RunID, RunState, [String: SetResult])
  }

  init(
    _ workflow: Workflow, _ beginning: Beginning, secrets: Secrets,
    usualDurations: [String: Duration], engine: Engine, listening: (RunEvents) -> Void = { _ in }
  ) {
    let state: RunState
    var (workflow, results) = (workflow, [String: SetResult]())
    switch beginning {
    case .start(let id):
      self.id = id
      state = RunState()
    case .resume(let id, let earlier, let set):
      self.id = id
      state = earlier
      results = set.mapValues { $0.masked(by: secrets.masker) }
      workflow = workflow.expanding(earlier.expansions)
    }
    let plan = Plan(workflow)
    runtime = engine.runtime
    let (stream, continuation) = AsyncStream.makeStream(of: RunDriver.Request.self)
    requests = continuation
    let live = engine.liveRuns.begin(id)
    // Another run with the same id must not be mixed up with this one.
    let observer = live == nil ? nil : engine.observer?.runStarted(id, of: workflow)
    ledger = RunLedger(
      run: id, of: plan, state: state, clock: engine.clock,
      recorder: live == nil ? nil : engine.recorder, runtime: engine.runtime,
      observer: observer.map(ObservingListener.init),
      onFailure: { continuation.yield(.input(.cancel(.abandoned($0)))) },
      onRelease: { continuation.yield(.release($0)) })
    live?.follow(ledger)
    listening(RunEvents(ledger: ledger))
    let restart = state.restartOfSurvivors(in: plan)
    let slots = Slots(
      for: plan, maxParallel: Engine.defaultMaxParallel, usualDurations: usualDurations,
      seed: engine.orderSeed)
    ledger.decide { [results] page in
      page.slots = slots
      page.controls = Array(repeating: StepControl(), count: plan.count)
      page.begin(usualDurations, setting: results, restartsLater: restart != nil)
      slots.follow(page.state)
      slots.letGoOn(plan.order.filter { page.controls[$0].isAdopting })
      // Nothing else starts before the restart is asked for again, below.
      if restart != nil { slots.setPaused(true) }
    }
    let cancelled = state.stepsBeingCancelled
    let performer = engine.makePerformer(
      of: id, state, ledger, slots, observer, secrets, continuation)
    let (run, clock, liveRuns) = (id, engine.clock, engine.liveRuns)
    runtime.startTask { [end] in
      var driver = RunDriver(
        performer: performer, requests: stream, requester: continuation, clock: clock)
      if live == nil { driver.problem = "a run with the id \"\(run)\" is in progress" }
      let outcome = await driver.drive()
      if let live { liveRuns.end(run, live) }
      // Refuse pending requests, so that no caller waits forever for an answer.
      continuation.finish()
      for await request in stream { request.refuse() }
      end.answer(outcome)
    }
    // What has survived the engine before, and was to be restarted or cancelled, still is.
    if let restart { restartAgain(from: restart, by: state.phaseRequester ?? .api) }
    for step in cancelled {
      request(.cancel(steps: [step.id], now: false), by: step.interventions.last?.by ?? .api) { _ in
      }
    }
  }

  deinit {
    requests.yield(.intervention(.cancel(.request), by: Requester(.release)) { _ in })
  }

  /// The events of the run, as a Combine publisher.
  ///
  /// `events.values` is the same as an async sequence.
  public var events: RunEvents { RunEvents(ledger: ledger) }

  /// The events of the run, each with the state that it leads to.
  ///
  /// ``state`` can be ahead of the event that a subscriber of ``events`` handles.
  public var changes: RunChanges { RunChanges(events: events) }

  /// The states of the run, for views: the current one, then updates as events occur.
  public var states: RunStates { RunStates(ledger: ledger) }

  /// The current state of the run and its steps.
  public var state: RunState { ledger.state }

  /// Waits for the run to end and returns its outcome.
  ///
  /// By then no process of any step is left, and the subscribers of ``events`` have received
  /// everything they requested. A subscriber that blocks delays the outcome. This does not cover a
  /// task that iterates `events.values`: wait for that task as well.
  ///
  /// Cancelling the waiting task ends the wait, not the run: the property then throws
  /// `CancellationError`, and the run goes on. To wait for the run in a task that may be cancelled, wait
  /// in an unstructured task: `try await Task { try await run.outcome }.value`.
  public var outcome: RunOutcome {
    get async throws(CancellationError) {
      guard let outcome = await end.value(), await ledger.delivered() else {
        throw CancellationError()
      }
      return outcome
    }
  }

  /// Waits until nothing of the run is left, even in a cancelled task.
  ///
  /// Does not wait for subscribers.
  package func ended() async -> RunOutcome {
    if let outcome = await end.value() { return outcome }
    return await Task { [end] in await end.value() ?? .cancelled }.value
  }

  /// Restarts the run from the beginning.
  ///
  /// Cancels the steps in progress, waits until nothing of them is left, resets all steps and
  /// starts the next generation. Returns immediately. Requests made while a restart is pending are
  /// coalesced into it. Does nothing once the run has ended or is being cancelled.
  public func restart() {
    request(.restart(from: []), by: .api) { _ in }
  }

  /// Restarts one step and its dependents; other branches continue, and earlier successes are kept.
  ///
  /// Returns immediately. Does nothing once the run has ended or is being cancelled.
  ///
  /// - Parameter step: The id of the step, or another selector (``Intervention``).
  /// - Throws: ``SelectionError`` if no step is selected.
  public func restart(from step: String) throws(SelectionError) {
    let (plan, state) = ledger.decide { ($0.plan, $0.state) }
    _ = try plan.selected(by: [step], in: state)
    request(.restart(from: [step]), by: .api) { _ in }
  }

  /// Restarts the run with another version of its workflow.
  ///
  /// Typically the same file, read again after a change, with other parameters, or for another
  /// trigger. Returns when the restart is accepted or refused, before it is complete.
  ///
  /// Steps may have been added, removed and changed. Without `steps`, all of them run again. With
  /// `steps`, other steps keep their results or go on running, as far as they have started; steps
  /// that are gone are stopped, and new steps run.
  ///
  /// - Parameters:
  ///   - workflow: The workflow of the next generation.
  ///   - steps: The ids of the steps to restart, along with their dependents; nil for all.
  /// - Returns: Whether the restart was accepted. It is refused if the run has ended or is being
  ///   cancelled, if `workflow` has secrets that were not fetched for this run, or if it cannot be
  ///   recorded.
  /// - Throws: ``SelectionError`` if `workflow` has no such step.
  public func restart(
    with workflow: Workflow, from steps: [String]? = nil
  ) async throws(SelectionError) -> Bool {
    let workflow = workflow.expanding(like: self.workflow)
    return try await reload(
      workflow, secrets: nil, .init(workflow, from: steps), by: .api, when: { _ in true })
  }

  /// Restarts the run with another version of its workflow, if `accept` returns true.
  ///
  /// - Parameters:
  ///   - workflow: The workflow of the next generation.
  ///   - secrets: Its secrets; nil to keep those of the run.
  ///   - extent: The steps to run again.
  ///   - requester: Who makes the request.
  ///   - accept: Called with the plan if the run can restart, before anything is changed; returns
  ///     whether to go ahead. Runs on its own queue, where it may block. The run handles no other
  ///     request until it returns.
  /// - Returns: Whether the restart was accepted.
  package func reload(
    _ workflow: Workflow, secrets: Secrets? = nil, _ extent: ReloadExtent,
    by requester: Requester = .api, accept: @escaping @Sendable (ReloadPlan) -> Bool
  ) async -> Bool {
    let queue = runtime.makeQueue("reprise.restart")
    return await reload(
      workflow, secrets: secrets, extent, by: requester,
      when: { plan in await queue.result { accept(plan) } })
  }

  private func reload(
    _ workflow: Workflow, secrets: Secrets?, _ extent: ReloadExtent, by requester: Requester,
    when accept: @escaping @Sendable (ReloadPlan) async -> Bool
  ) async -> Bool {
    await withCheckedContinuation { continuation in
      let request = RunDriver.Request.reload(
        ReloadRequest(
          workflow: workflow, secrets: secrets, extent: extent, requester: requester,
          accept: accept, answer: { continuation.resume(returning: $0) }))
      if case .terminated = requests.yield(request) { request.refuse() }
    }
  }

  /// Returns the ids of the steps that a selector selects.
  ///
  /// - Throws: ``SelectionError`` if it selects none.
  package func ids(selectedBy selector: String) throws(SelectionError) -> [String] {
    let (plan, state) = ledger.decide { ($0.plan, $0.state) }
    return try plan.selected(by: [selector], in: state).map { plan[$0].id }
  }

  /// Approves a step that is waiting for approval.
  ///
  /// Returns immediately, before the approval is recorded; ``perform(_:by:)`` returns when it is.
  ///
  /// - Parameters:
  ///   - step: The id of the step.
  ///   - values: The values that the approval asks for, as text by name; those with a default can
  ///     be omitted.
  /// - Returns: Whether the step was waiting for approval and the values were accepted.
  /// - Throws: ``SelectionError`` if the workflow has no such step.
  @discardableResult
  public func approve(
    _ step: String, values: [String: String] = [:]
  ) throws(SelectionError) -> Bool {
    try answer(step, isApproved: true, values)
  }

  /// Rejects a step that is waiting for approval; the step fails.
  ///
  /// Returns immediately, before it is recorded; ``perform(_:by:)`` returns when it is.
  ///
  /// - Parameter step: The id of the step.
  /// - Returns: Whether the step was waiting for approval.
  /// - Throws: ``SelectionError`` if the workflow has no such step.
  @discardableResult
  public func refuse(_ step: String) throws(SelectionError) -> Bool {
    try answer(step, isApproved: false)
  }

  /// Approves or rejects a step that is waiting for approval.
  @discardableResult
  package func answer(
    _ step: String, isApproved: Bool, _ values: [String: String] = [:]
  ) throws(SelectionError) -> Bool {
    if case .success = try approve(.success(step), isApproved: isApproved, values, by: .api) {
      true
    } else {
      false
    }
  }

  /// Cancels the run: no new step starts, and running steps must stop within their grace periods.
  ///
  /// Then the steps under `finally` run. If they run already, they go on, and nothing more is undone;
  /// ``kill()`` stops them. Further calls have no effect. A cancel is final: a program that starts does
  /// not resume the run. To stop the program, see ``interrupt()``.
  ///
  /// Returns immediately, before the cancel is recorded. To confirm it to a user, use
  /// `try await run.perform(.cancel())`, which returns when it is.
  public func cancel() {
    request(.cancel(steps: [], now: false), by: .api) { _ in }
  }

  /// Stops the run because its program ends, so that the program can resume it at its next start.
  ///
  /// No new step starts, and running steps must stop within their grace periods, as with ``cancel()``.
  /// Unlike there, neither the steps under `finally` nor those that undo others run: they do at the end
  /// of the resumed run. The outcome is ``RunOutcome/interrupted``, and a recorded run is one of
  /// `journal.unfinishedRuns(of:)`. Returns immediately; does nothing once the run has ended or is being
  /// cancelled. ``cancel()`` still cancels a run that is being interrupted.
  public func interrupt() {
    requests.yield(.intervention(.cancel(.interrupted), by: .api) { _ in })
  }

  /// Cancels the run because of a problem; its outcome is then ``RunOutcome/abandoned(_:)``.
  ///
  /// For a failure of something that the run depends on. Returns immediately; does nothing once the
  /// run has ended or is being cancelled.
  ///
  /// - Parameter problem: A human-readable description of the problem.
  public func abandon(because problem: String) {
    requests.yield(.input(.cancel(.abandoned(problem))))
  }

  /// Cancels the run without a grace period: kills the processes of all steps.
  ///
  /// Returns immediately. In-process steps cannot be killed; they are cancelled.
  public func kill() {
    request(.cancel(steps: [], now: true), by: .api) { _ in }
  }
}

extension Engine {
  /// Makes what performs the steps of a run, and reports to its driver.
  fileprivate func makePerformer(
    of id: RunID, _ state: RunState, _ ledger: RunLedger, _ slots: Slots,
    _ observer: (any RunObserver)?, _ secrets: Secrets,
    _ requests: AsyncStream<RunDriver.Request>.Continuation
  ) -> StepPerformer {
    let parts = RunParts(
      executor: executor, registry: registry, runners: runners,
      sharedWork: sharedWork, pools: pools, poolFolder: poolFolder, observer: observer,
      ledger: ledger, slots: slots, secrets: secrets, cache: cache,
      memoryQueue: runtime.makeQueue("reprise.memory"), clock: clock, runtime: runtime,
      engine: self, terminal: terminal, folder: runFolders.map { RunFolder(of: id, in: $0) },
      watch: watch,
      stepEnded: { requests.yield(.input(.stepEnded($0))) },
      expansionRequested: { requests.yield(.expansion($0)) },
      retryRequested: { requests.yield(.retry($0)) })
    return StepPerformer(parts)
  }
}
