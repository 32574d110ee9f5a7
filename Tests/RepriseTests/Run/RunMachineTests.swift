import TestSupport
import Testing
import WorkflowLanguage

@testable import Reprise

/// Random schedules of requests and step events against the state machine of a run.
struct RunMachineTests {
  @Test func `in random schedules no generations overlap and every run ends`() throws {
    var generator = SeededGenerator.announced()
    let graphs = try (0..<50).map { _ in try Self.randomGraph(using: &generator) }
    for round in 0..<rounds(20_000, soak: 3_000_000) {
      let graph = graphs[round % graphs.count]
      var world = World(
        graph: graph, finallyCount: Int.random(in: 0...min(2, graph.count - 1), using: &generator))
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
    let graphs = try (0..<50).map { _ in try Self.randomGraph(using: &generator) }
    var found = 0
    for round in 0..<500 {
      let graph = graphs[round % graphs.count]
      var world = World(
        graph: graph, finallyCount: Int.random(in: 0...min(2, graph.count - 1), using: &generator))
      world.fault = fault
      world.run(using: &generator)
      if world.problem?.contains(text) == true { found += 1 }
    }
    #expect(found > 0)
  }

  fileprivate static func randomGraph(using generator: inout SeededGenerator) throws -> Graph {
    let count = Int.random(in: 1...7, using: &generator)
    return try Graph(
      ids: (0..<count).map { "s\($0)" },
      needs: (0..<count).map { step in
        (0..<step).filter { _ in Int.random(in: 0..<3, using: &generator) == 0 }.map { "s\($0)" }
      })
  }
}

/// Simulates the steps of a run, driven by the machine.
private struct World {
  enum Fault { case none, forgetsOutstanding, losesEnds, connectsFinallyTwice }
  enum Phase { case pending, inProgress, over }

  private(set) var graph: Graph
  private(set) var mainCount: Int
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

  init(graph: Graph, finallyCount: Int) {
    self.graph = graph
    mainCount = graph.count - finallyCount
    machine = RunMachine(graph: graph, finallyCount: finallyCount, generation: 1)
    phases = Array(repeating: .pending, count: graph.count)
    isAdmitted = Array(repeating: false, count: graph.count)
  }

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
  private var movable: [Int] {
    phases.indices.filter { step in
      switch phases[step] {
      case .inProgress: true
      case .over: false
      case .pending:
        isAdmitted[step]
          && graph.needs(of: StepIndex(step)).allSatisfy { phases[$0.position] == .over }
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
      history.append("\(step) begins")
      return
    }
    phases[step] = .over
    history.append("\(step) ends")
    if fault == .losesEnds, Int.random(in: 0..<5, using: &generator) == 0 { return }
    feed(.stepEnded(StepIndex(step)), using: &generator)
  }

  private mutating func request(using generator: inout SeededGenerator) {
    let generation = Int.random(in: 1...machine.generation, using: &generator)
    switch Int.random(in: 0..<20, using: &generator) {
    case 0...3: feed(.restart(from: [], requestedIn: generation), using: &generator)
    case 4...7:
      let step = StepIndex(Int.random(in: 0..<graph.count, using: &generator))
      feed(.restart(from: [step], requestedIn: generation), using: &generator)
    case 8: feed(.restart(from: [], requestedIn: nil), using: &generator)
    case 9: feed(.cancel(.request), using: &generator)
    case 10: feed(.timedOut(generation: generation), using: &generator)
    case 11...13:
      let steps = graph.indices.filter { _ in Int.random(in: 0..<3, using: &generator) == 0 }
      feed(.cancelSteps(steps, now: Bool.random(using: &generator)), using: &generator)
    case 14...15: requestReload(using: &generator)
    case 16...17:
      let steps = graph.indices.filter { _ in Int.random(in: 0..<3, using: &generator) == 0 }
      feed(.set(steps, .skipped), using: &generator)
    case 18: feed(.pause(Bool.random(using: &generator)), using: &generator)
    default: feed(.kill, using: &generator)
    }
  }

  /// Requests a reload with a random graph, in which a random part of the steps is kept.
  private mutating func requestReload(using generator: inout SeededGenerator) {
    guard machine.mayRestart,
      let next = try? RunMachineTests.randomGraph(using: &generator)
    else { return }
    let finallyCount = Int.random(in: 0...min(2, next.count - 1), using: &generator)
    var kept: Set<String> = []
    for step in next.topologicalOrder where step.position < next.count - finallyCount {
      let id = next.id(of: step)
      guard let old = graph.index(of: id), old.position < mainCount,
        phases[old.position] != .pending, !machine.restarting.contains(old),
        next.needs(of: step).allSatisfy({ kept.contains(next.id(of: $0)) }),
        Int.random(in: 0..<3, using: &generator) > 0
      else { continue }
      kept.insert(id)
    }
    let new = RunMachine.Reload(
      stopped: graph.topologicalOrder.filter { !kept.contains(graph.id(of: $0)) }, graph: next,
      finallyCount: finallyCount,
      started: next.topologicalOrder.filter { !kept.contains(next.id(of: $0)) },
      isWhole: kept.isEmpty)
    reload = new
    feed(.reload(new), using: &generator)
  }

  /// Replaces the graph; steps that are not started again keep their phases.
  private mutating func replaceGraph(_ reload: RunMachine.Reload, _ started: [StepIndex]) {
    let (old, oldPhases, oldAdmitted) = (graph, phases, isAdmitted)
    for step in old.indices where phases[step.position] == .inProgress {
      let isKept = reload.graph.index(of: old.id(of: step)).map { !started.contains($0) } ?? false
      if !isKept { problem = "step \(step.position) is in progress, and is not kept" }
    }
    graph = reload.graph
    mainCount = graph.count - reload.finallyCount
    let origins = graph.ids.map(old.index(of:))
    phases = origins.map { $0.map { oldPhases[$0.position] } ?? .pending }
    isAdmitted = origins.map { $0.map { oldAdmitted[$0.position] } ?? false }
  }

  private mutating func feed(_ input: RunMachine.Input, using generator: inout SeededGenerator) {
    var inputs = [input][...]
    while let input = inputs.popFirst(), isOpen {
      let over = phases.map { $0 == .over }
      let steps = RunMachine.Steps(
        areMainStepsOver: over.prefix(mainCount).allSatisfy(\.self),
        areOver: over.allSatisfy(\.self))
      var actions = machine.handle(input, steps)
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
      if case .cancel = reason { (isCancelRequested, reload) = (true, nil) }
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
      let ended = steps.filter { phases[$0.position] == .over }
      let input = cancel(steps.filter { phases[$0.position] != .over })
      return ended.isEmpty ? input : .restart(from: ended, requestedIn: nil)
    case .pause:
      return nil
    case .settle:
      if failsToRecord { mustAbandon = true } else { settling.append(machine.generation) }
      return nil
    case .end(let cause):
      if phases.contains(.inProgress) { problem = "the run ends while a step is in progress" }
      if cause == nil, phases.contains(.pending) {
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
    for step in steps { isAdmitted[step.position] = true }
    return .connected
  }

  private mutating func restart(
    _ steps: [StepIndex], isWhole: Bool, _ failsToRecord: Bool
  ) -> RunMachine.Input {
    if isCancelRequested { problem = "the run restarts after a cancel" }
    isFinallyConnected = false
    stopping = []
    if let reload { replaceGraph(reload, steps + machine.finallySteps) }
    reload = nil
    for step in steps + machine.finallySteps {
      if phases[step.position] == .inProgress {
        problem = "step \(step.position) restarts while it is in progress"
      }
      phases[step.position] = .pending
      isAdmitted[step.position] = false
    }
    if isWhole, phases.contains(.over) { problem = "a whole restart leaves out a step" }
    return admit(steps, failsToRecord)
  }

  private mutating func connectFinally(
    _ cause: CancellationCause?, _ failsToRecord: Bool
  ) -> RunMachine.Input {
    if isFinallyConnected { problem = "the steps under finally are connected twice" }
    isFinallyConnected = true
    if phases.prefix(mainCount).contains(.inProgress) {
      problem = "the steps under finally are connected while another is in progress"
    }
    if failsToRecord { return admit([], true) }
    if cause != nil { for step in 0..<mainCount { phases[step] = .over } }
    // In a cancelled run, their gates were closed before they started.
    return admit(machine.finallySteps, false)
  }

  /// Ends the pending steps; running ones end later.
  private mutating func cancel(_ steps: [StepIndex]) -> RunMachine.Input {
    if isCancelRequested { problem = "steps are cancelled although the run is being cancelled" }
    if !Set(steps).isDisjoint(with: stopping) {
      problem = "steps are cancelled although they are being stopped for a restart"
    }
    for step in steps.map(\.position) where phases[step] == .pending {
      phases[step] = .over
    }
    return .stepsCancelled
  }

  private mutating func stop(_ steps: [StepIndex]) -> RunMachine.Input {
    var outstanding: Set<StepIndex> = []
    stopping = Set(steps)
    for step in steps {
      isAdmitted[step.position] = false
      if phases[step.position] == .inProgress { outstanding.insert(step) }
    }
    if fault == .forgetsOutstanding, let first = outstanding.min() { outstanding.remove(first) }
    return .stopped(outstanding: outstanding)
  }
}
