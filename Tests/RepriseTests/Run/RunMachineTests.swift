import TestSupport
import Testing
import WorkflowFiles

@testable import Reprise

/// Random schedules of requests and step events against the state machine of a run.
struct RunMachineTests {
  @Test func `in random schedules no generations overlap and every run ends`() throws {
    var generator = SeededGenerator.announced()
    let plans = try (0..<50).map { _ in try Self.randomPlan(using: &generator) }
    for round in 0..<rounds(20_000, soak: 3_000_000) {
      var world = World(plans[round % plans.count])
      world.run(using: &generator)
      let problem = world.problem
      #expect(problem == nil, "round \(round): \(world.history.joined(separator: "\n"))")
      if problem != nil { return }
    }
  }

  @Test func `a machine that forgets an outstanding step is detected`() throws {
    try expectFound(.forgetsOutstanding, "in progress")
  }

  @Test func `a machine that loses the end of a step is detected`() throws {
    try expectFound(.losesEnds, "has not ended")
  }

  @Test func `a machine that connects the steps under finally twice is detected`() throws {
    try expectFound(.connectsFinallyTwice, "twice")
  }

  /// Expects that a world with a planted fault finds a problem.
  private func expectFound(_ fault: World.Fault, _ text: String) throws {
    var generator = SeededGenerator.announced()
    let plans = try (0..<50).map { _ in try Self.randomPlan(using: &generator) }
    var found = 0
    for round in 0..<500 {
      var world = World(plans[round % plans.count])
      world.fault = fault
      world.run(using: &generator)
      if world.problem?.contains(text) == true { found += 1 }
    }
    #expect(found > 0)
  }

  fileprivate static func randomPlan(using generator: inout SeededGenerator) throws -> Plan {
    let count = Int.random(in: 1...7, using: &generator)
    let finallyCount = Int.random(in: 0...min(2, count - 1), using: &generator)
    let needs = (0..<count).map { step in
      // Only steps under `finally` may need others under it.
      (0..<step).filter { _ in Int.random(in: 0..<3, using: &generator) == 0 }
    }
    return try Plan(needs: needs, finallyCount: finallyCount)
  }
}

/// Simulates the steps of a run, driven by the machine.
private struct World {
  enum Fault { case none, forgetsOutstanding, losesEnds, connectsFinallyTwice }
  enum Phase { case pending, inProgress, over }

  private(set) var plan: Plan
  /// The reload for which the run is restarting.
  private var reload: RunMachine.Reload?
  var fault = Fault.none
  private(set) var machine: RunMachine
  private(set) var problem: String?
  private(set) var history: [String] = []
  private var phases: [Phase]
  private var isAdmitted: [Bool]
  private var isEnded = false
  private var isCancelRequested = false
  private var mustAbandon = false
  /// The generations whose record is being written.
  private var settling: [Int] = []
  private var isFinallyConnected = false
  /// The steps that are being stopped for a restart.
  private var stopping: Set<StepIndex> = []

  init(_ plan: Plan) {
    self.plan = plan
    machine = RunMachine(generation: 1)
    phases = Array(repeating: .pending, count: plan.count)
    isAdmitted = Array(repeating: false, count: plan.count)
  }

  private var mainSteps: [StepIndex] { plan.mainSteps(among: plan.order) }

  mutating func run(using generator: inout SeededGenerator) {
    feed(.start, using: &generator)
    for _ in 0..<Int.random(in: 0...40, using: &generator) where isOpen {
      if Int.random(in: 0..<4, using: &generator) == 0 {
        request(using: &generator)
      } else {
        move(using: &generator)
      }
    }
    // No more requests: the rest must end without them.
    while isOpen, mustAbandon || !settling.isEmpty || !movable.isEmpty { move(using: &generator) }
    if problem == nil, !isEnded {
      problem = "no further input is possible and the run has not ended"
    }
  }

  private var isOpen: Bool { problem == nil && !isEnded }

  // MARK: Inputs

  /// The steps that can start or end.
  private var movable: [StepIndex] {
    plan.order.filter { step in
      switch phases[step] {
      case .inProgress: true
      case .over: false
      case .pending:
        isAdmitted[step] && plan.graph.needs(of: step).allSatisfy { phases[$0] == .over }
      }
    }
  }

  private mutating func move(using generator: inout SeededGenerator) {
    if mustAbandon {
      mustAbandon = false
      return feed(.cancel(.abandoned("disk full")), using: &generator)
    }
    if let generation = settling.first, Bool.random(using: &generator) {
      settling.removeFirst()
      return feed(.settled(generation: generation), using: &generator)
    }
    guard let step = movable.randomElement(using: &generator) else { return }
    if phases[step] == .pending {
      phases[step] = .inProgress
      history.append("\(step.position) begins")
      return
    }
    phases[step] = .over
    history.append("\(step.position) ends")
    if fault == .losesEnds, Int.random(in: 0..<5, using: &generator) == 0 { return }
    feed(.stepEnded(step), using: &generator)
  }

  private mutating func request(using generator: inout SeededGenerator) {
    let generation = Int.random(in: 1...machine.generation, using: &generator)
    switch Int.random(in: 0..<20, using: &generator) {
    case 0...3: feed(.restart(from: [], requestedIn: generation), using: &generator)
    case 4...7:
      let step = plan.order[Int.random(in: 0..<plan.order.count, using: &generator)]
      feed(.restart(from: [step], requestedIn: generation), using: &generator)
    case 8: feed(.restart(from: [], requestedIn: nil), using: &generator)
    case 9: feed(.cancel(.request), using: &generator)
    case 10: feed(.timedOut(generation: generation), using: &generator)
    case 11...13:
      let steps = plan.order.filter { _ in Int.random(in: 0..<3, using: &generator) == 0 }
      feed(.cancelSteps(steps, now: Bool.random(using: &generator)), using: &generator)
    case 14...15: requestReload(using: &generator)
    case 16...17:
      let steps = plan.order.filter { _ in Int.random(in: 0..<3, using: &generator) == 0 }
      feed(.set(steps, .skipped), using: &generator)
    case 18: feed(.pause(Bool.random(using: &generator)), using: &generator)
    default: feed(.kill, using: &generator)
    }
  }

  /// Requests a reload with a random plan, in which a random part of the steps is kept.
  private mutating func requestReload(using generator: inout SeededGenerator) {
    guard machine.mayRestart,
      let other = try? RunMachineTests.randomPlan(using: &generator)
    else { return }
    let next = plan.taking(other.workflow)
    let (oldMain, newMain) = (Set(mainSteps), next.mainSteps(among: next.graph.topologicalOrder))
    var kept: Set<StepIndex> = []
    for step in newMain {
      guard oldMain.contains(step), phases[step] != .pending,
        !machine.restarting.contains(step),
        next.graph.needs(of: step).allSatisfy(kept.contains),
        Int.random(in: 0..<3, using: &generator) > 0
      else { continue }
      kept.insert(step)
    }
    let new = RunMachine.Reload(
      stopped: plan.graph.topologicalOrder.filter { !kept.contains($0) }, plan: next,
      started: next.graph.topologicalOrder.filter { !kept.contains($0) }, isWhole: kept.isEmpty)
    reload = new
    feed(.reload(new), using: &generator)
  }

  /// Takes the plan of a reload; steps that are not started again keep their phases.
  private mutating func take(_ reload: RunMachine.Reload, _ started: [StepIndex]) {
    for step in plan.order where phases[step] == .inProgress {
      if !reload.plan.contains(step) || started.contains(step) {
        problem = "step \(step.position) is in progress, and is not kept"
      }
    }
    for step in plan.order where !reload.plan.contains(step) {
      phases[step] = .pending
      isAdmitted[step] = false
    }
    plan = reload.plan
    phases += Array(repeating: .pending, count: plan.count - phases.count)
    isAdmitted += Array(repeating: false, count: plan.count - isAdmitted.count)
  }

  private mutating func feed(_ input: RunMachine.Input, using generator: inout SeededGenerator) {
    var inputs = [input][...]
    while let input = inputs.popFirst(), isOpen {
      let steps = RunMachine.Steps(
        areMainStepsOver: mainSteps.allSatisfy { phases[$0] == .over },
        areOver: plan.order.allSatisfy { phases[$0] == .over })
      var actions = machine.handle(input, steps, plan)
      history.append("\(input) -> \(actions)")
      if fault == .connectsFinallyTwice, case .connectFinally? = actions.last {
        actions += [.connectFinally(nil)]
      }
      for action in actions where isOpen {
        if let next = carryOut(action, using: &generator) { inputs.append(next) }
      }
    }
  }

  // MARK: Actions

  private mutating func carryOut(
    _ action: RunMachine.Action, using generator: inout SeededGenerator
  ) -> RunMachine.Input? {
    // Sometimes the disk is full when a record is required.
    let failsToRecord = Int.random(in: 0..<40, using: &generator) == 0
    switch action {
    case .stop(let steps, let reason):
      if case .cancel = reason {
        (isCancelRequested, reload) = (true, nil)
        // A restart has stopped steps under `finally`; those that had not begun run after it.
        if !stopping.isEmpty { isFinallyConnected = false }
      }
      return stop(steps)
    case .connectFirst(let steps):
      return admit(steps, failsToRecord)
    case .restart(let steps, let isWhole):
      return restart(steps, isWhole: isWhole, failsToRecord)
    case .connectFinally(let cause):
      return connectFinally(cause, failsToRecord)
    case .kill:
      return nil
    case .cancelSteps(let steps, _):
      return cancel(steps)
    case .set(let steps, _):
      let ended = steps.filter { phases[$0] == .over }
      let input = cancel(steps.filter { phases[$0] != .over })
      return ended.isEmpty ? input : .restart(from: ended, requestedIn: nil)
    case .pause, .restartServices:
      return nil
    case .settle:
      if failsToRecord { mustAbandon = true } else { settling.append(machine.generation) }
      return nil
    case .end(let cause):
      let left = plan.order.map { phases[$0] }
      if left.contains(.inProgress) { problem = "the run ends while a step is in progress" }
      if cause == nil, left.contains(.pending) {
        problem = "the run ends before all steps are over"
      }
      isEnded = true
      return nil
    }
  }

  private mutating func admit(_ steps: [StepIndex], _ failsToRecord: Bool) -> RunMachine.Input {
    if failsToRecord {
      mustAbandon = true
      return .recordFailed
    }
    for step in steps { isAdmitted[step] = true }
    return .connected
  }

  private mutating func restart(
    _ steps: [StepIndex], isWhole: Bool, _ failsToRecord: Bool
  ) -> RunMachine.Input {
    if isCancelRequested { problem = "the run restarts after a cancel" }
    isFinallyConnected = false
    stopping = []
    if let reload { take(reload, steps + reload.plan.finallySteps) }
    reload = nil
    for step in steps + plan.finallySteps {
      if phases[step] == .inProgress {
        problem = "step \(step.position) restarts while it is in progress"
      }
      phases[step] = .pending
      isAdmitted[step] = false
    }
    if isWhole, plan.order.contains(where: { phases[$0] == .over }) {
      problem = "a whole restart leaves out a step"
    }
    return admit(steps, failsToRecord)
  }

  private mutating func connectFinally(
    _ cause: CancellationCause?, _ failsToRecord: Bool
  ) -> RunMachine.Input {
    if isFinallyConnected { problem = "the steps under finally are connected twice" }
    isFinallyConnected = true
    if mainSteps.contains(where: { phases[$0] == .inProgress }) {
      problem = "the steps under finally are connected while another is in progress"
    }
    if failsToRecord { return admit([], true) }
    if cause != nil { for step in mainSteps { phases[step] = .over } }
    // In a cancelled run, their gates were closed before they started.
    return admit(plan.finallySteps, false)
  }

  /// Ends the pending steps; running ones end later.
  private mutating func cancel(_ steps: [StepIndex]) -> RunMachine.Input {
    if isCancelRequested { problem = "steps are cancelled although the run is being cancelled" }
    if !Set(steps).isDisjoint(with: stopping) {
      problem = "steps are cancelled although they are being stopped for a restart"
    }
    for step in steps where phases[step] == .pending {
      phases[step] = .over
    }
    return .stepsCancelled
  }

  private mutating func stop(_ steps: [StepIndex]) -> RunMachine.Input {
    var outstanding: Set<StepIndex> = []
    stopping = Set(steps)
    for step in steps {
      isAdmitted[step] = false
      if phases[step] == .inProgress { outstanding.insert(step) }
    }
    if fault == .forgetsOutstanding, let first = outstanding.min() { outstanding.remove(first) }
    return .stopped(outstanding: outstanding)
  }
}
