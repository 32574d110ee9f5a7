import TestSupport
import Testing
import WorkflowFiles

@testable import Reprise

/// The plan of a reload, over random pairs of workflows and states, against the rules it promises.
struct ReloadPlanTests {
  @Test func `random reloads follow the rules`() throws {
    var generator = SeededGenerator.announced()
    for round in 0..<rounds(3000, soak: 300_000) {
      let world = try ReloadWorld(using: &generator)
      let problems = world.problems()
      #expect(problems.isEmpty, "round \(round): \(problems)\n\(world)")
      if !problems.isEmpty { return }
    }
  }

  private static func workflow(_ text: String) throws -> Workflow {
    try Workflow(text: text, file: "w.yaml")
  }

  private static func plan(
    _ old: String, _ new: String, _ extent: ReloadExtent, _ phases: [String: StepPhase]
  ) throws -> ReloadPlan {
    let old = try workflow(old)
    let plan = Plan(old)
    return ReloadPlan(from: plan, to: plan.taking(try workflow(new)), extent) { step in
      let phase = phases[old.graph.id(of: step)] ?? .pending
      return ReloadPlan.Step(
        phase: phase, isInProgress: phase == .running, isRestarting: false, cause: nil)
    }
  }

  @Test func `a step that a removed step has cancelled runs again`() throws {
    let old = Plan(try Self.workflow("steps: [{ id: a, run: x }, { id: b, run: x, needs: [] }]"))
    let new = old.taking(try Self.workflow("steps: [{ id: b, run: x, needs: [] }]"))
    let plan = ReloadPlan(from: old, to: new, .changed) { step in
      let phases: [StepPhase] = [.failed(.rejected), .cancelled(.failure(ofStep: "a"))]
      let cause: CancellationCause? = step.position == 1 ? .failure(ofStep: "a") : nil
      return ReloadPlan.Step(
        phase: phases[step.position], isInProgress: false, isRestarting: false, cause: cause)
    }
    #expect(plan.runsAgain == ["b"])
  }

  private static let old = """
    steps:
      - { id: a, run: echo a }
      - { id: b, run: echo b, needs: [a] }
      - { id: c, run: echo c, needs: [] }
    """

  @Test func `only changed steps and their dependents run again`() throws {
    let new = Self.old.replacing("echo a", with: "echo z")
    let plan = try Self.plan(
      Self.old, new, .changed, ["a": .succeeded([:]), "b": .running, "c": .running])
    #expect(plan.changed.map(\.step) == ["a"])
    #expect(plan.runsAgain == ["a", "b"])
    #expect(plan.goesOn == ["c"])
    #expect(!plan.isWhole)
  }

  @Test(arguments: [
    "name: Build", "priority: 5", "continue-on-error: true",
  ]) func `a running step goes on if only its label has changed`(_ label: String) throws {
    let new = Self.old.replacing("run: echo b", with: "run: echo b, \(label)")
    let plan = try Self.plan(
      Self.old, new, .changed, ["a": .succeeded([:]), "b": .running, "c": .running])
    #expect(plan.changed.map(\.step) == ["b"])
    #expect(plan.goesOn == ["b", "c"])
    #expect(plan.goesOnOutdated == [] && plan.runsAgain == [])
  }

  @Test func `a new step runs although its needs are over, and so does one without needs`() throws {
    let new =
      Self.old + """

          - { id: after, run: x, needs: [a] }
          - { id: alone, run: x, needs: [] }
        """
    let plan = try Self.plan(
      Self.old, new, .changed, ["a": .succeeded([:]), "b": .running, "c": .running])
    #expect(plan.added == ["after", "alone"])
    #expect(plan.reset == ["after", "alone"])
    #expect(plan.goesOn == ["b", "c"])
  }

  @Test func `a removed step in progress is stopped`() throws {
    let plan = try Self.plan(
      Self.old, "steps: [{ id: a, run: echo a }]", .changed,
      ["a": .running, "b": .pending, "c": .running])
    #expect(plan.removed == ["b", "c"])
    #expect(plan.stopped == ["c"])
    #expect(plan.goesOn == ["a"])
  }

  @Test func `a succeeded step that changed outside of the restarted ones is outdated`() throws {
    let new = Self.old.replacing("echo a", with: "echo z")
    let phases: [String: StepPhase] = ["a": .succeeded([:]), "b": .running, "c": .running]
    let plan = try Self.plan(Self.old, new, .from(["c"]), phases)
    #expect(plan.outdated.map(\.step) == ["a"])
    #expect(plan.goesOn == ["b"])
    #expect(try Self.plan(Self.old, new, .from(["a"]), phases).outdated == [])
  }

  @Test func `a timeout that changed restarts a step in progress, not one that has succeeded`()
    throws
  {
    let new = Self.old.replacing("echo a", with: "echo a, timeout: 9s")
      .replacing("echo c", with: "echo c, timeout: 9s")
    let plan = try Self.plan(
      Self.old, new, .changed, ["a": .succeeded([:]), "b": .running, "c": .running])
    #expect(plan.changed.map(\.step) == ["a", "c"])
    #expect(plan.runsAgain == ["c"])
    #expect(plan.outdated == [])
  }

  @Test func `a succeeded step that gets a new need runs again after it`() throws {
    let new = Self.old.replacing(
      "needs: [] }", with: "needs: [d] }\n  - { id: d, run: x, needs: [] }")
    let plan = try Self.plan(
      Self.old, new, .from(["d"]),
      ["a": .succeeded([:]), "b": .running, "c": .succeeded([:])])
    #expect(plan.runsAgain == ["c"])
    #expect(plan.goesOn == ["b"])
  }

  @Test func `a parameter that a step names is part of its definition`() throws {
    let old = """
      params: { who: { default: you } }
      steps:
        - { id: a, exec: [echo, "${{ params.who }}"] }
        - { id: b, exec: [echo, b], needs: [] }
      """
    let plan = try Self.plan(
      old, old.replacing("you", with: "me"), .changed,
      ["a": .succeeded([:]), "b": .succeeded([:])])
    #expect(plan.runsAgain == ["a"])
  }

  @Test func `a step that has failed and changed runs again wherever the restart begins`() throws {
    let new = Self.old.replacing("echo a", with: "echo z")
    let plan = try Self.plan(
      Self.old, new, .from(["c"]),
      ["a": .failed(.rejected), "b": .cancelled(.failure(ofStep: "a")), "c": .running])
    #expect(plan.runsAgain == ["a", "b", "c"])
  }
}

/// A random reload, and an oracle of its rules that is written differently from the plan.
private struct ReloadWorld: CustomStringConvertible {
  let old: Workflow
  let new: Workflow
  let extent: ReloadExtent
  let states: [ReloadPlan.Step]
  let plan: ReloadPlan

  init(using generator: inout SeededGenerator) throws {
    let names = (0..<8).map { "s\($0)" }
    func random(_ range: Range<Int>) -> Int { Int.random(in: range, using: &generator) }
    func workflow(finally: Bool) throws -> Workflow {
      var steps: [Workflow.Step] = []
      for name in names where random(0..<5) > 0 {
        let needs = steps.map(\.id).filter { _ in random(0..<4) == 0 }
        var step = Workflow.Step(
          id: name, needs: needs, action: .run("echo \(random(0..<2))"),
          timeout: random(0..<4) == 0 ? .seconds(9) : nil)
        step.extras = StepExtras()
        steps.append(step)
      }
      if finally {
        var step = Workflow.Step(id: "f", needs: steps.map(\.id), action: .run("x"))
        step.extras.finally = [.success]
        steps.append(step)
      }
      return try Workflow(name: "w", steps: steps)
    }
    let hasFinally = random(0..<4) == 0
    old = try workflow(finally: hasFinally)
    new = try workflow(finally: random(0..<4) == 0)
    switch random(0..<3) {
    case 0: extent = .whole
    case 1: extent = .changed
    default:
      extent = .from(new.graph.ids.filter { _ in random(0..<4) == 0 })
    }
    // States as a run can have them: a step that has started needs ended steps.
    var states: [ReloadPlan.Step] = []
    for step in old.graph.indices {
      let needs = old.graph.needs(of: step).map { states[$0.position] }
      let culprit = old.graph.needs(of: step).first {
        states[$0.position].phase.isFinal && !states[$0.position].phase.isSuccess
      }
      var state = ReloadPlan.Step(
        phase: .pending, isInProgress: false, isRestarting: false, cause: nil)
      if let culprit, needs.allSatisfy(\.phase.isFinal) {
        let cause = CancellationCause.failure(ofStep: old.graph.id(of: culprit))
        state.phase = .cancelled(cause)
        state.cause = cause
      } else if needs.allSatisfy(\.phase.isSuccess) {
        switch random(0..<6) {
        case 0: state.phase = .succeeded([:])
        case 1: state.phase = .skipped("x", [:])
        case 2: state.phase = .failed(.rejected)
        case 3: break
        default:
          state.phase = .running
          state.isInProgress = true
        }
      }
      state.isRestarting = random(0..<12) == 0
      states.append(state)
    }
    self.states = states
    plan = ReloadPlan(from: Plan(old), to: Plan(old).taking(new), extent) {
      states[$0.position]
    }
  }

  var description: String {
    "\(extent)\nold \(old.steps.map { "\($0.id) \($0.needs)" })\nnew "
      + "\(new.steps.map { "\($0.id) \($0.needs)" })\nstates \(states.map(\.phase))\n\(plan)"
  }

  private func state(_ id: String) -> ReloadPlan.Step? {
    old.graph.index(of: id).map { states[$0.position] }
  }

  func problems() -> [String] {
    var problems: [String] = []
    func require(_ isTrue: Bool, _ text: String) { if !isTrue { problems.append(text) } }
    let reset = Set(plan.reset)
    let oldIDs = Set(old.graph.ids)
    let newIDs = Set(new.graph.ids)
    let changed = Set(plan.changed.map(\.step))
    require(Set(plan.added) == newIDs.subtracting(oldIDs), "added")
    require(Set(plan.removed) == oldIDs.subtracting(newIDs), "removed")
    require(reset.isSuperset(of: plan.added), "a new step does not run")
    require(reset.isSubset(of: newIDs), "a removed step runs")
    for id in newIDs.intersection(oldIDs) {
      guard let before = state(id) else { continue }
      let oldStep = old.steps.first { $0.id == id }
      let newStep = new.steps.first { $0.id == id }
      let isSame =
        oldStep?.action == newStep?.action && oldStep?.needs == newStep?.needs
        && oldStep?.timeout == newStep?.timeout
        && oldStep?.extras.finally == newStep?.extras.finally
      if isSame { require(!changed.contains(id), "\(id) is changed, but equal") }
      if oldStep?.action != newStep?.action || oldStep?.needs != newStep?.needs {
        require(changed.contains(id), "\(id) is not changed, but differs")
      }
      if before.isRestarting { require(reset.contains(id), "\(id) was stopped and does not run") }
      if !before.isInProgress, !before.phase.isFinal {
        require(reset.contains(id), "\(id) is pending and does not run")
      }
      if extent == .changed, before.isInProgress, changed.contains(id) {
        require(reset.contains(id), "\(id) has changed and goes on")
      }
      if !reset.contains(id) {
        for need in newStep?.needs ?? [] {
          require(!reset.contains(need), "\(id) is kept, its need \(need) is not")
          require(
            state(need).map { $0.phase.isFinal || $0.isInProgress } == true,
            "\(id) is kept, its need \(need) has never started")
        }
        if case .failure(let culprit)? = before.cause {
          require(newIDs.contains(culprit) && !reset.contains(culprit), "\(id) keeps its cause")
        }
      }
    }
    if extent == .whole { require(reset == newIDs, "a whole reload keeps steps") }
    if case .from(let ids) = extent {
      require(reset.isSuperset(of: ids), "a requested step is kept")
    }
    // Minimal: each step that had started and runs again has a reason.
    for id in plan.runsAgain where extent != .whole {
      guard let before = state(id), !before.isRestarting else { continue }
      let needs = new.steps.first { $0.id == id }?.needs ?? []
      var reasons = [
        needs.contains(where: reset.contains), changed.contains(id),
        new.steps.first { $0.id == id }?.extras.finally != nil,
        old.steps.first { $0.id == id }?.extras.finally != nil,
      ]
      if case .from(let ids) = extent { reasons.append(ids.contains(id)) }
      if case .failure(let culprit)? = before.cause {
        reasons.append(reset.contains(culprit) || !newIDs.contains(culprit))
      }
      require(reasons.contains(true), "\(id) runs again for no reason")
    }
    require(Set(plan.goesOn).isDisjoint(with: reset), "a step goes on and is reset")
    require(
      plan.outdated.allSatisfy { !reset.contains($0.step) && changed.contains($0.step) }, "outdated"
    )
    if case .from = extent {} else { require(plan.outdated.isEmpty, "outdated steps") }
    return problems
  }
}
