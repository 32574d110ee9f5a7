import TestSupport
import Testing

@testable import Reprise

/// Steps that expect something else of their needs than the success of each.
struct NeedRuleTests {
  /// Runs a workflow whose scripts are `fail`, `x`, or the name of a gate to wait for.
  private func run(
    _ text: String, _ gates: [String: Gate] = [:], after state: RunState? = nil,
    begun: Protected<[String]> = Protected([])
  ) throws -> Run {
    let engine = Engine(
      executor: ClosureExecutor { context in
        begun.withLock { $0.append(context.step.id) }
        guard case .run(let script) = context.resolved.action else { return [:] }
        if script == "fail" { throw FailureReason.exited(status: 7) }
        if let gate = gates[script] {
          await gate.wait()
          try Task.checkCancellation()
        }
        return ["by": context.step.id]
      })
    let workflow = try Workflow(text: text, file: "w.yaml")
    if let state { return try engine.resume(state, with: workflow) }
    return engine.start(workflow)
  }

  private func phases(_ state: RunState) -> String {
    state.steps.map { "\($0.id) \($0.phase.name)" }.joined(separator: ", ")
  }

  @Test func `a step starts when any of its needs has succeeded, and the others go on`()
    async throws
  {
    let gate = Gate()
    let run = try run(
      """
      steps:
        - { id: a, needs: [], run: gate }
        - { id: b, needs: [], run: x }
        - { id: c, needs: { any: [a, b] }, env: { X: "${{ steps.a.outputs.by || steps.b.outputs.by }}" }, run: x }
      """, ["gate": gate])
    await expectEventually("c has succeeded") { run.state["c"]?.phase.isSuccess == true }
    #expect(run.state["a"]?.phase == .running)
    gate.open()
    #expect(try await run.outcomeInTime() == .succeeded)
    #expect(phases(run.state) == "a succeeded, b succeeded, c succeeded")
  }

  @Test(arguments: [
    ("{ a: failure }", "c succeeded"), ("{ a: [failure, skipped] }", "c succeeded"),
    ("{ a: cancelled }", "c skipped"), ("{ b: failure }", "c skipped"),
    ("{ b: skipped }", "c skipped"), ("{ a: failure, b: success }", "c succeeded"),
    ("{ a: failure, b: failure }", "c skipped"), ("{ g: failure }", "c succeeded"),
    ("{ g: [success] }", "c skipped"),
  ])
  func `a step runs after the expected result only`(needs: String, result: String) async throws {
    let run = try run(
      """
      steps:
        - { id: a, needs: [], run: fail }
        - { id: b, needs: [], run: x }
        - { id: g, needs: [], steps: [{ id: d, run: fail }] }
        - { id: c, needs: \(needs), run: x }
      """)
    _ = try await run.outcomeInTime()
    #expect(run.state["c"].map { "c \($0.phase.name)" } == result)
  }

  /// Runs a workflow whose step `list` has two items, of which those named `fail` fail and those named
  /// `gate` wait.
  private func runItems(
    _ items: String, _ rest: String, listGate: Gate? = nil, gate: Gate = Gate()
  ) throws -> Run {
    let executor = ClosureExecutor { context in
      switch context.step.extras.item?.asText ?? context.step.id {
      case "list":
        await listGate?.wait()
        return ["items": items]
      case "fail": throw FailureReason.exited(status: 1)
      case "gate": try await gate.waitUnlessCancelled()
      default: break
      }
      return [:]
    }
    return Engine(executor: executor).start(
      try Workflow(
        text: """
          steps:
            - { id: list, needs: [], run: x }
            - id: each
              needs: [list]
              foreach: "${{ fromJSON(steps.list.outputs.items) }}"
              item-id: "${{ item }}"
              run: x
          \(rest)
          """, file: "w.yaml"))
  }

  @Test func `a step starts when any of computed items has succeeded, not when they are known`()
    async throws
  {
    let gate = Gate()
    let run = try runItems(
      #"["fail", "gate"]"#, "  - { id: after, needs: { any: [each] }, run: x }", gate: gate)
    await expectEventually("the first item has failed") {
      run.state["each[fail]"]?.phase.isFinal == true
    }
    #expect(run.state["after"]?.phase == .pending)
    gate.open()
    _ = try await run.outcomeInTime()
    #expect(run.state["after"]?.phase == .succeeded([:]))
    let early = try runItems(
      #"["good", "gate"]"#, "  - { id: after, needs: { any: [each] }, run: x }")
    await expectEventually("what follows has ended") {
      early.state["after"]?.phase == .succeeded([:])
    }
    #expect(early.state["each[gate]"]?.phase.isFinal == false)
    early.cancel()
    _ = try await early.outcome
  }

  @Test func `a step is cancelled if none of the computed items has succeeded`() async throws {
    let run = try runItems(#"["fail"]"#, "  - { id: after, needs: { any: [each] }, run: x }")
    _ = try await run.outcomeInTime()
    #expect(run.state["after"]?.phase == .cancelled(.failure(ofStep: "each[fail]")))
    // No item is no failure.
    let none = try runItems("[]", "  - { id: after, needs: { any: [each] }, run: x }")
    #expect(try await none.outcomeInTime() == .succeeded)
    #expect(none.state["after"]?.phase == .succeeded([:]))
  }

  @Test func `a step that began because of another need goes on when items are computed`()
    async throws
  {
    let (listGate, gate) = (Gate(), Gate())
    let run = try runItems(
      #"["fail", "fail2"]"#,
      """
        - { id: mirror, needs: [], run: x }
        - { id: gate, needs: { any: [each, mirror] }, run: x }
        - { id: ended, needs: { any: [each, mirror] }, run: x }
        - { id: last, needs: [gate, ended, list], run: x }
      """, listGate: listGate, gate: gate)
    await expectEventually("both have begun because of the mirror") {
      run.state["gate"]?.phase == .running && run.state["ended"]?.phase.isFinal == true
    }
    listGate.open()
    await expectEventually("the items have ended") {
      run.state["each[fail2]"]?.phase.isFinal == true
    }
    #expect(run.state["gate"]?.phase == .running)
    gate.open()
    _ = try await run.outcomeInTime()
    #expect(
      phases(run.state) == "list succeeded, each succeeded, each[fail] failed, "
        + "each[fail2] succeeded, mirror succeeded, gate succeeded, ended succeeded, last succeeded"
    )
    #expect(run.state["gate"]?.attempt == 1 && run.state.generation == 1)
  }

  @Test func `a step is cancelled if none of several needs has succeeded`() async throws {
    let run = try run(
      """
      steps:
        - { id: a, needs: [], run: fail }
        - { id: b, needs: [], run: fail }
        - { id: c, needs: { any: [a, b] }, run: x }
        - { id: d, needs: [], run: x }
        - { id: e, needs: { d: success, any: [a] }, run: x }
      """)
    _ = try await run.outcomeInTime()
    #expect(phases(run.state) == "a failed, b failed, c cancelled, d succeeded, e cancelled")
  }

  @Test func `a skipped step is not enough as long as another one can succeed`() async throws {
    let gate = Gate()
    let begun = Protected<[String]>([])
    let run = try run(
      """
      steps:
        - { id: a, needs: [], if: "1 == 2", run: x }
        - { id: b, needs: [], run: gate }
        - { id: c, needs: { any: [a, b] }, run: x }
        - { id: d, needs: [], run: fail }
        - { id: e, needs: { any: [a, d] }, run: x }
      """, ["gate": gate], begun: begun)
    await expectEventually("e is over") { run.state["e"]?.phase.isFinal == true }
    #expect(run.state["c"]?.phase == .pending)
    gate.open()
    _ = try await run.outcomeInTime()
    #expect(phases(run.state) == "a skipped, b succeeded, c succeeded, d failed, e succeeded")
  }

  @Test func `a required need is awaited although an alternative has succeeded`() async throws {
    let gate = Gate()
    let begun = Protected<[String]>([])
    let run = try run(
      """
      steps:
        - { id: a, needs: [], run: gate }
        - { id: b, needs: [], run: x }
        - { id: c, needs: [], run: fail }
        - { id: d, needs: { a: success, any: [b, c] }, run: x }
      """, ["gate": gate], begun: begun)
    await expectEventually("b and c are over") {
      run.state["b"]?.phase.isFinal == true && run.state["c"]?.phase.isFinal == true
    }
    #expect(run.state["d"]?.phase == .pending)
    gate.open()
    _ = try await run.outcomeInTime()
    #expect(run.state["d"]?.phase.isSuccess == true)
  }

  @Test func `a step that needs another one to be over runs after its failure`() async throws {
    let run = try run(
      """
      steps:
        - { id: lint, needs: [], run: fail }
        - { id: build, needs: [], run: x }
        - { id: publish, needs: { build: success, lint: over }, run: x }
        - { id: told, needs: { lint: over }, if: failure(), run: x }
        - { id: fine, needs: { lint: over }, if: success(), run: x }
        - { id: broken, needs: { build: over, lint: success }, run: x }
        - { id: after, needs: { broken: over }, run: x }
      """)
    #expect(try await run.outcomeInTime() == .failed(step: "lint", reason: .exited(status: 7)))
    #expect(
      phases(run.state)
        == "lint failed, build succeeded, publish succeeded, told succeeded, fine skipped, "
        + "broken cancelled, after succeeded")
  }

  @Test func `what needs a skipped step is skipped, too, if the step says so`() async throws {
    let run = try run(
      """
      params: { publish: false }
      steps:
        - { id: publish, if: params.publish, if-skipped: skip, run: x }
        - { id: announce, run: x }
        - { id: archive, run: x }
        - { id: always, needs: announce, if: always(), run: x }
        - { id: over, needs: { publish: over }, run: x }
        - { id: other, needs: [], if: params.publish, run: x }
        - { id: after, run: x }
      """)
    #expect(try await run.outcomeInTime() == .succeeded)
    #expect(
      phases(run.state)
        == "publish skipped, announce skipped, archive skipped, always succeeded, over succeeded, "
        + "other skipped, after succeeded")
    #expect(run.state["archive"]?.phase == .skipped("step \"publish\" was skipped", [:]))
  }

  @Test func `what follows a skipped step is skipped after a resume, too`() async throws {
    let text = """
      defaults: { if-skipped: skip }
      params: { publish: false }
      steps:
        - { id: publish, if: params.publish, run: x }
        - { id: announce, run: x }
        - { id: archive, run: x }
      """
    let first = try run(text)
    _ = try await first.outcome
    for position in 0..<2 {
      var state = RunState()
      for event in first.state.recap where event.step != "archive" || position == 1 {
        if case .runEnded = event.kind { break }
        try state.apply(event)
      }
      let again = try run(text, after: state)
      #expect(try await again.outcome == .succeeded)
      #expect(phases(again.state) == "publish skipped, announce skipped, archive skipped")
    }
  }

  @Test func `a restart from one of several needs restarts the step that needs any`() async throws {
    let gate = Gate()
    let begun = Protected<[String]>([])
    let run = try run(
      """
      steps:
        - { id: a, needs: [], run: x }
        - { id: b, needs: [], run: x }
        - { id: c, needs: { any: [a, b] }, run: x }
        - { id: d, needs: [], run: gate }
      """, ["gate": gate], begun: begun)
    await expectEventually("c has succeeded, and all have begun") {
      run.state["c"]?.phase.isSuccess == true && begun.value.sorted() == ["a", "b", "c", "d"]
    }
    begun.withLock { $0 = [] }
    try run.restart(from: "b")
    await expectEventually("c has succeeded again") {
      run.state.generation == 2 && run.state["c"]?.phase.isSuccess == true
        && run.state["b"]?.phase.isSuccess == true
    }
    gate.open()
    #expect(try await run.outcomeInTime() == .succeeded)
    #expect(begun.value.sorted() == ["b", "c"])
  }
}

extension Event {
  /// The id of the step of an event of a step.
  fileprivate var step: String? {
    if case .step(let id, _, _) = kind { id } else { nil }
  }
}
