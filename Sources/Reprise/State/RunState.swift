// `RunState`: the state of a run, as a pure fold over its events.

/// The state of a run and of each of its steps.
///
/// The live run, the displays and the journal all use this fold, so live, shown and recovered
/// states cannot differ.
public struct RunState: Sendable, Equatable {
  /// The id of the run; nil before the first event.
  public private(set) var run: RunID?
  /// The plan of the run; nil before the first event.
  public internal(set) var plan: RunPlan?
  /// The phase of the run as a whole.
  public private(set) var phase: RunPhase = .notStarted
  /// The current generation, from 1; 0 before the first event.
  public private(set) var generation = 0
  /// The steps in file order.
  public internal(set) var steps: [StepState] = []
  /// The number of steps in each phase.
  public internal(set) var counts = StepCounts()
  /// The position of the first step that failed in this generation and so failed the run.
  public internal(set) var firstFailure: Int?
  /// The time at which the run started.
  public private(set) var startedAt: Timestamp?
  /// The time at which the current generation started.
  public private(set) var generationStartedAt: Timestamp?
  /// The time of the last change of ``phase``.
  public private(set) var phaseChangedAt: Timestamp?
  /// Who asked for the current ``phase``: a restart or a cancellation.
  public private(set) var phaseRequester: Requester?
  /// Who asked for the restart that began the current generation, and from which steps.
  public private(set) var generationRequester: Requester?
  /// Whether nothing new starts, on request; restarts do not change it.
  public var isPaused: Bool { pause != nil }
  /// Who paused the run; nil if it is not paused, or the requester is unknown.
  public var pauseRequester: Requester? { pause?.by }
  /// The event that paused the run, while it is paused.
  private(set) var pause: Event?

  /// The steps that the restart in progress stops; nil for all, and empty if there is none.
  private var restarted: Set<String>? = []
  var positions: [String: Int] = [:]

  /// The state before the first event.
  public init() {}

  /// The step with an id; nil if the run has no such step.
  public subscript(id: String) -> StepState? {
    positions[id].map { steps[$0] }
  }

  /// Returns whether the run continues if a step fails.
  ///
  /// - Parameter id: The id of the step.
  /// - Returns: Whether it continues; false if there is no such step.
  public func isTolerated(_ id: String) -> Bool {
    positions[id].map { plan?.steps[$0].continuesOnError == true } ?? false
  }

  /// Returns the label that a step got from the expansion of `matrix` or `foreach`.
  ///
  /// It distinguishes the step from its siblings.
  ///
  /// - Parameter id: The id of the step.
  /// - Returns: The label, such as `linux, 5`; nil for a step that was not expanded.
  public func label(of id: String) -> String? {
    positions[id].flatMap { plan?.steps[$0].label }
  }

  /// The steps that are waiting for approval, in file order.
  ///
  /// Their ``StepState/approval`` is the question.
  public var awaitingApproval: [StepState] {
    counts.active == 0 ? [] : steps.filter { $0.approval != nil }
  }

  /// Returns the position of a step in ``steps``, in constant time.
  ///
  /// - Parameter id: The id of the step.
  /// - Returns: Its position; nil if the run has no such step.
  public func position(ofStep id: String) -> Int? {
    positions[id]
  }

  /// The ids of the steps that the restart in progress stops, in file order; nil for all.
  var restartedSteps: [String]? {
    restarted.map { restarted in steps.map(\.id).filter(restarted.contains) }
  }

  /// Returns whether a step is being stopped, by a cancel of the run or a restart.
  ///
  /// - Parameter id: The id of the step.
  /// - Returns: Whether it is; a step that has ended counts, too.
  package func isStopping(_ id: String) -> Bool {
    switch phase {
    case .restarting: restarted?.contains(id) ?? true
    case .cancelling: true
    case .notStarted, .running, .ended: false
    }
  }

  /// Applies the next event.
  ///
  /// Constant time, except for the first event and for restarts, which visit every step that they
  /// reset.
  ///
  /// - Parameter event: The next event.
  /// - Throws: ``InvalidTransition`` if the event is invalid in this state, which then stays
  ///   unchanged.
  public mutating func apply(_ event: Event) throws(InvalidTransition) {
    try apply(event, ofStepAt: nil)
  }

  /// Applies the next event; faster for an event of a step if the step's position is given.
  mutating func apply(_ event: Event, ofStepAt known: Int?) throws(InvalidTransition) {
    switch event.kind {
    case .runStarted(let plan):
      try start(plan, event)
    case .runResumed(let plan):
      try resume(plan, event)
    case .runRestarting(let steps):
      try expect(event, phase == .running || phase == .restarting)
      // Another request while steps are being stopped adds its own.
      let isFirst = phase == .running
      restarted = steps.flatMap { isFirst ? Set($0) : restarted?.union($0) }
      setPhase(.restarting, event)
    case .runReloaded(let plan, _):
      try reload(plan, event)
    case .generationStarted(let reset):
      try startGeneration(reset: reset, event)
    case .runCancelling(let cause):
      try expect(event, phase.isActive)
      setPhase(.cancelling(cause), event)
      restarted = []
      // The steps under `finally` run.
      pause = nil
    case .runPaused:
      try expect(event, phase.isActive)
      pause = event
    case .runUnpaused:
      try expect(event, phase.isActive)
      pause = nil
    case .runEnded(let outcome):
      try expect(event, phase.isActive && counts.final == steps.count)
      setPhase(.ended(outcome), event)
      pause = nil
    case .step(let id, let attempt, let stepEvent):
      guard let position = known ?? positions[id], phase.isActive, event.generation == generation
      else {
        throw InvalidTransition(event: event, phase: phase, stepPhase: nil)
      }
      try apply(stepEvent, attempt: attempt, to: position, event)
    }
  }

  // MARK: The run

  private mutating func start(_ plan: RunPlan, _ event: Event) throws(InvalidTransition) {
    try expect(event, phase == .notStarted)
    self.plan = plan
    run = event.run
    generation = event.generation
    startedAt = event.time
    generationStartedAt = event.time
    steps = plan.steps.map { StepState(id: $0.id) }
    positions.reserveCapacity(steps.count)
    for (position, step) in steps.enumerated() { positions[step.id] = position }
    counts.pending = steps.count
    setPhase(.running, event)
  }

  private mutating func resume(_ plan: RunPlan, _ event: Event) throws(InvalidTransition) {
    try expect(event, phase != .notStarted)
    let earlier = self
    self.plan = plan
    positions = [:]
    counts = StepCounts()
    steps = plan.steps.map { earlier[$0.id] ?? StepState(id: $0.id) }
    for position in steps.indices {
      positions[steps[position].id] = position
      // What survives its engine goes on, and is adopted.
      if steps[position].phase.isActive, steps[position].placement?.place.survives != true {
        steps[position].phase = .cancelled(.interrupted)
        steps[position].endedAt = event.time
      }
      counts.add(steps[position].phase, 1)
    }
    firstFailure = earliestFailure()
    pause = nil
    restarted = nil
    setPhase(.restarting, event)
  }

  private mutating func reload(_ plan: RunPlan, _ event: Event) throws(InvalidTransition) {
    let kept = Set(plan.steps.map(\.id))
    try expect(
      event, phase == .restarting && steps.allSatisfy { kept.contains($0.id) || !$0.phase.isActive }
    )
    let earlier = self
    restarted?.formIntersection(kept)
    self.plan = plan
    positions = [:]
    counts = StepCounts()
    steps = plan.steps.map { earlier[$0.id] ?? StepState(id: $0.id) }
    for position in steps.indices {
      positions[steps[position].id] = position
      counts.add(steps[position].phase, 1)
    }
    firstFailure = earliestFailure()
  }

  private mutating func startGeneration(
    reset: [String]?, _ event: Event
  ) throws(InvalidTransition) {
    let affected = reset.map { $0.compactMap { positions[$0] } } ?? Array(steps.indices)
    try expect(
      event,
      // In a recap, a later generation resets nothing.
      (phase == .restarting || reset == []) && event.generation == generation + 1
        && affected.allSatisfy { !steps[$0].phase.isActive })
    generation = event.generation
    generationStartedAt = event.time
    restarted = []
    for position in affected {
      counts.add(steps[position].phase, -1)
      counts.add(.pending, 1)
      steps[position] = steps[position].restarted
    }
    firstFailure = firstFailure.flatMap { isFailed($0) ? $0 : earliestFailure() }
    setPhase(.running, event)
    generationRequester = event.by
    phaseRequester = nil
  }

  /// Returns whether a step has failed and its failure is not tolerated.
  private func isFailed(_ position: Int) -> Bool {
    guard case .failed = steps[position].phase else { return false }
    return plan?.steps[position].continuesOnError != true
  }

  private func earliestFailure() -> Int? {
    steps.indices.filter(isFailed).min { earlier, later in
      (steps[earlier].endedAt?.microseconds ?? 0) < (steps[later].endedAt?.microseconds ?? 0)
    }
  }

  private mutating func setPhase(_ newPhase: RunPhase, _ event: Event) {
    phase = newPhase
    phaseChangedAt = event.time
    phaseRequester = event.by
  }

  /// Makes a succeeded step count as cancelled, so that it runs again when the run is resumed.
  mutating func forget(_ id: String) {
    guard let position = positions[id], steps[position].phase.isSuccess else { return }
    setPhase(.cancelled(.request), of: position)
  }

  // MARK: One step

  private mutating func apply(
    _ stepEvent: Event.StepEvent, attempt: Int, to position: Int, _ event: Event
  ) throws(InvalidTransition) {
    let old = steps[position].phase
    switch stepEvent {
    case .ready:
      try expect(event, old == .pending)
      steps[position].readyAt = event.time
      setPhase(.ready, of: position)
    case .waiting(let text):
      try expect(event, old.isActive)
      steps[position].approval = text
    case .approved:
      try expect(event, old.isActive && steps[position].approval != nil)
      note(.approved(steps[position].approval ?? ""), of: position, event)
      steps[position].approval = nil
    case .progress(let part, let text):
      try expect(event, old == .running)
      steps[position].progress = StepProgress(part: part, text: text, reportedAt: event.time)
    case .queued(let place, let text):
      try expect(event, old == .ready)
      steps[position].awaitStart(of: attempt)
      if steps[position].placement?.place != place {
        steps[position].placement = StepPlacement(place: place, queuedAt: event.time)
      }
      steps[position].placement?.queuedBecause = text
    case .waitingForPool(let pool, let text):
      try expect(event, old == .ready)
      steps[position].awaitStart(of: attempt)
      steps[position].waitsForPool = PoolWait(pool: pool, text: text, since: event.time)
    case .available(let outputs):
      try expect(event, old == .running)
      steps[position].availableAt = event.time
      steps[position].availableOutputs = outputs
    case .outOfSight(let text):
      try expect(event, old == .running)
      steps[position].placement?.outOfSightBecause = text
    case .inSight:
      try expect(event, old == .running)
      steps[position].placement?.outOfSightBecause = nil
    case .started(let host):
      try expect(event, old == .ready)
      steps[position].placement?.host = host
      steps[position].placement?.queuedBecause = nil
      steps[position].waitsForPool = nil
      steps[position].approval = nil
      steps[position].progress = nil
      steps[position].availableAt = nil
      steps[position].availableOutputs = [:]
      steps[position].startedAt = event.time
      steps[position].attempt = attempt
      steps[position].retry = nil
      steps[position].pendingRound = nil
      steps[position].waitsUntil = nil
      // Show only the output of the current attempt.
      steps[position].output = OutputTail()
      steps[position].leftBehind = []
      steps[position].written = [:]
      setPhase(.running, of: position)
    case .output(let stream, let text, let isPartial):
      try expect(event, old == .running)
      steps[position].output.append(text, stream: stream, isPartial: isPartial, at: event.time)
    case .leftBehind(let command):
      try expect(event, old == .running)
      steps[position].leftBehind.append(command)
    case .wrote(let outputs):
      try expect(event, old == .running)
      steps[position].written = outputs
    case .expanded(let items):
      try expect(event, old == .running && expand(stepAt: position, to: items))
    case .succeeded(let outputs):
      // A step whose result is set by hand need not be running.
      try expect(event, old == .running || event.by != nil && !old.isFinal)
      if event.by != nil { note(.set, of: position, event) }
      end(position, .succeeded(outputs), event.time)
    case .retrying(let reason, let delay):
      try expect(event, old == .running)
      steps[position].retry = PendingRetry(reason: reason, failedAt: event.time, delay: delay)
      steps[position].placement = nil
      setPhase(.ready, of: position)
    case .repeating(let round, let delay):
      try expect(event, old == .running)
      steps[position].round = round.next
      steps[position].pendingRound = PendingRound(endedAt: event.time, delay: delay)
      steps[position].placement = nil
      setPhase(.ready, of: position)
    case .pausing(let end):
      try expect(event, old == .ready)
      steps[position].waitsUntil = end
    case .cancelling:
      try expect(event, old.isActive)
      note(.cancelled, of: position, event)
    case .failed(let reason):
      try expect(event, old == .running)
      if reason == .rejected { note(.rejected, of: position, event) }
      end(position, .failed(reason), event.time)
      if firstFailure == nil && isFailed(position) { firstFailure = position }
    case .cancelled(let cause):
      try expect(event, !old.isFinal)
      // A pending step that is cancelled alone was not being cancelled before.
      if old == .pending, event.by != nil { note(.cancelled, of: position, event) }
      end(position, .cancelled(cause), event.time)
    case .skipped(let reason, let outputs):
      try expect(event, !old.isFinal)
      if event.by != nil { note(.set, of: position, event) }
      end(position, .skipped(reason, outputs), event.time)
    }
  }

  private mutating func note(
    _ kind: StepIntervention.Kind, of position: Int, _ event: Event
  ) {
    steps[position].interventions.append(
      StepIntervention(kind: kind, time: event.time, by: event.by))
  }

  private mutating func end(_ position: Int, _ phase: StepPhase, _ time: Timestamp) {
    steps[position].endedAt = time
    steps[position].approval = nil
    steps[position].waitsUntil = nil
    steps[position].waitsForPool = nil
    setPhase(phase, of: position)
  }

  /// Changes the phase of a step, and the counts with it.
  private mutating func setPhase(_ phase: StepPhase, of position: Int) {
    counts.add(steps[position].phase, -1)
    counts.add(phase, 1)
    steps[position].phase = phase
  }

  private func expect(_ event: Event, _ condition: Bool) throws(InvalidTransition) {
    guard condition else {
      var stepPhase: StepPhase?
      if case .step(let id, _, _) = event.kind { stepPhase = self[id]?.phase }
      throw InvalidTransition(event: event, phase: phase, stepPhase: stepPhase)
    }
  }
}
