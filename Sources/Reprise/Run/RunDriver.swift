// Takes a run from its first step to its end, through cancels and restarts. Knows when steps are
// started and stopped; what a step does is the performer's business.

import WorkflowLanguage

/// Drives one run: a loop over the requests that reach it, in the order in which they came.
///
/// Everything that starts or stops steps happens in this loop, one request at a time; so a restart
/// never crosses a cancel, and two generations are never alive at once. The invariant: a step is
/// connected to the pipeline only while the state of the run is not waiting for its old self.
struct RunDriver: Sendable {
  /// What can be asked of a run, and what the performer tells it.
  enum Request: Sendable {
    /// Take the run again from the top (no steps), or from some; with the generation in which that was
    /// asked.
    case restart(from: [StepIndex], askedIn: Int)
    /// The same, with other values from then on. Whoever asks is told whether that is possible, and has
    /// the last word on whether it is done.
    case restartAnew(from: [StepIndex], as: Workflow, decide: @Sendable (Bool) -> Bool)
    case cancel(CancellationCause)
    /// Cancel without grace.
    case kill
    /// A step ended, and that may be what the run waits for.
    case stepEnded(StepIndex)
    /// The workflow's `timeout` is over for a generation.
    case timedOut(generation: Int)

    /// Tells whoever waits for an answer that the run is over.
    func refuse() {
      if case .restartAnew(_, _, let decide) = self { _ = decide(false) }
    }
  }

  private(set) var workflow: Workflow
  let ledger: RunLedger
  private(set) var performer: StepPerformer
  let requests: AsyncStream<Request>
  let requestAgain: AsyncStream<Request>.Continuation
  let clock: any RunClock

  private var graph: Graph { workflow.graph }
  private var finallySteps: ArraySlice<StepIndex> { graph.indices.suffix(workflow.finallyCount) }

  /// Runs the workflow to its end.
  ///
  /// Called once.
  ///
  /// - Returns: How it ended; the event that tells it has been recorded by then.
  mutating func drive() async -> RunOutcome {
    let pipeline = Pipeline<StepResult>(graph: graph).execution()
    defer { pipeline.disconnect() }
    let generation = ledger.state.generation
    var course = Course(generation: generation)
    // That there is a run is durable before the first of its processes exists.
    // Where it cannot be, the request to abandon it is on its way.
    var alarm: Task<Void, Never>?
    if let problem = performer.secrets.problem(with: workflow) {
      // What is not known cannot be hidden, so nothing of the run may begin.
      cancel(.abandoned(problem), &course, pipeline)
    } else if await ledger.recorded() == nil {
      alarm = start(graph.topologicalOrder, in: pipeline, generation: generation)
    }
    defer { alarm?.cancel() }
    if let outcome = await endIfDone(&course, pipeline) { return outcome }

    for await request in requests {
      switch request {
      case .restart(let steps, let askedIn):
        guard !course.lastRestart.answers(steps, askedIn: askedIn) else { continue }
        restart(from: steps, &course, pipeline)
      case .restartAnew(let steps, let next, let decide):
        let isPossible = course.mayRestart && RunPlan(next) == RunPlan(workflow)
        // Before anything of it is done: what decides may have to be recorded.
        guard decide(isPossible) else { continue }
        course.next = next
        restart(from: steps, &course, pipeline)
      case .cancel(let cause):
        cancel(cause, &course, pipeline)
      case .kill:
        kill(&course, pipeline)
      case .timedOut(let generation):
        guard !course.isFinallyBegun, ledger.decide({ $0.state.generation == generation }) else {
          continue
        }
        cancel(.runTimedOut, &course, pipeline)
      case .stepEnded(let step):
        // The word of an earlier end may come late, when the step is under way again.
        guard !ledger.decide({ $0.state.steps[step.position].phase.isUnderWay }) else { continue }
        course.waiting.remove(step)
      }
      if case .toRestart(let steps, let isWhole, let outstanding) = course.waiting,
        outstanding.isEmpty
      {
        alarm?.cancel()
        if let next = course.next { become(next) }
        let generation = beginGeneration(of: steps, isWhole: isWhole)
        course = Course(generation: generation, steps: isWhole ? nil : Set(steps))
        if await ledger.recorded() == nil {
          alarm = start(steps, in: pipeline, generation: generation)
        }
      }
      if let outcome = await endIfDone(&course, pipeline) { return outcome }
    }
    preconditionFailure("BUG: the requests of a run end only with the run")
  }

  // MARK: Starting

  /// Takes over the values of a workflow with the same steps: what starts from now on has them.
  private mutating func become(_ next: Workflow) {
    workflow = next
    performer.workflow = next
  }

  private func beginGeneration(of steps: [StepIndex], isWhole: Bool) -> Int {
    ledger.decide { page in
      let generation = page.state.generation + 1
      let reset = isWhole ? nil : steps.map { graph.id(of: $0) }
      for step in steps { page.stopped[step.position] = nil }
      page.ending = nil
      page.tell(.generationStarted(reset: reset), generation: generation)
      return generation
    }
  }

  /// Admits steps to a generation and connects them, but for those under `finally`.
  ///
  /// - Returns: The task that will tell when the generation has taken too long, if there is a limit.
  private func start(
    _ steps: [StepIndex], in pipeline: PipelineExecution<StepResult>, generation: Int
  ) -> Task<Void, Never>? {
    let mainCount = graph.count - workflow.finallyCount
    connect(steps.filter { $0.position < mainCount }, in: pipeline, generation: generation)
    guard let timeout = workflow.timeout else { return nil }
    return Task { [clock, requestAgain] in
      guard (try? await clock.sleep(for: timeout)) != nil else { return }
      requestAgain.yield(.timedOut(generation: generation))
    }
  }

  private func connect(
    _ steps: [StepIndex], in pipeline: PipelineExecution<StepResult>, generation: Int
  ) {
    ledger.decide { page in
      // What succeeded before the run was resumed is connected for its outputs alone.
      for step in steps where page.state.steps[step.position].phase == .pending {
        page.admitted[step.position] = generation
      }
    }
    pipeline.connect(steps) { [performer] step, results in
      await performer.perform(step, generation: generation, results: results)
    }
  }

  /// Starts the steps under `finally` when all others are over, however they ended.
  private func beginFinallyIfDue(
    _ course: inout Course, _ pipeline: PipelineExecution<StepResult>
  ) async {
    guard workflow.finallyCount > 0, !course.isFinallyBegun, !course.isKilled else { return }
    var cause: CancellationCause?
    switch course.waiting {
    case .forSteps:
      guard ledger.decide({ $0.state.counts.final >= $0.mainCount }) else { return }
    case .toEnd(.abandoned, _), .toRestart, .forFinally:
      return
    case .toEnd(let found, let outstanding):
      guard outstanding.isEmpty else { return }
      cause = found
    }
    // What they do may depend on all that went before.
    guard await ledger.recorded() == nil else { return }
    let generation = ledger.decide { [cause] page in
      if let cause { page.cancelRest(because: cause, upTo: page.mainCount) }
      page.ending =
        cause.map { $0 == .runTimedOut ? .failure : .cancel }
        ?? (page.state.firstFailure == nil ? .success : .failure)
      return page.state.generation
    }
    course.isFinallyBegun = true
    if let cause { course.waiting = .forFinally(cause) }
    connect(Array(finallySteps), in: pipeline, generation: generation)
  }

  // MARK: Stopping

  private func restart(
    from steps: [StepIndex], _ course: inout Course, _ pipeline: PipelineExecution<StepResult>
  ) {
    var isWhole = steps.isEmpty
    var affected = isWhole ? graph.topologicalOrder : withDependents(steps)
    guard course.mayRestart else { return }
    if case .toRestart(let steps, let wasWhole, _) = course.waiting {
      // Requests that come during a restart fold into it.
      isWhole = isWhole || wasWhole
      affected = isWhole ? graph.topologicalOrder : withDependents(steps + affected)
    }
    let outstanding = stop(affected, in: pipeline) { page in
      page.tell(.runRestarting(from: isWhole ? nil : affected.map { graph.id(of: $0) }))
    }
    course.waiting = .toRestart(steps: affected, isWhole: isWhole, outstanding: outstanding)
  }

  /// Steps with all that depends on them; those under `finally` depend on every other one.
  private func withDependents(_ steps: [StepIndex]) -> [StepIndex] {
    graph.withDependents(steps + finallySteps)
  }

  private func cancel(
    _ cause: CancellationCause, _ course: inout Course,
    _ pipeline: PipelineExecution<StepResult>
  ) {
    switch course.waiting {
    case .toEnd, .forFinally: return
    case .forSteps, .toRestart: break
    }
    let outstanding = stop(graph.topologicalOrder, in: pipeline) { page in
      page.tell(.runCancelling(cause))
    }
    course.waiting = .toEnd(cause, outstanding: outstanding)
  }

  private func kill(_ course: inout Course, _ pipeline: PipelineExecution<StepResult>) {
    course.isKilled = true
    cancel(.request, &course, pipeline)
    if case .forFinally(let cause) = course.waiting {
      let outstanding = stop(Array(finallySteps), in: pipeline) { _ in }
      course.waiting = .toEnd(cause, outstanding: outstanding)
    }
    // Only now: a process that is killed before its task is cancelled would count as failed.
    performer.killSwitch.engage()
  }

  /// Takes steps out of the run: what has not begun cannot begin any more, what runs is told to end.
  ///
  /// - Returns: The steps that are still under way.
  private func stop(
    _ steps: [StepIndex], in pipeline: PipelineExecution<StepResult>,
    telling tell: (inout RunLedger.Page) -> Void
  ) -> Set<StepIndex> {
    let outstanding = ledger.decide { page in
      tell(&page)
      for step in steps { page.admitted[step.position] = 0 }
      return Set(steps.filter { page.state.steps[$0.position].phase.isUnderWay })
    }
    pipeline.disconnect(steps)
    return outstanding
  }

  // MARK: The end

  /// Ends the run when nothing is left to be done.
  ///
  /// - Returns: How it ended, which by then has been recorded.
  private func endIfDone(
    _ course: inout Course, _ pipeline: PipelineExecution<StepResult>
  ) async -> RunOutcome? {
    await beginFinallyIfDue(&course, pipeline)
    guard isDone(course.waiting) else { return nil }
    // Whoever sees that the run is over may remove its logs: nothing may be written to them by then.
    await ledger.outputKept()
    // The end is told only when everything before it is durable, so that nobody is told of a success
    // that is not. Where it cannot be, the request to abandon the run is on its way.
    if case .forSteps = course.waiting, await ledger.recorded() != nil { return nil }
    let outcome = end(course.waiting)
    if let problem = await ledger.recorded() { return .abandoned(problem) }
    return outcome
  }

  private func isDone(_ waiting: Course.Waiting) -> Bool {
    switch waiting {
    case .forSteps, .forFinally: ledger.decide { $0.state.counts.final == $0.state.steps.count }
    case .toRestart: false
    case .toEnd(_, let outstanding): outstanding.isEmpty
    }
  }

  /// Tells how a run ends that is done.
  private func end(_ waiting: Course.Waiting) -> RunOutcome {
    ledger.decide { page in
      let outcome: RunOutcome
      switch waiting {
      case .forSteps: outcome = page.state.outcomeOfSteps
      case .toEnd(let cause, _), .forFinally(let cause):
        page.cancelRest(because: cause, upTo: page.state.steps.count)
        outcome =
          switch cause {
          case .runTimedOut: .timedOut(after: workflow.timeout ?? .zero)
          case .abandoned(let problem): .abandoned(problem)
          case .request, .restart, .failure, .interrupted: .cancelled
          }
      case .toRestart: preconditionFailure("BUG: a run does not end while it restarts")
      }
      page.tell(.runEnded(outcome))
      return outcome
    }
  }
}

extension RunLedger.Page {
  /// Tells of steps that are not over that they will not run.
  fileprivate mutating func cancelRest(because cause: CancellationCause, upTo count: Int) {
    for position in 0..<count where !state.steps[position].phase.isFinal {
      tell(.cancelled(cause), of: position, attempt: 0)
    }
  }
}

extension RunState {
  /// How a run ends whose steps all have come to their end by themselves.
  fileprivate var outcomeOfSteps: RunOutcome {
    guard let firstFailure, case .failed(let reason) = steps[firstFailure].phase else {
      return .succeeded
    }
    return .failed(step: steps[firstFailure].id, reason: reason)
  }
}
