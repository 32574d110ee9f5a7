// `RunDriver`: executes the decisions of a run's state machine, one request at a time.

import Workflows

/// Drives one run from its first step to its end.
///
/// All steps are started and stopped by the loop in ``drive()``:
///
/// - Take the next request: restart, cancel, kill, a step has ended, the time limit has passed.
/// - Ask the ``RunMachine`` for the actions that it requires.
/// - Execute the actions, and feed their results back to the machine.
/// - Return when the machine ends the run.
///
/// So a restart never interleaves with a cancellation, and two generations are never live at once.
struct RunDriver {
  /// A request to a run, or a report from its performer or its timer.
  enum Request: Sendable {
    case input(RunMachine.Input)
    /// An intervention, which `answer` is called for once.
    ///
    /// A reload may have removed its steps since they were selected.
    case intervention(
      RunMachine.Input, by: Requester,
      answer: @Sendable (Result<InterventionAnswer, InterventionRefusal>) -> Void)
    /// Restart with another version of the workflow.
    case reload(ReloadRequest)
    /// Expand a step.
    case expansion(ExpansionRequest)
    /// Run the steps of a group again.
    case retry(GroupRetry)
    /// Let these steps go on, which waited for a group to run again.
    case release([StepIndex])

    /// Refuses a request that arrives after the run has ended.
    func refuse() {
      switch self {
      case .input, .retry, .release: break
      case .expansion(let request): request.answer.answer(.stopped)
      case .intervention(_, _, let answer): answer(.failure(.runEnded))
      case .reload(let request): request.answer(false)
      }
    }
  }

  var performer: StepPerformer
  private let requests: AsyncStream<Request>
  let requester: AsyncStream<Request>.Continuation
  let clock: any RunClock
  var machine: RunMachine
  /// The futures of the steps.
  let pipeline = Pipeline()
  /// The reload with which the next generation starts, if any.
  var reload: (request: ReloadRequest, next: Plan, plan: ReloadPlan)?
  /// The steps to expand.
  var expansions: [ExpansionRequest] = []
  /// The steps to connect again, because a group that they waited for does not run again.
  var released: [StepIndex] = []
  private var alarm: Task<Void, Never>?
  /// The time at which the time limit of the workflow has passed; nil before the first step.
  private var deadline: Timestamp?
  /// The delays before groups run again.
  var retryDelays: [Task<Void, Never>] = []
  /// Who made the request that is being handled.
  var asker: Requester?
  /// The answer to that request, which is given when it has been done: a step could begin in between.
  private var unanswered: (answer: @Sendable (Answer) -> Void, result: Answer)?
  /// The results to set when the next generation begins.
  var resultsToSet: [StepIndex: SetResult] = [:]
  /// The reason for which the run must not begin, if any.
  var problem: String?
  /// Who asked for the restart in progress.
  private var restarter: Requester?
  /// The group whose retry is asked for.
  var groupToRetry: GroupIndex?

  var ledger: RunLedger { performer.ledger }
  var plan: Plan { ledger.plan }
  var workflow: Workflow { plan.workflow }

  /// Creates the driver of a run whose start is already in the ledger.
  init(
    performer: StepPerformer, requests: AsyncStream<Request>,
    requester: AsyncStream<Request>.Continuation, clock: any RunClock
  ) {
    self.performer = performer
    self.requests = requests
    self.requester = requester
    self.clock = clock
    machine = RunMachine(generation: performer.ledger.state.generation)
  }

  /// Runs the workflow to its end.
  ///
  /// Call it once.
  ///
  /// - Returns: The outcome; the event that reports it is durable by then.
  mutating func drive() async -> RunOutcome {
    defer { pipeline.disconnect() }
    defer { for request in expansions { request.answer.answer(.stopped) } }
    defer { for timer in retryDelays + [alarm].compactMap(\.self) { timer.cancel() } }
    // A missing secret could not be masked, so no step may start.
    let problem = problem ?? performer.secrets.problem(with: workflow)
    if problem == nil, let outcome = await outcomeOfCondition() { return outcome }
    let first = problem.map { RunMachine.Input.cancel(.abandoned($0)) } ?? .start
    if let outcome = await carryOut(decide(first)) { return outcome }
    for await request in requests {
      if let outcome = await carryOut(actions(for: request)) { return outcome }
      expandWaiting()
      // The last of them may have ended at once.
      if releaseHeldSteps(), let outcome = await carryOut(decide(.connected)) { return outcome }
    }
    return await end(.abandoned("its requests ended before the run"))
  }

  /// Returns what the machine does for a request, and answers the request.
  private mutating func actions(for request: Request) async -> [RunMachine.Action] {
    asker = nil
    switch request {
    case .input(.stepEnded(let step)):
      // Ignore a stale report: the step has been restarted in the meantime.
      let isInProgress = ledger.decide { page in
        // A reload may have removed the step.
        page.plan.contains(step) && page.state[step].phase.isActive
      }
      return isInProgress ? [] : decide(.stepEnded(step))
    case .input(let input):
      return decide(input)
    case .intervention(let input, let asking, let answer):
      guard let input = input.keeping(in: plan) else {
        answer(.failure(.refused("the steps are no longer part of the workflow")))
        return []
      }
      guard let input = masked(input, answer) else { return [] }
      asker = performer.masked(asking)
      let actions = decide(input)
      let result = self.answer(to: input, leadingTo: actions)
      guard case .success = result else {
        // What is refused has not changed the machine.
        answer(result)
        return []
      }
      unanswered = (answer, result)
      if case .restart(let steps, _) = input { forgetResultsToSet(from: steps) }
      return actions
    case .reload(let request):
      let reload = await accepted(request)
      request.answer(reload != nil)
      asker = reload == nil ? nil : performer.masked(request.requester)
      return reload.map { decide(.reload($0)) } ?? []
    case .expansion(let request):
      expansions.append(request)
      return []
    case .retry(let retry):
      return inputForRetry(retry).map { decide($0) } ?? []
    case .release(let steps):
      released += steps
      return []
    }
  }

  private mutating func decide(_ input: RunMachine.Input) -> [RunMachine.Action] {
    let (steps, restart, plan) = ledger.decide { page in
      let steps = RunMachine.Steps(
        areMainStepsOver: page.areMainStepsOver,
        areOver: page.state.counts.final == page.state.steps.count
          && page.groups.retrying.isEmpty)
      return (steps, page.restartRules(for: input), page.plan)
    }
    machine.restartRules = restart
    return machine.handle(input, steps, plan)
  }

  /// Executes actions and the follow-up actions that result from them.
  ///
  /// - Returns: The outcome, if the run ended.
  private mutating func carryOut(_ actions: [RunMachine.Action]) async -> RunOutcome? {
    var actions = actions[...]
    while let action = actions.popFirst() {
      var input: RunMachine.Input?
      switch action {
      case .stop(let steps, let reason):
        let outstanding = stop(steps, because: reason)
        let stopped = reason.isPartialRestart ? stepsMissing(in: steps) : []
        input =
          stopped.isEmpty
          ? .stopped(outstanding: outstanding) : .restart(from: stopped, requestedIn: nil)
      case .connectFirst(let steps):
        input = await startGeneration(steps)
      case .restart(let steps, let isWhole):
        if let problem = beginGeneration(of: steps, isWhole: isWhole) {
          input = .cancel(.abandoned(problem))
        } else {
          input = await startGeneration(steps)
        }
      case .connectFinally(let cause):
        input = await connectFinally(cause)
      case .cancelSteps(let steps, let now):
        cancel(steps, now: now)
        input = .stepsCancelled
      case .set(let steps, let result):
        let (ended, late) = set(steps, to: result)
        if !late.isEmpty {
          let refusal = refusalToSet(late)
          unanswered?.result = .failure(refusal)
        }
        input = ended.isEmpty ? .stepsCancelled : .restartAfter(ended)
      case .restartServices(let steps):
        restartServices(steps)
      case .pause(let isPaused):
        pause(isPaused)
      case .kill:
        let (services, handlers) = ledger.decide { page in
          let handlers = page.plan.order.flatMap { page.controls[$0].takeKillHandlers() }
          return (page.takeHeldServices(), handlers)
        }
        for service in services { service.interrupt() }
        for handler in handlers { handler() }
      case .settle:
        settle()
      case .end(let cause):
        answerNow()
        return await end(cause)
      }
      if let input { actions += decide(input) }
      answerNow()
    }
    answerNow()
    // The end of a step that did not run may have freed the slot of an item.
    performer.slots.startNext()
    return nil
  }

  /// Gives the answer to what has been done now.
  private mutating func answerNow() {
    guard let (answer, result) = unanswered else { return }
    unanswered = nil
    answer(result)
  }

  // MARK: Starting

  /// Begins a generation with some steps and those under `finally`.
  ///
  /// - Returns: The problem for which it cannot begin; nil if it has begun.
  private mutating func beginGeneration(of mainSteps: [StepIndex], isWhole: Bool) -> String? {
    alarm?.cancel()
    let reload = reload
    self.reload = nil
    let problem = ledger.decide {
      [generation = machine.generation, restarter, groupToRetry] page -> String? in
      if let reload, !page.reload(reload.next, reload.plan) { return page.problem }
      let steps = mainSteps + page.plan.finallySteps
      let begun = steps.filter { reload?.plan.staysStopped.contains($0) != true }
      for step in begun { page.controls[step].reset() }
      let retried = restarter?.kind == .retry ? groupToRetry : nil
      page.groups.restart(begun, retryOf: retried)
      page.ending = nil
      let reset = isWhole ? nil : steps.map { page.plan[$0].id }
      let decided = retried == nil ? [] : page.decidedByHand(among: mainSteps)
      page.record(.generationStarted(reset: reset), generation: generation, by: restarter)
      for decided in decided {
        page.record(decided.event, of: decided.step, attempt: 0, by: decided.by)
      }
      page.mustCheckServices = true
      return nil
    }
    if let problem {
      machine = RunMachine(generation: machine.generation)
      return problem
    }
    if let secrets = reload?.request.secrets {
      performer = performer.with(secrets.masking(performer.secrets))
    }
    // A retry of a group is part of the work that the time limit is for.
    if restarter?.kind != .retry { deadline = nil }
    restarter = nil
    setResults(among: mainSteps + plan.finallySteps)
    return nil
  }

  /// Connects the steps of a generation and starts the timer for its time limit.
  private mutating func startGeneration(_ steps: [StepIndex]) async -> RunMachine.Input? {
    // The generation must be durable before its first process exists.
    guard await ledger.recorded() == nil else { return .recordFailed }
    connect(steps)
    if let timeout = workflow.timeout {
      let deadline = deadline ?? clock.now.advanced(by: timeout)
      self.deadline = deadline
      alarm = performer.runtime.startTask {
        [clock, requester, generation = machine.generation] in
        let rest = deadline - clock.now
        guard (try? await clock.sleep(for: rest)) != nil else { return }
        requester.yield(.input(.timedOut(generation: generation)))
      }
    }
    return .connected
  }

  // MARK: Stopping

  /// Stops steps: pending steps can no longer start, and running steps are cancelled, services when
  /// their turn comes.
  ///
  /// - Returns: The steps that are still in progress.
  private mutating func stop(
    _ steps: [StepIndex], because reason: RunMachine.StopReason
  ) -> Set<StepIndex> {
    if case .restart = reason { restarter = asker }
    let (outstanding, now) = ledger.decide { [asker] page in
      switch reason {
      case .restart(let restarted):
        page.record(.runRestarting(from: restarted?.map { page.plan[$0].id }), by: asker)
        performer.slots.setPaused(page.state.isPaused)
      case .cancel(let cause):
        page.record(.runCancelling(cause), by: asker)
        page.groups.giveUp()
        performer.slots.setPaused(false)
      case .kill:
        break
      }
      // What they wait for happens now.
      let stopped = Set(steps)
      page.groups.withdraw(where: stopped.contains)
      // Close the gates before cancelling: from here on, only the ends of these steps are recorded.
      let now = page.close(steps)
      return (Set(steps.filter { page.state[$0].phase.isActive }), now)
    }
    pipeline.disconnect(now)
    return outstanding
  }

  /// Returns steps from which the run must be restarted, too, because something happened since the steps of
  /// a restart were chosen: a failure among them has stopped others, or a service has begun to end.
  private func stepsMissing(in steps: [StepIndex]) -> [StepIndex] {
    ledger.decide { page in
      let withServices = page.plan.graph.withServices(page.endedServices, of: steps)
      guard withServices.count == steps.count else { return Array(steps.prefix(1)) }
      let restarted = Set(steps)
      return page.culprits.filter { !restarted.contains($0) && restarted.contains($1) }.map(\.key)
    }
  }

  // MARK: Ending

  /// Waits until all output and results of the steps are durable, then sends `settled`.
  ///
  /// Sends nothing if recording fails: a request to abandon the run is then pending.
  private func settle() {
    performer.runtime.startTask { [ledger, requester, generation = machine.generation] in
      await ledger.outputRecorded()
      guard await ledger.recorded() == nil else { return }
      requester.yield(.input(.settled(generation: generation)))
    }
  }

  /// Ends the run.
  ///
  /// - Returns: The outcome, which is durable.
  private func end(_ cause: CancellationCause?) async -> RunOutcome {
    // The logs may be removed after the end, so all output must be written before it.
    await ledger.outputRecorded()
    var notices: [String] = []
    if let run = ledger.state.run {
      notices = await performer.work.releaseRunners(of: run).map { performer.masked($0) }
    }
    return await ledger.end { [timeout = workflow.timeout, notices] page in
      for text in notices { page.record(.runNotice(text)) }
      if let cause { page.cancelRest(of: page.plan.order, because: cause) }
      return switch cause {
      case nil: page.state.outcomeOfSteps
      case .runTimedOut: RunOutcome.timedOut(after: timeout ?? .zero)
      case .abandoned(let problem): RunOutcome.abandoned(problem)
      case .interrupted: RunOutcome.interrupted
      case .request, .restart, .failure, .cancellation: RunOutcome.cancelled
      }
    }
  }
}

extension RunLedger.Page {
  /// Records the cancellation of those of some steps that have not ended.
  mutating func cancelRest(of steps: [StepIndex], because cause: CancellationCause) {
    for step in steps where !state[step].phase.isFinal {
      record(.cancelled(cause), of: step, attempt: 0)
    }
  }
}

extension RunState {
  /// The outcome of a run whose steps all ended on their own.
  fileprivate var outcomeOfSteps: RunOutcome {
    guard let firstFailure, case .failed(let reason) = steps[firstFailure].phase else {
      // Without a failure, only a request cancels steps of a run that continues, except in a group
      // with `continue-on-error`.
      return steps.contains(where: \.phase.isCancelledByRequest) ? .cancelled : .succeeded
    }
    return .failed(step: steps[firstFailure].id, reason: reason)
  }
}
