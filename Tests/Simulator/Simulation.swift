// One simulation: an engine, actions on its run, crashes and resumes, until nothing more can
// happen.

import CombineOperators
import Foundation
import Reprise
import RepriseTesting
import WorkflowFiles

/// Simulates a scenario; the hooks must be installed.
// @unchecked: a simulation runs on one thread.
final class Simulation: @unchecked Sendable {
  let scenario: Scenario
  let options: SimulationOptions
  let scheduler: Scheduler
  let oracle: Oracle
  let workflow: Workflow
  private(set) var disk: SimulatedDisk
  private var run: Run?
  private var engine: Engine?
  /// The number of engines so far; events of earlier engines are ignored.
  private(set) var incarnation = 0
  private var listeners: [SimulatedListener] = []
  private var pending: [Int: Scenario.Moment] = [:]
  var executions: [String: Int] = [:]
  var tokenCount = 0
  private var outcome: RunOutcome?
  private var endState: RunState?
  private var acknowledgedAtOutcome = 0
  private var resumesLeft: Int
  private var verdict = Verdict()
  private var mustCrash = false
  /// The events of each step without computed items, in short.
  private var history: [String: [String]] = [:]
  private static let itemsMax = 3_000_000

  init(_ scenario: Scenario, _ options: SimulationOptions) throws {
    self.scenario = scenario
    self.options = options
    scheduler = Scheduler(
      seed: scenario.schedule, policy: scenario.policy, isStrict: scenario.isStrict ?? false,
      lazyChance: scenario.lazyChance)
    workflow = try Workflow(text: scenario.yaml, file: "simulated.yaml")
    let oracle = Oracle(scenario)
    self.oracle = oracle
    disk = SimulatedDisk(scenario, scheduler, fault: options.fault) { oracle.fail($0, $1) }
    resumesLeft = scenario.resumes
  }

  /// Runs the simulation to its end.
  func verdictAtEnd() -> Verdict {
    activeScheduler = scheduler
    scheduler.onIdle = { [unowned self] in
      guard run != nil, outcome == nil else { return }
      oracle.readNotes(before: .max)
      oracle.checkIdle()
    }
    for (number, moment) in scenario.moments.enumerated() { pending[number] = moment }
    begin()
    while oracle.failure == nil {
      if mustCrash { revive() }
      if scheduler.itemCount > Self.itemsMax {
        oracle.fail("no end", "the simulation is still busy after \(Self.itemsMax) items")
      } else if !scheduler.step(), !mustCrash, !goOnWhenIdle() {
        break
      }
    }
    verdict.failure = oracle.failure
    verdict.trace = scheduler.trace.value
    verdict.history = history.mapValues { $0.joined(separator: ", ") }
    verdict.events = oracle.eventCount
    verdict.items = scheduler.itemCount
    verdict.seconds = Double(scheduler.now) / 1e6
    dispose()
    return verdict
  }

  // MARK: Engines

  private func begin() {
    incarnation += 1
    var engine = Engine(
      executor: SimulatedExecutor(
        scheduler: scheduler, witness: self, fault: options.fault,
        items: [
          Scenario.ComputedItems.list: scenario.computed?.text ?? "[]",
          Forest.source: "[0, 1]",
        ]),
      clock: SimulatedClock(scheduler: scheduler, fault: options.fault),
      recorder: scenario.disk.isUsed ? AcknowledgingRecorder(simulation: self) : nil)
    let (scheduler, fault) = (scheduler, options.fault)
    engine.runtime = Runtime(
      makeQueue: { _ in SimulatedQueue(scheduler, fault: fault) },
      randomSource: SimulatedRandomSource(seed: scenario.schedule &+ UInt64(incarnation)))
    engine.observer = SimulatedObserver(simulation: self, incarnation: incarnation)
    self.engine = engine
    start(engine)
    for (number, moment) in pending.sorted(by: { $0.key < $1.key }) {
      schedule(moment, number: number)
    }
  }

  private func start(_ engine: Engine) {
    outcome = nil
    let run: Run
    if let state = durableState(), let resumed = try? engine.resume(state, with: workflow) {
      run = resumed
    } else {
      var generator = SplitMix64(seed: scenario.schedule, purpose: UInt64(incarnation) + 100)
      run = engine.start(workflow, id: RunID(using: &generator))
    }
    self.run = run
    let number = incarnation
    Task.detached {
      let outcome = try await run.outcome
      self.ended(outcome, run.state, incarnation: number)
    }
  }

  private func ended(_ outcome: RunOutcome, _ state: RunState, incarnation: Int) {
    guard incarnation == self.incarnation else { return }
    self.outcome = outcome
    endState = state
    acknowledgedAtOutcome = disk.acknowledgedCount
  }

  /// Returns the state that the disk holds; nil if it holds no event of the run.
  private func durableState() -> RunState? {
    guard !disk.durable.isEmpty else { return nil }
    var state = RunState()
    do {
      for event in disk.durable { try state.apply(event) }
    } catch {
      oracle.fail("disk", "the durable events do not fold: \(error)")
    }
    return state
  }

  // MARK: Crashes

  private func crash() {
    guard scenario.disk.isUsed else { return }
    verdict.crashes += 1
    scheduler.crash()
    oracle.acknowledge(disk.crash())
    mustCrash = true
  }

  /// Starts a new engine after a crash, when the stack of the old one has unwound.
  private func revive() {
    mustCrash = false
    abandonProcess()
    scheduler.revive()
    guard oracle.failure == nil else { return }
    if case .ended(let outcome) = durableState()?.phase {
      guard outcome != .succeeded, resumesLeft > 0 else {
        pending = [:]
        return
      }
      resumesLeft -= 1
    }
    begin()
  }

  /// Discards everything in memory, as the end of a process does: without deinitializers.
  private func abandonProcess() {
    if let run { _ = Unmanaged.passRetained(run) }
    for listener in listeners { _ = Unmanaged.passRetained(listener) }
    run = nil
    listeners = []
    outcome = nil
    incarnation += 1
    oracle.crash(durable: disk.durable)
    if disk.durable.isEmpty { oracle.runID = nil }
  }

  /// Ends the remaining work when the verdict is known.
  private func dispose() {
    if oracle.failure != nil { abandonProcess() }
    run = nil
    listeners = []
    while oracle.failure == nil, scheduler.step() {}
    scheduler.crash()
  }

  // MARK: Idle

  /// Answers pending approvals, resumes the run, or ends the simulation.
  ///
  /// - Returns: Whether the simulation continues.
  private func goOnWhenIdle() -> Bool {
    guard let run, incarnation > 0 else { return false }
    guard let outcome else { return answerApprovals(of: run) }
    finish(outcome)
    guard oracle.failure == nil, outcome != .succeeded, resumesLeft > 0, scenario.disk.isUsed,
      !disk.durable.isEmpty
    else { return false }
    resumesLeft -= 1
    self.run = nil
    listeners = []
    incarnation += 1
    oracle.crash(durable: disk.durable)
    disk.restart()
    disk.isFull = false
    if case .ended(.succeeded) = durableState()?.phase { return false }
    begin()
    return true
  }

  private func answerApprovals(of run: Run) -> Bool {
    let waiting = run.state.steps.filter { $0.approval != nil }
    for step in waiting { _ = try? run.answer(step.id, isApproved: scenario.grantsAtEnd) }
    let isPaused = run.state.isPaused
    if isPaused {
      run.perform(.unpause, by: .api) { _ in }
    } else if waiting.isEmpty {
      let left = run.state.steps.filter { !$0.phase.isFinal }.map { "\($0.id) \($0.phase)" }
      oracle.fail("stuck", "nothing more can happen, and the run is \(run.state.phase): \(left)")
    }
    return !waiting.isEmpty || isPaused
  }

  /// Checks what must hold when a run is over and all work has settled.
  private func finish(_ outcome: RunOutcome) {
    oracle.readNotes(before: .max)
    let wasAbandoned = if case .abandoned = outcome { true } else { false }
    oracle.check(oracle.alive.isEmpty, "end", "attempts are alive when the run is over")
    oracle.check(oracle.phase == .ended, "end", "the last event is missing")
    oracle.check(
      wasAbandoned || oracle.outcome == outcome, "outcome",
      "the run returns \(outcome), its last event says \(String(describing: oracle.outcome))")
    oracle.check(
      endState == oracle.folded, "fold", "the state of the run is not the fold of its events")
    if scenario.disk.isUsed, !wasAbandoned {
      oracle.check(
        acknowledgedAtOutcome == oracle.recordedCount, "durable",
        "the run is over with \(acknowledgedAtOutcome) of \(oracle.recordedCount) events recorded")
    }
    for (number, listener) in listeners.enumerated() where !listener.hasLeft {
      if let problem = listener.problem { oracle.fail("listener", "\(number): \(problem)") }
      oracle.check(listener.isFinished, "listener", "\(number) is not completed")
      oracle.check(
        listener.state.withoutOutput == oracle.folded.withoutOutput
          && (listener.settings.demand > 0 || listener.state == oracle.folded),
        "listener", "the state that \(number) has folded is not that of the run")
    }
  }

  // MARK: Moments

  private func schedule(_ moment: Scenario.Moment, number: Int) {
    let rest = Int64(moment.time) * 1000 - scheduler.now
    scheduler.enqueue(
      after: rest,
      .closure {
        self.scheduler.enqueue(afterItems: moment.items) {
          self.pending[number] = nil
          self.act(moment.action)
        }
      })
  }

  private func act(_ action: Scenario.Action) {
    print("\(action)")
    scheduler.note(stableHash("\(action)"))
    guard let run, !scheduler.isDead else { return }
    note(action, of: run)
    switch action {
    case .restart: run.restart()
    case .restartFrom(let id): try? run.restart(from: id)
    case .restartWith(let ids):
      Task.detached { [workflow] in
        _ = try? await run.restart(with: workflow, from: ids.isEmpty ? nil : ids)
      }
    case .cancel: run.cancel()
    case .kill: run.kill()
    case .cancelStep(let id):
      run.perform(.cancel(steps: [id], now: false), by: .api) { _ in }
    case .set(let id, let isSkipped):
      let result = isSkipped ? HandmadeResult.skipped : .succeeded(["made": "by hand"])
      run.perform(.set(steps: [id], result), by: .api) { _ in }
    case .pause: run.perform(.pause, by: .api) { _ in }
    case .unpause: run.perform(.unpause, by: .api) { _ in }
    case .approve(let id): _ = try? run.approve(id)
    case .refuse(let id): _ = try? run.refuse(id)
    case .listen(let settings):
      let listener = SimulatedListener(settings, scheduler)
      listeners.append(listener)
      run.events.subscribe(listener)
    case .crash: crash()
    case .diskFull: disk.isFull = true
    case .diskFree: disk.isFull = false
    }
  }

  private func note(_ action: Scenario.Action, of run: Run) {
    let request: Oracle.Request
    switch action {
    case .restart, .restartFrom, .restartWith: request = .restart
    case .cancel: request = .cancel
    case .kill: request = .kill
    default: return
    }
    let state = run.state
    // When all steps are over, the run may be about to end.
    let isPossible =
      (state.phase == .running || state.phase == .restarting)
      && state.counts.final < state.steps.count
    if isPossible { oracle.note(request, at: scheduler.tick()) }
  }

  // MARK: Events

  func receive(_ event: Event, incarnation: Int) {
    guard incarnation == self.incarnation, !scheduler.isDead else { return }
    if case .generationStarted = event.kind { verdict.generations += 1 }
    scheduler.note(event.traceValue)
    if case .step(let id, let attempt, let stepEvent) = event.kind,
      !Scenario.ComputedItems.contains(id)
    {
      let milliseconds = (event.time.microseconds - SimulatedClock.epoch) / 1000
      history[id, default: []]
        .append("\(stepEvent.name) \(event.generation).\(attempt) at \(milliseconds)")
    }
    if options.isVerbose { print("  event \(event.generation): \(event.kind)") }
    oracle.receive(event)
    if options.fault == .eventComesTwice, event.time.microseconds % 53 == 0 {
      scheduler.enqueue(
        after: 10, .closure { [oracle] in if oracle.phase != .ended { oracle.receive(event) } })
    }
  }

  func print(_ text: @autoclosure () -> String) {
    guard options.isVerbose else { return }
    Swift.print("[\(Double(scheduler.now) / 1e6) s, item \(scheduler.itemCount)] \(text())")
    // A trap must not lose the output.
    fflush(nil)
  }
}
