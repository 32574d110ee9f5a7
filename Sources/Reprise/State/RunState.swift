// `RunState`: the state of a run, as a pure fold over its events.

package import Workflows

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
  /// The steps in file order, with those under `finally` at their end.
  public internal(set) var steps = StepStates()
  /// The number of steps in each phase.
  public internal(set) var counts = StepCounts()
  /// The id of the first step that failed in this generation and so failed the run.
  ///
  /// An id, because the indices of a state that was folded from a recap differ.
  var firstFailedStep: String?
  /// The time at which the run started.
  public private(set) var startedAt: Timestamp?
  /// The time at which the current generation started.
  public private(set) var generationStartedAt: Timestamp?
  /// The time of the last change of ``phase``.
  public private(set) var phaseChangedAt: Timestamp?
  /// Who asked for the current ``phase``: a restart or a cancellation, also of a run that has ended.
  public private(set) var phaseRequester: Requester?
  /// Who asked for the restart that began the current generation, and from which steps.
  public private(set) var generationRequester: Requester?
  /// Whether nothing new starts, on request; restarts do not change it.
  public var isPaused: Bool { pause != nil }
  /// Who paused the run; nil if it is not paused, or the requester is unknown.
  public var pauseRequester: Requester? { pause?.by }
  /// The event that paused the run, while it is paused.
  private(set) var pause: Event?
  /// The pauses of the run that are over; of many, the last ones.
  private(set) var pauses: [Pause] = []
  /// What the user should know when the run ends; see ``Event/Kind/runNotice(_:)``.
  public private(set) var notices: [String] = []
  /// The steps that a restart stops and resets, until a generation has begun; nil for all, and empty if
  /// there is none.
  ///
  /// A run that is interrupted in the meantime keeps them: they run again when it is resumed.
  private var restarted: Set<String>? = []

  /// A pause of the run that is over.
  struct Pause: Sendable, Equatable {
    static let countMax = 100

    let start: Timestamp
    let end: Timestamp
  }

  /// The state before the first event.
  public init() {}

  /// The step with an id; nil if the run has no such step.
  public subscript(id: String) -> StepState? {
    steps.index(of: id).map { steps[$0] }
  }

  /// The state of a step.
  package subscript(step: StepIndex) -> StepState { steps[step] }

  /// The position of the first step that failed in this generation and so failed the run.
  public var firstFailure: Int? { firstFailedStep.flatMap(position(ofStep:)) }

  /// Returns whether the run continues if a step fails.
  ///
  /// - Parameter id: The id of the step.
  /// - Returns: Whether it continues; false if there is no such step.
  public func isTolerated(_ id: String) -> Bool {
    position(ofStep: id).map { plan?.steps[$0].continuesOnError == true } ?? false
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
    steps.index(of: id).flatMap(steps.position)
  }

  /// The ids of the steps that a restart stops and that no generation has reset yet, in file order; nil
  /// for all.
  var restartedSteps: [String]? {
    restarted.map { restarted in steps.map(\.id).filter(restarted.contains) }
  }

  /// Returns whether a step is to run again by a restart that has not begun a generation yet.
  package func isToRunAgain(_ id: String) -> Bool { restarted?.contains(id) ?? true }

  /// Returns whether a step is being stopped, by a cancel of the run or a restart.
  ///
  /// - Parameter id: The id of the step.
  /// - Returns: Whether it is; a step that has ended counts, too.
  package func isStopping(_ id: String) -> Bool {
    switch phase {
    case .restarting: isToRunAgain(id)
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
    try apply(event, of: nil)
  }

  /// Applies the next event; faster for an event of a step if the step is given.
  mutating func apply(_ event: Event, of known: StepIndex?) throws(InvalidTransition) {
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
      if !cause.leavesUnfinished { restarted = [] }
      // The steps under `finally` run.
      endPause(event)
    case .runPaused:
      try expect(event, phase.isActive)
      pause = event
    case .runUnpaused:
      try expect(event, phase.isActive)
      endPause(event)
    case .runNotice(let text):
      try expect(event, phase.isActive)
      notices.append(text)
    case .runEnded(let outcome):
      try expect(event, phase.isActive && counts.final == steps.count)
      // Who has cancelled a run is still known when it has ended.
      var canceller: Requester?
      if case .cancelling = phase { canceller = phaseRequester }
      setPhase(.ended(outcome), event)
      phaseRequester = event.by ?? canceller
      endPause(event)
    case .step(let id, let attempt, let stepEvent):
      guard let step = known.flatMap({ isStep(id, $0) ? $0 : nil }) ?? steps.index(of: id),
        phase.isActive, event.generation == generation
      else {
        throw InvalidTransition(event: event, phase: phase, stepPhase: nil)
      }
      try apply(stepEvent, attempt: attempt, to: step, event)
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
    steps = StepStates(plan.steps.map { StepState(id: $0.id) })
    counts.pending = steps.count
    setPhase(.running, event)
  }

  private mutating func resume(_ plan: RunPlan, _ event: Event) throws(InvalidTransition) {
    try expect(event, phase != .notStarted)
    let (earlier, decided) = (self, stepsDecided)
    self.plan = plan
    let states = plan.steps.map { step in
      var state = earlier[step.id] ?? StepState(id: step.id)
      // What survives its engine goes on, and is adopted.
      if state.phase.isActive, !state.survivesEngine {
        state.phase = .cancelled(decided.contains(step.id) ? .request : .interrupted)
        state.endedAt = event.time
        state.approval = nil
      }
      return state
    }
    // The engine that resumes the run numbers its steps anew.
    steps = StepStates(states)
    countPhases()
    firstFailedStep = earliestFailure()
    pause = nil
    setPhase(.restarting, event)
  }

  private mutating func reload(_ plan: RunPlan, _ event: Event) throws(InvalidTransition) {
    let kept = Set(plan.steps.map(\.id))
    try expect(
      event, phase == .restarting && steps.allSatisfy { kept.contains($0.id) || !$0.phase.isActive }
    )
    restarted?.formIntersection(kept)
    take(plan)
    firstFailedStep = earliestFailure()
  }

  /// Takes the steps of another plan; those with a known id keep their state.
  mutating func take(_ plan: RunPlan) {
    self.plan = plan
    steps.take(plan.steps.map(\.id))
    countPhases()
  }

  private mutating func countPhases() {
    counts = StepCounts()
    for step in steps { counts.add(step.phase, 1) }
  }

  private mutating func startGeneration(
    reset: [String]?, _ event: Event
  ) throws(InvalidTransition) {
    let affected = reset.map { $0.compactMap(steps.index) } ?? steps.steps
    try expect(
      event,
      // In a recap, a later generation resets nothing.
      (phase == .restarting || reset == []) && generation < .max
        && event.generation == generation + 1 && affected.allSatisfy { !steps[$0].phase.isActive })
    generation = event.generation
    generationStartedAt = event.time
    restarted = []
    for step in affected {
      counts.add(steps[step].phase, -1)
      counts.add(.pending, 1)
      steps.update(step) { $0 = $0.restarted }
    }
    if let id = firstFailedStep, steps.index(of: id).map(isFailed) != true {
      firstFailedStep = earliestFailure()
    }
    setPhase(.running, event)
    generationRequester = event.by
    phaseRequester = nil
  }

  /// Returns whether a step has failed and its failure is not tolerated.
  private func isFailed(_ step: StepIndex) -> Bool {
    guard case .failed = steps[step].phase, let position = steps.position(of: step) else {
      return false
    }
    return plan?.steps[position].continuesOnError != true
  }

  private func earliestFailure() -> String? {
    let first = steps.steps.filter(isFailed).min { earlier, later in
      (steps[earlier].endedAt?.microseconds ?? 0) < (steps[later].endedAt?.microseconds ?? 0)
    }
    return first.map { steps[$0].id }
  }

  private mutating func setPhase(_ newPhase: RunPhase, _ event: Event) {
    phase = newPhase
    phaseChangedAt = event.time
    phaseRequester = event.by
  }

  /// Makes a step count as one that was not decided and has not succeeded, so that it runs again when the run is
  /// resumed.
  mutating func forget(_ id: String) {
    guard let step = steps.index(of: id) else { return }
    steps.update(step) { $0.interventions = [] }
    guard steps[step].phase.isSuccess else { return }
    counts.add(steps[step].phase, -1)
    counts.add(.cancelled(.request), 1)
    steps.update(step) { $0.phase = .cancelled(.request) }
  }

  // MARK: One step

  private mutating func apply(
    _ stepEvent: Event.StepEvent, attempt: Int, to step: StepIndex, _ event: Event
  ) throws(InvalidTransition) {
    let old = steps[step]
    try expect(event, old.accepts(stepEvent, isRequested: event.by != nil))
    if case .expanded(let items) = stepEvent { return try expect(event, expand(step, to: items)) }
    steps.update(step) { $0.apply(stepEvent, attempt: attempt, event) }
    guard steps[step].phase != old.phase else { return }
    counts.add(old.phase, -1)
    counts.add(steps[step].phase, 1)
    if firstFailedStep == nil, isFailed(step) { firstFailedStep = old.id }
  }

  private mutating func endPause(_ event: Event) {
    guard let pause else { return }
    self.pause = nil
    pauses.append(Pause(start: pause.time, end: event.time))
    if pauses.count > Pause.countMax { pauses.removeFirst() }
  }

  private func expect(_ event: Event, _ condition: Bool) throws(InvalidTransition) {
    guard condition else {
      var stepPhase: StepPhase?
      if case .step(let id, _, _) = event.kind { stepPhase = self[id]?.phase }
      throw InvalidTransition(event: event, phase: phase, stepPhase: stepPhase)
    }
  }
}
