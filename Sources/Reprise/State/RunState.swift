// The state of a run as a fold over its events. Pure: an event in, a new state out; no clock and
// no I/O. The live run, the displays and whatever reads a record all fold with this one value, so
// that what is shown, stored and recovered cannot differ.

/// Where a run and each of its steps stand.
public struct RunState: Sendable, Equatable {
  /// The run that the events are about; nil before the first event.
  public private(set) var run: RunID?
  /// What is being run; nil before the first event.
  public private(set) var plan: RunPlan?
  /// Where the run as a whole stands.
  public private(set) var phase: RunPhase = .notStarted
  /// The generation under way, from 1; 0 before the first event.
  public private(set) var generation = 0
  /// The steps in file order.
  public private(set) var steps: [StepState] = []
  /// How many steps stand where.
  public private(set) var counts = StepCounts()
  /// The position of the step that failed first in this generation.
  public private(set) var firstFailure: Int?
  /// When the run began.
  public private(set) var startedAt: Timestamp?
  /// When the generation under way began.
  public private(set) var generationStartedAt: Timestamp?
  /// When the phase last changed.
  public private(set) var phaseChangedAt: Timestamp?

  private var positions: [String: Int] = [:]

  /// The state before the first event.
  public init() {}

  /// The step of that id, or nil where the run has none.
  public subscript(id: String) -> StepState? {
    positions[id].map { steps[$0] }
  }

  /// Whether the run goes on when a step fails.
  ///
  /// - Parameter id: The id of the step.
  /// - Returns: Whether it does; false where there is no such step.
  public func isTolerated(_ id: String) -> Bool {
    positions[id].map { plan?.steps[$0].continuesOnError == true } ?? false
  }

  /// What tells a step from the others that the same step of the file became, such as `linux, 5`.
  ///
  /// - Parameter id: The id of the step.
  /// - Returns: The label; nil for a step that is not one of many.
  public func label(of id: String) -> String? {
    positions[id].flatMap { plan?.steps[$0].label }
  }

  /// The position of a step in `steps`, or nil where the run has no step of that id.
  ///
  /// - Parameter id: The id of the step.
  /// - Returns: Its position. Constant time.
  public func position(ofStep id: String) -> Int? {
    positions[id]
  }

  /// Takes in the next event.
  ///
  /// Constant time, but for the first event and for restarts, which touch
  /// each step that they reset.
  ///
  /// - Parameter event: What happened next.
  /// - Throws: ``InvalidTransition`` when the event cannot follow what came before; the state is
  ///   then as it was.
  public mutating func apply(_ event: Event) throws(InvalidTransition) {
    try apply(event, ofStepAt: nil)
  }

  /// Takes in the next event; faster for one of a step whose position is known.
  mutating func apply(_ event: Event, ofStepAt known: Int?) throws(InvalidTransition) {
    switch event.kind {
    case .runStarted(let plan):
      try start(plan, event)
    case .runResumed(let plan):
      try resume(plan, event)
    case .runRestarting:
      try expect(event, phase == .running || phase == .restarting)
      setPhase(.restarting, event.time)
    case .generationStarted(let reset):
      try startGeneration(reset: reset, event)
    case .runCancelling(let cause):
      try expect(event, phase.isUnderWay)
      setPhase(.cancelling(cause), event.time)
    case .runEnded(let outcome):
      try expect(event, phase.isUnderWay && counts.final == steps.count)
      setPhase(.ended(outcome), event.time)
    case .step(let id, let attempt, let stepEvent):
      guard let position = known ?? positions[id], phase.isUnderWay, event.generation == generation
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
    setPhase(.running, event.time)
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
      if steps[position].phase.isUnderWay {
        steps[position].phase = .cancelled(.interrupted)
        steps[position].endedAt = event.time
      }
      counts.add(steps[position].phase, 1)
    }
    firstFailure = earliestFailure()
    setPhase(.restarting, event.time)
  }

  private mutating func startGeneration(
    reset: [String]?, _ event: Event
  ) throws(InvalidTransition) {
    let affected = reset.map { $0.compactMap { positions[$0] } } ?? Array(steps.indices)
    try expect(
      event,
      // A recap tells a later generation in which nothing is reset.
      (phase == .restarting || reset == []) && event.generation == generation + 1
        && affected.allSatisfy { !steps[$0].phase.isUnderWay })
    generation = event.generation
    generationStartedAt = event.time
    for position in affected {
      counts.add(steps[position].phase, -1)
      counts.add(.pending, 1)
      steps[position] = StepState(id: steps[position].id)
    }
    firstFailure = firstFailure.flatMap { isFailed($0) ? $0 : earliestFailure() }
    setPhase(.running, event.time)
  }

  /// Whether a step has failed so that the run has.
  private func isFailed(_ position: Int) -> Bool {
    guard case .failed = steps[position].phase else { return false }
    return plan?.steps[position].continuesOnError != true
  }

  private func earliestFailure() -> Int? {
    steps.indices.filter(isFailed).min { earlier, later in
      (steps[earlier].endedAt?.microseconds ?? 0) < (steps[later].endedAt?.microseconds ?? 0)
    }
  }

  private mutating func setPhase(_ newPhase: RunPhase, _ time: Timestamp) {
    phase = newPhase
    phaseChangedAt = time
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
      try expect(event, old == .ready)
      steps[position].approval = text
    case .approved:
      try expect(event, old == .ready && steps[position].approval != nil)
      steps[position].approval = nil
    case .progress(let part, let text):
      try expect(event, old == .running)
      steps[position].progress = StepProgress(part: part, text: text, toldAt: event.time)
    case .started:
      try expect(event, old == .ready)
      steps[position].approval = nil
      steps[position].progress = nil
      steps[position].startedAt = event.time
      steps[position].attempt = attempt
      steps[position].retry = nil
      // Each attempt is judged by what it writes itself.
      steps[position].output = OutputTail()
      setPhase(.running, of: position)
    case .output(let stream, let text, let isPartial):
      try expect(event, old == .running)
      steps[position].output.append(text, stream: stream, isPartial: isPartial, at: event.time)
    case .succeeded(let outputs):
      try expect(event, old == .running)
      end(position, .succeeded(outputs), event.time)
    case .retrying(let reason, let delay):
      try expect(event, old == .running)
      steps[position].retry = PendingRetry(reason: reason, failedAt: event.time, delay: delay)
      setPhase(.ready, of: position)
    case .failed(let reason):
      try expect(event, old == .running)
      end(position, .failed(reason), event.time)
      if firstFailure == nil && isFailed(position) { firstFailure = position }
    case .cancelled(let cause):
      try expect(event, !old.isFinal)
      end(position, .cancelled(cause), event.time)
    case .skipped(let reason, let outputs):
      try expect(event, !old.isFinal)
      end(position, .skipped(reason, outputs), event.time)
    }
  }

  private mutating func end(_ position: Int, _ phase: StepPhase, _ time: Timestamp) {
    steps[position].endedAt = time
    steps[position].approval = nil
    setPhase(phase, of: position)
  }

  /// The one place where a step changes its phase.
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

/// Where a run stands.
public enum RunPhase: Sendable, Equatable {
  /// No event has come yet.
  case notStarted
  /// Steps run, or wait for others.
  case running
  /// A restart was asked for and waits until what has to stop is gone.
  case restarting
  /// The run is being stopped, because of what is named.
  case cancelling(CancellationCause)
  /// The run is over.
  case ended(RunOutcome)

  /// Whether the run has begun and is not over.
  public var isUnderWay: Bool {
    switch self {
    case .notStarted, .ended: false
    case .running, .restarting, .cancelling: true
    }
  }
}

/// An event that cannot follow what came before it.
public struct InvalidTransition: Error, Equatable, CustomStringConvertible {
  /// The event that was refused.
  public let event: Event
  /// Where the run stood.
  public let phase: RunPhase
  /// Where the step of the event stood, if it is about a step.
  public let stepPhase: StepPhase?

  /// The text for people.
  public var description: String {
    "the event \(event.kind) cannot follow while the run is \(phase)"
      + (stepPhase.map { " and the step \($0)" } ?? "")
  }
}
