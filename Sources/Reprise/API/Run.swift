// One execution of a workflow, as whoever started it holds it. All it does is ask the driver.

public import WorkflowLanguage

/// One execution of a workflow: what happens in it, and the means to steer it.
///
/// All members may be used from any thread; none but ``outcome`` waits for the end. When the last reference is
/// dropped, the run is cancelled: nobody is left who could want its end.
public final class Run: Sendable {
  /// The id of the run; it stays through all restarts.
  public let id: RunID
  /// What is being run; its steps stay the same through all restarts.
  public let workflow: Workflow
  private let ledger: RunLedger
  private let runtime: Runtime
  private let requests: AsyncStream<RunDriver.Request>.Continuation
  private let end = SharedAnswer<RunOutcome>()

  /// How a run comes about.
  enum Beginning {
    case start(RunID)
    case resume(RunID, RunState)
  }

  init(
    _ workflow: Workflow, _ beginning: Beginning, secrets: Secrets,
    usualDurations: [String: Duration],
    engine: Engine, listening: (RunEvents) -> Void = { _ in }
  ) {
    let state: RunState
    switch beginning {
    case .start(let id):
      self.id = id
      state = RunState()
    case .resume(let id, let earlier):
      self.id = id
      state = earlier
    }
    self.workflow = workflow
    runtime = engine.runtime
    let (stream, continuation) = AsyncStream.makeStream(of: RunDriver.Request.self)
    requests = continuation
    let observer = engine.observer?.runBegins(id, of: workflow)
    ledger = RunLedger(
      run: id, state: state, clock: engine.clock, recorder: engine.recorder,
      runtime: engine.runtime, observer: observer.map(ObservingListener.init),
      onFailure: { continuation.yield(.input(.cancel(.abandoned($0)))) })
    listening(RunEvents(ledger: ledger))
    ledger.decide { page in
      page.controls = Array(repeating: StepControl(), count: workflow.graph.count)
      page.mainCount = workflow.graph.count - workflow.finallyCount
      page.begin(workflow, usualDurations)
    }
    let performer = StepPerformer(
      workflow: workflow, executor: engine.executor, registry: engine.registry,
      sharedWork: engine.sharedWork, observer: observer, ledger: ledger,
      slots: Slots(for: workflow, maxParallel: Engine.defaultMaxParallel),
      secrets: secrets, cache: engine.cache,
      memoryQueue: engine.runtime.makeQueue("reprise.memory"), clock: engine.clock,
      runtime: engine.runtime,
      stepEnded: { continuation.yield(.input(.stepEnded($0))) })
    let clock = engine.clock
    Task { [end] in
      var driver = RunDriver(
        performer: performer, requests: stream, requester: continuation, clock: clock)
      let outcome = await driver.drive()
      // Nobody may wait for the answer of a run that is over.
      continuation.finish()
      for await request in stream { request.refuse() }
      end.answer(outcome)
    }
  }

  deinit {
    requests.yield(.input(.cancel(.request)))
  }

  /// What happens, as a Combine publisher; `events.values` is the same as an async sequence.
  public var events: RunEvents { RunEvents(ledger: ledger) }

  /// The states of the run, for views: the present one, and a later one whenever something has happened.
  public var states: RunStates { RunStates(ledger: ledger) }

  /// Where the run and its steps stand at this moment.
  public var state: RunState { ledger.state }

  /// Waits for the end of the run and returns how it ended.
  ///
  /// By then no process of any step is left, and the subscribers of ``events`` have received what they had
  /// requested. A subscriber that blocks delays the outcome. What a task reads from `events.values` is a
  /// subscriber's own business: wait for that task as well.
  ///
  /// Cancelling the task that waits ends the wait and not the run: the outcome is then
  /// ``RunOutcome/cancelled`` although the run continues, as `Task.isCancelled` and ``state`` show. To wait
  /// in a cancelled task until nothing of the run is left, wait in a task of its own:
  /// `await Task { await run.outcome }.value`.
  public var outcome: RunOutcome {
    get async {
      guard let outcome = await end.value(), await ledger.delivered() else { return .cancelled }
      return outcome
    }
  }

  /// Waits until nothing of the run is left: also in a cancelled task, and without waiting for subscribers.
  package func ended() async -> RunOutcome {
    if let outcome = await end.value() { return outcome }
    return await Task { [end] in await end.value() ?? .cancelled }.value
  }

  /// Takes the run again from the top: cancels what is under way, waits until it is gone, resets all
  /// steps and starts the next generation.
  ///
  /// Returns at once. Requests that come while a restart waits fold into it. Does nothing once the
  /// run is over or being cancelled.
  public func restart() {
    requests.yield(.input(.restart(from: [], requestedIn: generation)))
  }

  /// Takes one step again, with all that depends on it; the other branches go on, and what has
  /// succeeded before it is kept.
  ///
  /// Returns at once. Does nothing once the run is over or being cancelled.
  ///
  /// - Parameter step: The id of the step.
  /// - Throws: ``SelectionError`` when the workflow has no such step.
  public func restart(from step: String) throws(SelectionError) {
    requests.yield(
      .input(.restart(from: try workflow.found(step), requestedIn: generation)))
  }

  /// Takes the run again with other values: those of a workflow that was read once more, with other
  /// parameters or for another event.
  ///
  /// Returns when that is decided, not when it is done.
  ///
  /// - Parameters:
  ///   - workflow: What the next generation runs. Its steps must be those of this run.
  ///   - steps: The ids of the steps to take again, with all that depends on them; all when nil.
  /// - Returns: Whether the run is taken again: not when it is over or being cancelled, nor when the
  ///   steps are others.
  /// - Throws: ``SelectionError`` when the workflow has no such step.
  public func restart(
    with workflow: Workflow, from steps: [String]? = nil
  ) async throws(SelectionError) -> Bool {
    try await restart(with: workflow, from: steps, when: { true })
  }

  /// Takes the run again with other values, if a last word says so.
  ///
  /// - Parameters:
  ///   - workflow: What the next generation runs.
  ///   - steps: The ids of the steps to take again; all when nil.
  ///   - accept: Called when the run can restart, before anything of that is done: whether it does. Runs
  ///     on a queue of its own, where it may block; the run takes no other request until it returns.
  /// - Returns: Whether the run is taken again.
  /// - Throws: ``SelectionError`` when the workflow has no such step.
  package func restart(
    with workflow: Workflow, from steps: [String]?, accept: @escaping @Sendable () -> Bool
  ) async throws(SelectionError) -> Bool {
    let queue = runtime.makeQueue("reprise.restart")
    return try await restart(
      with: workflow, from: steps, when: { await queue.result(of: accept) })
  }

  private func restart(
    with workflow: Workflow, from steps: [String]?,
    when accept: @escaping @Sendable () async -> Bool
  ) async throws(SelectionError) -> Bool {
    var found: [StepIndex] = []
    for step in steps ?? [] { found += try self.workflow.found(step) }
    return await withCheckedContinuation { [found] continuation in
      let request = RunDriver.Request.restartAnew(
        from: found, as: workflow, accept: accept, answer: { continuation.resume(returning: $0) })
      if case .terminated = requests.yield(request) { request.refuse() }
    }
  }

  /// Approves a step that waits for that.
  ///
  /// Returns at once.
  ///
  /// - Parameter step: The id of the step.
  /// - Returns: Whether the step was waiting for that.
  /// - Throws: ``SelectionError`` when the workflow has no such step.
  @discardableResult
  public func approve(_ step: String) throws(SelectionError) -> Bool {
    try answer(step, isApproved: true)
  }

  /// Refuses a step that waits for approval, which fails it.
  ///
  /// Returns at once.
  ///
  /// - Parameter step: The id of the step.
  /// - Returns: Whether the step was waiting for approval.
  /// - Throws: ``SelectionError`` when the workflow has no such step.
  @discardableResult
  public func refuse(_ step: String) throws(SelectionError) -> Bool {
    try answer(step, isApproved: false)
  }

  /// Approves a step or refuses it.
  @discardableResult
  package func answer(_ step: String, isApproved: Bool) throws(SelectionError) -> Bool {
    let found = try workflow.found(step)
    let tickets = ledger.decide { page in
      found.compactMap { page.controls[$0.position].takeApproval() }
    }
    return tickets.filter { $0.answer(isApproved) }.count > 0
  }

  private var generation: Int { ledger.decide { $0.state.generation } }

  /// Cancels the run: no new step starts, and those that run are told to end within their grace
  /// periods.
  ///
  /// Returns at once; a second call changes nothing.
  public func cancel() {
    requests.yield(.input(.cancel(.request)))
  }

  /// Cancels the run because something that it cannot do without has failed; its outcome tells so.
  ///
  /// Returns at once; does nothing once the run is over or being cancelled.
  ///
  /// - Parameter problem: What has failed, for people.
  public func abandon(because problem: String) {
    requests.yield(.input(.cancel(.abandoned(problem))))
  }

  /// Cancels the run without any grace: the processes of all steps are killed.
  ///
  /// Returns at once. In-process steps cannot be killed; they are cancelled.
  public func kill() {
    requests.yield(.input(.kill))
  }
}

extension RunLedger.Page {
  /// Tells that the run begins, or begins again.
  fileprivate mutating func begin(_ workflow: Workflow, _ usualDurations: [String: Duration]) {
    let plan = RunPlan(workflow, usualDurations: usualDurations)
    guard state.phase != .notStarted else {
      return tell(.runStarted(plan), generation: 1)
    }
    tell(.runResumed(plan))
    let remaining = state.steps.enumerated()
      .filter { !$0.element.phase.isSuccess || $0.offset >= mainCount }.map(\.element.id)
    tell(.generationStarted(reset: remaining), generation: state.generation + 1)
  }
}
