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
    /// Take the run again from the top, or from one step; with the generation in which that was asked.
    case restart(from: StepIndex?, askedIn: Int)
    case cancel(CancellationCause)
    /// Cancel without grace.
    case kill
    /// A step ended, and that may be what the run waits for.
    case stepEnded(StepIndex)
    /// The workflow's `timeout` is over for a generation.
    case timedOut(generation: Int)
  }

  /// What the run waits for.
  private enum Waiting {
    /// For its steps to succeed.
    case forSteps
    /// For the steps in `outstanding` to be gone, to then take `steps` again.
    case toRestart(steps: [StepIndex], isWhole: Bool, outstanding: Set<StepIndex>)
    /// For the steps in `outstanding` to be gone, to then end.
    case toEnd(CancellationCause, outstanding: Set<StepIndex>)

    mutating func remove(_ step: StepIndex) {
      switch self {
      case .forSteps:
        break
      case .toRestart(let steps, let isWhole, var outstanding):
        self = .forSteps  // Gives up the set, so that it is changed in place.
        outstanding.remove(step)
        self = .toRestart(steps: steps, isWhole: isWhole, outstanding: outstanding)
      case .toEnd(let cause, var outstanding):
        self = .forSteps
        outstanding.remove(step)
        self = .toEnd(cause, outstanding: outstanding)
      }
    }
  }

  /// The restart that began the present generation.
  private struct LastRestart {
    let generation: Int
    /// The steps that were taken again; nil for all.
    let steps: Set<StepIndex>?

    /// Whether a request that was made before this restart has been answered by it.
    func answers(_ step: StepIndex?, askedIn asked: Int) -> Bool {
      guard asked < generation else { return false }
      guard let steps else { return true }
      return step.map(steps.contains) ?? false
    }
  }

  let workflow: Workflow
  let ledger: RunLedger
  let performer: StepPerformer
  let requests: AsyncStream<Request>
  let requestAgain: AsyncStream<Request>.Continuation
  let clock: any RunClock

  private var graph: Graph { workflow.graph }

  /// Runs the workflow to its end.
  ///
  /// Called once.
  ///
  /// - Returns: How it ended; the event that tells it has been recorded by then.
  func drive() async -> RunOutcome {
    let pipeline = Pipeline<StepResult>(graph: graph).execution()
    var waiting = Waiting.forSteps
    let generation = ledger.state.generation
    var lastRestart = LastRestart(generation: generation, steps: [])
    // That there is a run is durable before the first of its processes exists.
    // Where it cannot be, the request to abandon it is on its way.
    var alarm: Task<Void, Never>?
    if await ledger.recorded() == nil {
      alarm = start(graph.topologicalOrder, in: pipeline, generation: generation)
    }
    defer { alarm?.cancel() }
    if let outcome = await endIfDone(waiting) { return outcome }

    for await request in requests {
      switch request {
      case .restart(let step, let askedIn):
        guard !lastRestart.answers(step, askedIn: askedIn) else { continue }
        restart(from: step, &waiting, pipeline)
      case .cancel(let cause):
        cancel(cause, &waiting, pipeline)
      case .kill:
        cancel(.request, &waiting, pipeline)
        // Only now: a process that is killed before its task is cancelled would count as failed.
        performer.killSwitch.engage()
      case .timedOut(let generation):
        guard ledger.decide({ $0.state.generation == generation }) else { continue }
        cancel(.runTimedOut, &waiting, pipeline)
      case .stepEnded(let step):
        // The word of an earlier end may come late, when the step is under way again.
        guard !ledger.decide({ $0.state.steps[step.position].phase.isUnderWay }) else { continue }
        waiting.remove(step)
      }
      if case .toRestart(let steps, let isWhole, let outstanding) = waiting, outstanding.isEmpty {
        alarm?.cancel()
        waiting = .forSteps
        let generation = beginGeneration(of: steps, isWhole: isWhole)
        lastRestart = LastRestart(generation: generation, steps: isWhole ? nil : Set(steps))
        if await ledger.recorded() == nil {
          alarm = start(steps, in: pipeline, generation: generation)
        }
      }
      if let outcome = await endIfDone(waiting) { return outcome }
    }
    preconditionFailure("BUG: the requests of a run end only with the run")
  }

  // MARK: Starting

  private func beginGeneration(of steps: [StepIndex], isWhole: Bool) -> Int {
    ledger.decide { page in
      let generation = page.state.generation + 1
      let reset = isWhole ? nil : steps.map { graph.id(of: $0) }
      page.tell(.generationStarted(reset: reset), generation: generation)
      return generation
    }
  }

  /// Admits steps to a generation and connects them.
  ///
  /// - Returns: The task that will tell when the generation has taken too long, if there is a limit.
  private func start(
    _ steps: [StepIndex], in pipeline: PipelineExecution<StepResult>, generation: Int
  ) -> Task<Void, Never>? {
    ledger.decide { page in
      // What succeeded before the run was resumed is connected for its outputs alone.
      for step in steps where page.state.steps[step.position].phase == .pending {
        page.admitted[step.position] = generation
      }
    }
    pipeline.connect(steps) { [performer] step, results in
      await performer.perform(step, generation: generation, results: results)
    }
    guard let timeout = workflow.timeout else { return nil }
    return Task { [clock, requestAgain] in
      guard (try? await clock.sleep(for: timeout)) != nil else { return }
      requestAgain.yield(.timedOut(generation: generation))
    }
  }

  // MARK: Stopping

  private func restart(
    from step: StepIndex?, _ waiting: inout Waiting,
    _ pipeline: PipelineExecution<StepResult>
  ) {
    var affected = step.map { graph.withDependents([$0]) } ?? graph.topologicalOrder
    var isWhole = step == nil
    switch waiting {
    case .toEnd:
      // A run that is being cancelled is not taken again.
      return
    case .toRestart(let steps, let wasWhole, _):
      // Requests that come during a restart fold into it.
      affected =
        wasWhole || isWhole ? graph.topologicalOrder : graph.withDependents(steps + affected)
      isWhole = isWhole || wasWhole
    case .forSteps:
      break
    }
    let outstanding = stop(affected, in: pipeline) { page in
      page.tell(.runRestarting(from: isWhole ? nil : affected.map { graph.id(of: $0) }))
    }
    waiting = .toRestart(steps: affected, isWhole: isWhole, outstanding: outstanding)
  }

  private func cancel(
    _ cause: CancellationCause, _ waiting: inout Waiting,
    _ pipeline: PipelineExecution<StepResult>
  ) {
    if case .toEnd = waiting { return }
    let outstanding = stop(graph.topologicalOrder, in: pipeline) { page in
      page.tell(.runCancelling(cause))
    }
    waiting = .toEnd(cause, outstanding: outstanding)
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
  private func endIfDone(_ waiting: Waiting) async -> RunOutcome? {
    // The end is told only when everything before it is durable, so that nobody is told of a success
    // that is not. Where it cannot be, the request to abandon the run is on its way.
    if case .forSteps = waiting, ledger.decide({ $0.state.counts.final == $0.state.steps.count }),
      await ledger.recorded() != nil
    {
      return nil
    }
    guard let outcome = outcomeIfDone(waiting) else { return nil }
    if let problem = await ledger.recorded() { return .abandoned(problem) }
    return outcome
  }

  private func outcomeIfDone(_ waiting: Waiting) -> RunOutcome? {
    switch waiting {
    case .toRestart:
      return nil
    case .toEnd(let cause, let outstanding):
      guard outstanding.isEmpty else { return nil }
      return ledger.decide { page in
        for position in page.state.steps.indices where !page.state.steps[position].phase.isFinal {
          page.tell(.cancelled(cause), of: position, attempt: 0)
        }
        let outcome: RunOutcome =
          switch cause {
          case .runTimedOut: .timedOut(after: workflow.timeout ?? .zero)
          case .abandoned(let problem): .abandoned(problem)
          case .request, .restart, .failure, .interrupted: .cancelled
          }
        page.tell(.runEnded(outcome))
        return outcome
      }
    case .forSteps:
      return ledger.decide { page in
        guard page.state.counts.final == page.state.steps.count else { return nil }
        let outcome = page.state.outcomeOfSteps
        page.tell(.runEnded(outcome))
        return outcome
      }
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
