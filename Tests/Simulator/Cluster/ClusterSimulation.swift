// One simulation of a run whose steps are jobs of a cluster: an engine with the real runners, requests,
// kills of the engine, and accidents of the cluster, until the run is over.

import Foundation
import Platform
import Reprise
import RepriseRunners
import RepriseTesting
import WorkflowFiles

/// Simulates a scenario of a cluster; the hooks must be installed.
// @unchecked: a simulation runs on one thread.
final class ClusterSimulation: @unchecked Sendable {
  /// Keeps all events of the run.
  // @unchecked: a simulation runs on one thread.
  private final class Record: Recorder, @unchecked Sendable {
    let scheduler: Scheduler
    let oracle: ClusterOracle
    private(set) var events: [Event] = []

    init(_ scheduler: Scheduler, _ oracle: ClusterOracle) {
      (self.scheduler, self.oracle) = (scheduler, oracle)
    }

    func record(_ events: [Event]) throws {
      guard !scheduler.isDead else { return }
      self.events += events
      for event in events { oracle.receive(event) }
    }

    func keep(_ output: Event) throws {}
  }

  /// No step runs on this machine.
  private struct NoExecutor: Executor {
    let environment: [String: String]

    func execute(_ context: StepContext) async throws -> StepOutputs {
      throw FailureReason.notStarted("it has no runner")
    }
  }

  /// The clock of a slow machine.
  private struct SlowClock: RunClock {
    let clock: SimulatedClock
    let quantum: Duration

    var now: Timestamp { clock.now }

    func sleep(for duration: Duration) async throws {
      guard duration > .zero else { return }
      try await clock.sleep(for: max(duration, quantum))
    }
  }

  /// A run that is not over at this time after the last moment is stuck.
  private static let patience: Int64 = 6 * 3600 * 1_000_000
  /// How long late jobs may still come after the end.
  private static let rest: Int64 = 120 * 1_000_000
  private static let itemsMax = 3_000_000

  private let scenario: ClusterScenario
  private let scheduler: Scheduler
  private let oracle: ClusterOracle
  private let cluster: SimulatedCluster
  private let record: Record
  private let workflow: Workflow
  private let folder: String
  private var run: Run?
  private var incarnation = 0
  private var pending: [Int: ClusterScenario.Moment] = [:]
  private var mustCrash: (pause: Int, cancels: Bool)?
  private var isOver = false
  private var verdict = Verdict()

  init(_ scenario: ClusterScenario, _ options: SimulationOptions) throws {
    self.scenario = scenario
    let scheduler = Scheduler(
      seed: scenario.schedule, policy: scenario.policy, isStrict: false, lazyChance: 0)
    self.scheduler = scheduler
    oracle = ClusterOracle(scenario, scheduler, isVerbose: options.isVerbose)
    record = Record(scheduler, oracle)
    let memory = "/dev/shm"
    let base = mayAccess(memory, .execution) ? memory : NSTemporaryDirectory()
    folder = "\(base)/reprise-cluster-\(getpid())-\(scenario.schedule)"
    cluster = SimulatedCluster(scenario, scheduler, oracle, root: folder + "/attempts")
    try? FileManager.default.removeItem(atPath: folder)
    try makeFolderTree(folder + "/bin")
    // As in a state directory.
    try makeFolderTree(cluster.root)
    // The runner looks whether they are there; they are never run.
    for name in ["sbatch", "squeue", "scancel", "sacct"]
    where name != "sacct" || scenario.cluster.accounts != .none {
      try writeFile([], to: "\(folder)/bin/\(name)", overwriting: true)
      try FileManager.default.setAttributes(
        [.posixPermissions: 0o755], ofItemAtPath: "\(folder)/bin/\(name)")
    }
    var engine = Engine()
    engine.register(SimulatedSlurm.self)
    engine.register(SimulatedJobs.self)
    workflow = try Workflow(text: scenario.yaml, file: "jobs.yaml", actions: engine.actions)
  }

  /// Runs the simulation to its end.
  func verdictAtEnd() -> Verdict {
    activeScheduler = scheduler
    activeCluster = cluster
    for (number, moment) in scenario.moments.enumerated() { pending[number] = moment }
    begin()
    scheduleMoments()
    while oracle.failure == nil {
      if let crash = mustCrash { revive(crash) }
      if isOver { break }
      if scheduler.itemCount > Self.itemsMax {
        oracle.fail("no end", "the simulation is still busy after \(Self.itemsMax) items")
      } else if scheduler.now > Int64(scenario.horizon) * 1000 + Self.patience || !scheduler.step()
      {
        oracle.fail("stuck", "the run does not end: \(run?.state.phase as Any)")
      }
    }
    if oracle.failure == nil { finish() }
    dispose()
    return verdict
  }

  private func dispose() {
    verdict.failure = oracle.failure
    verdict.trace = scheduler.trace.value
    verdict.events = oracle.eventCount
    verdict.items = scheduler.itemCount
    verdict.seconds = Double(scheduler.now) / 1e6
    verdict.jobs = oracle.counts.jobs
    verdict.generations = oracle.counts.generations
    if let run { _ = Unmanaged.passRetained(run) }
    run = nil
    scheduler.crash()
    try? FileManager.default.removeItem(atPath: folder)
  }

  /// Checks the end, and lets late jobs come.
  private func finish() {
    oracle.finish(left: cluster.left)
    if let id = record.events.first?.run { AttemptFolder.removeAll(of: id, in: cluster.root) }
    let end = scheduler.now + Self.rest
    while oracle.failure == nil, scheduler.now < end, scheduler.step() {}
  }

  // MARK: Engines

  private func engine() -> Engine {
    let clock = SlowClock(
      clock: SimulatedClock(scheduler: scheduler, fault: nil),
      quantum: .milliseconds(scenario.quantum))
    var engine = Engine(
      executor: NoExecutor(environment: ["PATH": folder + "/bin"]), clock: clock, recorder: record)
    engine.register(SimulatedSlurm.self)
    engine.register(SimulatedJobs.self)
    let scheduler = scheduler
    let source = SimulatedRandomSource(seed: scenario.schedule &+ UInt64(incarnation))
    engine.runtime = Runtime(
      makeQueue: { _ in SimulatedQueue(scheduler, fault: nil) }, randomSource: source)
    engine.surroundings = RunnerSurroundings(attempts: cluster.root, hostProgram: "/bin/reprise")
    engine.surroundings.clock = clock
    engine.surroundings.random = source
    return engine
  }

  private func begin() {
    incarnation += 1
    let engine = engine()
    let number = incarnation
    let run: Run
    if let state = recordedState(), let resumed = try? engine.resume(state, with: workflow) {
      run = resumed
    } else {
      var generator = SplitMix64(seed: scenario.schedule, purpose: 100)
      run = engine.start(workflow, id: RunID(using: &generator))
    }
    self.run = run
    Task.detached {
      _ = try await run.outcome
      if number == self.incarnation { self.isOver = true }
    }
  }

  private func scheduleMoments() {
    for (number, moment) in pending.sorted(by: { $0.key < $1.key }) {
      scheduler.enqueue(
        after: Int64(moment.time) * 1000 - scheduler.now,
        .closure {
          self.scheduler.enqueue(afterItems: moment.items) {
            self.pending[number] = nil
            self.act(moment.action)
          }
        })
    }
  }

  private func recordedState() -> RunState? {
    guard !record.events.isEmpty else { return nil }
    var state = RunState()
    do {
      for event in record.events { try state.apply(event) }
    } catch {
      oracle.fail("record", "the recorded events do not fold: \(error)")
    }
    return state
  }

  /// Goes on after the engine was killed: with the next one, or with a cancel without one.
  private func revive(_ crash: (pause: Int, cancels: Bool)) {
    mustCrash = nil
    // A process that is killed runs no deinitializers.
    if let run { _ = Unmanaged.passRetained(run) }
    run = nil
    incarnation += 1
    scheduler.revive()
    cluster.rearm()
    cluster.forgetNumbers()
    oracle.crashed()
    scheduleMoments()
    scheduler.enqueue(
      after: Int64(crash.pause) * 1000,
      .closure {
        if let state = self.recordedState(), case .ended = state.phase {
          self.isOver = true
        } else if crash.cancels, let state = self.recordedState() {
          self.cancelWithoutEngine(state)
        } else {
          self.begin()
        }
      })
  }

  /// Does what `reprise cancel` does with a run that has no engine.
  private func cancelWithoutEngine(_ state: RunState) {
    oracle.cancelledWithoutEngine()
    let (engine, workflow, record) = (engine(), workflow, record)
    Task.detached {
      await withTaskGroup { group in
        for attempt in state.survivingAttempts {
          guard let token = AttemptToken(attempt.place.token),
            let step = workflow.graph.index(of: attempt.step),
            let runner = workflow.steps[step.position].extrasIfAny?.runner
          else { continue }
          group.addTask { try? await engine.stop(token, on: runner, grace: .seconds(2)) }
        }
      }
      guard let run = state.run else { return }
      let notices = await engine.release(run, on: workflow.runners)
      func event(_ kind: Event.Kind) -> Event {
        Event(
          time: engine.surroundings.clock.now, run: run, generation: state.generation, kind: kind)
      }
      let ends = state.survivingAttempts.map {
        event(.step($0.step, attempt: $0.number, .cancelled(.request)))
      }
      try record.record(
        ends + notices.map { event(.runNotice($0)) } + [event(.runEnded(.cancelled))])
      self.isOver = true
    }
  }

  // MARK: Moments

  private func act(_ action: ClusterScenario.Action) {
    oracle.print("\(action)")
    scheduler.note(stableHash("\(action)"))
    guard !scheduler.isDead else { return }
    switch action {
    case .strike(let accident): return cluster.strike(accident)
    case .nodeFails(let node): return cluster.failNode(node)
    case .away(let time): return cluster.goAway(for: time)
    case .forgets(let time): return cluster.forget(for: time)
    case .crash(let pause, let cancels):
      guard run != nil, !isOver else { return }
      verdict.crashes += 1
      scheduler.crash()
      mustCrash = (pause, cancels)
      return
    case .restart, .restartFrom, .cancel, .cancelStep: break
    }
    guard let run else { return }
    oracle.requested()
    switch action {
    case .restart: run.restart()
    case .restartFrom(let id): try? run.restart(from: id)
    case .cancel: run.cancel()
    case .cancelStep(let id): run.perform(.cancel(steps: [id], now: false), by: .api) { _ in }
    case .strike, .nodeFails, .away, .forgets, .crash: break
    }
  }
}
