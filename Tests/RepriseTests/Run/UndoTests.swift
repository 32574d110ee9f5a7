// Tests that the work of steps is undone when a run fails.

import TestSupport
import Testing

@testable import Reprise

struct UndoTests {
  private static let text = """
    steps:
      - { id: a, run: x, undo: y }
      - { id: b, run: x, undo: y }
      - { id: c, run: x }
      - { id: d, run: x, undo: y }
    finally: [{ id: f, run: x }]
    """

  private func run(
    failing: Set<String>, resuming earlier: RunState? = nil
  ) async throws -> (RunOutcome, RunState, [String]) {
    let order = Protected<[String]>([])
    let executor = ClosureExecutor { context in
      order.withLock { $0.append(context.step.id) }
      if failing.contains(context.step.id) { throw FailureReason.exited(status: 1) }
      return [:]
    }
    let engine = Engine(executor: executor)
    let workflow = try Workflow(text: Self.text, file: "w.yaml")
    let run =
      try earlier.map { try engine.resume($0, with: workflow) } ?? engine.start(workflow)
    return (try await run.outcome, run.state, order.value)
  }

  @Test func `the steps that have succeeded are undone, last first`() async throws {
    let (outcome, state, order) = try await run(failing: ["c"])
    #expect(outcome == .failed(step: "c", reason: .exited(status: 1)))
    #expect(order == ["a", "b", "c", "b/undo", "a/undo", "f"])
    #expect(
      state["d/undo"]?.phase == .skipped("step \"d\" has not succeeded", [:]))
  }

  @Test func `a success undoes nothing`() async throws {
    let (outcome, _, order) = try await run(failing: [])
    #expect(outcome == .succeeded)
    #expect(order == ["a", "b", "c", "d", "f"])
  }

  @Test func `the others are undone although one cannot be undone`() async throws {
    let (_, state, order) = try await run(failing: ["c", "b/undo"])
    #expect(order == ["a", "b", "c", "b/undo", "a/undo", "f"])
    #expect(state["b/undo"]?.phase == .failed(.exited(status: 1)))
  }

  @Test func `steps that were undone run again when the run is resumed`() async throws {
    let (_, state, _) = try await run(failing: ["c"])
    let (outcome, _, order) = try await run(failing: [], resuming: state)
    #expect(outcome == .succeeded)
    #expect(order == ["a", "b", "c", "d", "f"])
    let (_, _, again) = try await run(failing: ["d"], resuming: state)
    #expect(again == ["a", "b", "c", "d", "b/undo", "a/undo", "f"])
  }

  @Test func `a run that is cancelled undoes nothing`() async throws {
    let order = Protected<[String]>([])
    let (gate, clock) = (Gate(), VirtualClock())
    let executor = ClosureExecutor { context in
      order.withLock { $0.append(context.step.id) }
      if context.step.id == "c" {
        gate.open()
        try await clock.sleep(for: .seconds(600))
      }
      return [:]
    }
    let run = Engine(executor: executor).start(try Workflow(text: Self.text, file: "w.yaml"))
    await gate.wait()
    run.cancel()
    #expect(try await run.outcome == .cancelled)
    #expect(order.value == ["a", "b", "c", "f"])
  }

  @Test func `a cancel while steps are undone undoes nothing more, and runs those under finally`()
    async throws
  {
    let order = Protected<[String]>([])
    let executor = ClosureExecutor { context in
      order.withLock { $0.append(context.step.id) }
      if context.step.id == "c" { throw FailureReason.exited(status: 1) }
      if context.step.id == "b/undo" { try await Gate().waitUnlessCancelled() }
      return [:]
    }
    let run = Engine(executor: executor).start(try Workflow(text: Self.text, file: "w.yaml"))
    await expectEventually("b is being undone") { order.value.last == "b/undo" }
    run.cancel()
    #expect(try await run.outcomeInTime() == .cancelled)
    #expect(order.value == ["a", "b", "c", "b/undo", "f"])
    #expect(run.state["b/undo"]?.phase == .cancelled(.request))
    #expect(run.state["a/undo"]?.phase == .cancelled(.request))
  }

  @Test func `computed items are undone one by one, last first, also those inside of others`()
    async throws
  {
    let order = Protected<[String]>([])
    let clock = VirtualClock()
    let failing = Protected<Set<String>>(["g[q]/b[1]", "c"])
    let executor = ClosureExecutor { context in
      order.withLock { $0.append(context.step.id) }
      if context.step.id == "list" { return ["items": #"["p", "q"]"#] }
      if failing.value.contains(context.step.id) { throw FailureReason.exited(status: 1) }
      return ["item": context.step.extras.item?.asText ?? ""]
    }
    let workflow = try Workflow(
      text: """
        steps:
          - { id: list, run: x, undo: y }
          - id: one
            foreach: "${{ fromJSON(steps.list.outputs.items) }}"
            item-id: "${{ item }}"
            run: x
            undo: [y, "${{ item }}"]
          - id: g
            foreach: "${{ fromJSON(steps.list.outputs.items) }}"
            item-id: "${{ item }}"
            max-parallel: 1
            continue-on-error: true
            steps:
              - { id: a, run: x, undo: y }
              - id: b
                foreach: "${{ fromJSON('[0, 1]') || steps.a.outputs }}"
                max-parallel: 1
                run: x
                undo: y
          - { id: c, run: x }
        finally: [{ id: f, run: x }]
        """, file: "w.yaml")
    let engine = Engine(executor: executor, clock: clock)
    let run = engine.start(workflow)
    #expect(try await run.outcome == .failed(step: "c", reason: .exited(status: 1)))
    #expect(
      order.value.drop { $0 != "c" } == [
        "c", "g[q]/b[0]/undo", "g[q]/a/undo", "g[p]/b[1]/undo", "g[p]/b[0]/undo", "g[p]/a/undo",
        "one[q]/undo", "one[p]/undo", "list/undo", "f",
      ])
    #expect(run.state["g[q]/b[1]/undo"]?.phase == .skipped(.nothingToUndo("g[q]/b[1]"), [:]))
    let planned = try #require(run.state.plan)
    #expect(planned == RunPlan(run.workflow) && planned.finallyCount == 12)
    // What was undone runs again, and the items are computed anew.
    failing.withLock { $0 = [] }
    order.withLock { $0 = [] }
    let again = try engine.resume(run.state, with: workflow)
    #expect(try await again.outcome == .succeeded)
    #expect(
      order.value.filter { !$0.contains("[") } == ["list", "c", "f"]
        && order.value.contains("g[q]/b[1]") && !order.value.contains("g[q]/a/undo"))
  }

  @Test func `what has ended last is undone first, also between branches`() async throws {
    let order = Protected<[String]>([])
    let gate = Gate()
    let executor = ClosureExecutor { context in
      order.withLock { $0.append(context.step.id) }
      switch context.step.id {
      case "a": await gate.wait()
      case "c": gate.open()
      case "d": throw FailureReason.exited(status: 1)
      default: break
      }
      return [:]
    }
    let workflow = try Workflow(
      text: """
        steps:
          - parallel:
              - { id: a, run: x, undo: y }
              - steps: [{ id: b, run: x, undo: y }, { id: c, run: x }]
          - { id: d, run: x, undo: y }
        finally: [{ id: f, run: x }]
        """, file: "w.yaml")
    let run = Engine(executor: executor).start(workflow)
    #expect(try await run.outcome == .failed(step: "d", reason: .exited(status: 1)))
    #expect(order.value.suffix(4) == ["d", "a/undo", "b/undo", "f"])
  }

  @Test func `a step is undone before what it needed, in any order of the file`()
    async throws
  {
    let order = Protected<[String]>([])
    let executor = ClosureExecutor { context in
      order.withLock { $0.append(context.step.id) }
      if context.step.id == "c" { throw FailureReason.exited(status: 1) }
      return [:]
    }
    let workflow = try Workflow(
      text: """
        steps:
          - { id: a, needs: b, run: x, undo: y }
          - { id: b, needs: [], run: x, undo: y }
          - { id: c, needs: [a, b], run: x }
        """, file: "w.yaml")
    // All steps end at the same time.
    let run = Engine(executor: executor, clock: VirtualClock()).start(workflow)
    _ = try await run.outcome
    #expect(order.value == ["b", "a", "c", "a/undo", "b/undo"])
  }
}
