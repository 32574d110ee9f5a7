import TestSupport
import Testing
import WorkflowFiles

@testable import Reprise

/// Groups and used files with `foreach` or `matrix` over what another step has left.
struct FanGroupTests {
  private static let list = "foreach: \"${{ fromJSON(steps.plan.outputs.items) }}\""
  private static let key = "item-id: \"${{ item }}\""

  /// A workflow with a step `plan` that leaves items, a group `test`, and a step `join`.
  private static func workflow(
    _ settings: String, _ steps: String = "[{ id: build, run: x }, { id: check, run: x }]",
    kind: String = "steps", _ rest: String = ""
  ) throws -> Workflow {
    try Workflow(
      text: """
        steps:
          - { id: plan, run: x }
          - { id: test, \(settings), \(kind): \(steps) }
          - { id: join, run: x }
        \(rest)
        """, file: "fan.yaml")
  }

  /// An executor whose step `plan` leaves items; every other step leaves its item.
  private static func executor(
    _ items: @escaping @Sendable (StepContext) -> String, _ begun: Protected<[String]> = .init([]),
    performing perform: @escaping @Sendable (StepContext) async throws -> Void = { _ in }
  ) -> ClosureExecutor {
    ClosureExecutor { context in
      begun.withLock { $0.append(context.step.id) }
      try await perform(context)
      if context.step.id == "plan" { return ["items": items(context)] }
      return context.resolved.environment.merging(
        ["x": context.step.extras.item?.asText ?? "-"]) { $1 }
    }
  }

  private static func ids(_ run: Run) -> [String] { run.state.steps.map(\.id) }

  private static func outputs(_ run: Run, _ step: String) -> StepOutputs {
    guard case .succeeded(let outputs)? = run.state[step]?.phase else { return [:] }
    return outputs
  }

  private static func expectSound(_ run: Run, _ events: [Event]) throws {
    var state = RunState()
    for event in events { try state.apply(event) }
    #expect(state == run.state)
    var again = RunState()
    for event in run.state.recap { try again.apply(event) }
    #expect(again == run.state)
    #expect(run.state.plan == RunPlan(run.workflow))
    #expect(try JSONLine.decoded(events) == events)
  }

  // MARK: The items

  @Test func `a group has all of its steps for each item that another step has left`()
    async throws
  {
    let workflow = try Self.workflow(
      Self.list + ", \(Self.key), outputs: { all: \"${{ steps.check.outputs.x }}\" }",
      """
      [{ id: build, run: x }, { id: check, env: { B: "${{ steps.build.outputs.x }}" }, run: x }]
      """)
    let begun = Protected<[String]>([])
    let run = Engine(executor: Self.executor({ _ in #"["a", "b"]"# }, begun)).start(workflow)
    let collector = EventCollector(run)
    #expect(try await run.outcome == .succeeded)
    #expect(
      Self.ids(run) == [
        "plan", "test", "test[a]/build", "test[a]/check", "test[b]/build", "test[b]/check", "join",
      ])
    #expect(Self.outputs(run, "test[b]/check") == ["B": "b", "x": "b"])
    #expect(run.state.label(of: "test[b]/check") == "b")
    #expect(begun.value.last == "join")
    try Self.expectSound(run, await collector.all())
  }

  @Test func `the outputs of a group with computed items are lists`() async throws {
    let workflow = try Workflow(
      text: """
        steps:
          - { id: plan, run: x }
          - id: test
            \(Self.list)
            outputs: { made: "${{ steps.make.outputs.x }}!" }
            steps: [{ id: make, run: x }]
          - id: join
            env: { ALL: "${{ toJSON(steps.test.outputs.made) }}", R: "${{ steps.test.result }}" }
            run: x
        """, file: "fan.yaml")
    for (items, all) in [(#"["a", "b"]"#, #"["a!","b!"]"#), ("[]", "[]")] {
      let run = Engine(executor: Self.executor({ _ in items })).start(workflow)
      #expect(try await run.outcome == .succeeded)
      #expect(Self.outputs(run, "join")["ALL"] == all)
      #expect(Self.outputs(run, "join")["R"] == "success")
    }
  }

  private static let used = """
    workflows:
      unit:
        params: { name: { type: string } }
        outputs: { made: "${{ steps.make.outputs.P }}" }
        steps:
          - { id: make, env: { P: "made ${{ params.name }}" }, run: x }
          - { id: check, env: { P: "${{ steps.make.outputs.P }}" }, run: x }
        finally:
          - { id: tidy, run: x }
    """

  @Test func `a file is used for each computed item`() async throws {
    let workflow = try Self.workflow(
      Self.list + ", \(Self.key), with: { name: \"${{ item }}\" }", "\"#unit\"", kind: "uses",
      Self.used)
    let run = Engine(executor: Self.executor({ _ in #"["a", "b"]"# })).start(workflow)
    let collector = EventCollector(run)
    #expect(try await run.outcome == .succeeded)
    #expect(
      Self.ids(run) == [
        "plan", "test", "test[a]/make", "test[a]/check", "test[a]/tidy", "test[b]/make",
        "test[b]/check", "test[b]/tidy", "join",
      ])
    #expect(Self.outputs(run, "test[b]/check")["P"] == "made b")
    try Self.expectSound(run, await collector.all())
  }

  @Test func `items can have items that are computed from them`() async throws {
    let workflow = try Self.workflow(
      Self.list + ", item-id: \"${{ item.name }}\"",
      """
      [
        { id: each, foreach: "${{ item.parts }}", item-id: "${{ item }}", steps: [
          { id: one, run: x }, { id: two, run: x }] },
        { id: last, run: x },
        { id: fixed, foreach: [l, m], run: x }
      ]
      """)
    let items = #"[{"name": "a", "parts": ["p", "q"]}, {"name": "b", "parts": []}]"#
    let run = Engine(executor: Self.executor({ _ in items })).start(workflow)
    let collector = EventCollector(run)
    #expect(try await run.outcome == .succeeded)
    #expect(
      Self.ids(run) == [
        "plan", "test", "test[a]/each", "test[a]/each[p]/one", "test[a]/each[p]/two",
        "test[a]/each[q]/one", "test[a]/each[q]/two", "test[a]/last", "test[a]/fixed[0]",
        "test[a]/fixed[1]", "test[b]/each", "test[b]/last", "test[b]/fixed[0]", "test[b]/fixed[1]",
        "join",
      ])
    #expect(Self.outputs(run, "test[a]/each[q]/two")["x"] == "q")
    #expect(run.state.label(of: "test[a]/fixed[1]") == "m")
    try Self.expectSound(run, await collector.all())
  }

  @Test func `names have the label of the item`() async throws {
    let workflow = try Self.workflow(
      Self.list + ", name: \"Test ${{ item }}\"",
      "[{ name: Build, run: x }, { name: \"Check ${{ item }}\", run: x }, { id: c, run: x }]")
    let run = Engine(executor: Self.executor({ _ in #"["a"]"# })).start(workflow)
    #expect(try await run.outcome == .succeeded)
    #expect(
      run.workflow.steps.map { $0.extras.name } == [
        nil, "Test …", "Test a/Build (a)", "Test a/Check a", "Test a/c", nil,
      ])
    #expect(run.state.plan == RunPlan(run.workflow))
  }

  // MARK: Limits

  @Test func `max-parallel counts items, not steps`() async throws {
    let begun = Protected<[String]>([])
    let workflow = try Self.workflow(Self.list + ", \(Self.key), max-parallel: 1")
    let run = Engine(executor: Self.executor({ _ in #"["a", "b"]"# }, begun)).start(workflow)
    #expect(try await run.outcome == .succeeded)
    #expect(
      begun.value == [
        "plan", "test[a]/build", "test[a]/check", "test[b]/build", "test[b]/check", "join",
      ])
  }

  @Test func `fail-fast cancels the other items, and not the rest of the failed one`()
    async throws
  {
    let workflow = try Self.workflow(
      Self.list + ", \(Self.key), max-parallel: 1, fail-fast: true")
    let executor = Self.executor(
      { _ in #"["a", "b"]"# },
      performing: { context in
        if context.step.id == "test[a]/check" { throw FailureReason.exited(status: 1) }
      })
    let run = Engine(executor: executor).start(workflow)
    #expect(
      try await run.outcome == .failed(step: "test[a]/check", reason: .exited(status: 1)))
    #expect(run.state["test[a]/build"]?.phase.isSuccess == true)
    #expect(run.state["test[b]/build"]?.phase == .cancelled(.failure(ofStep: "test[a]/check")))
  }

  @Test func `an item is retried as a whole, and a mutex holds for each`() async throws {
    let begun = Protected<[String]>([])
    let workflow = try Self.workflow(
      Self.list + ", \(Self.key), retry: { limit: 1, delay: 0s }, mutex: m")
    let executor = Self.executor(
      { _ in #"["a", "b"]"# }, begun,
      performing: { context in
        if context.step.id == "test[a]/check", context.generation == 1 {
          throw FailureReason.exited(status: 1)
        }
      })
    let run = Engine(executor: executor).start(workflow)
    let collector = EventCollector(run)
    #expect(try await run.outcome == .succeeded)
    #expect(begun.value.count { $0 == "test[a]/build" } == 2)
    #expect(begun.value.count { $0 == "test[b]/build" } == 1)
    // An item holds the mutex until its last step has ended.
    let ofB = begun.value.enumerated().filter { $1.hasPrefix("test[b]") }.map(\.offset)
    #expect(ofB.count == 2 && ofB[1] == ofB[0] + 1)
    try Self.expectSound(run, await collector.all())
  }

  @Test func `too many steps fail the step that computed them`() async throws {
    let items = "[" + (0..<50_001).map(String.init).joined(separator: ",") + "]"
    let run = Engine(executor: Self.executor({ _ in items }))
      .start(try Self.workflow(Self.list + ", max-items: 100000"))
    guard case .failed(step: "test", let reason) = try await run.outcome else {
      Issue.record("\(try await run.outcome)")
      return
    }
    #expect(reason.description.contains("50001 items of 2 steps are more than 100000 steps"))
  }

  // MARK: Conditions

  @Test func `a condition of the item decides about its steps, another one about all items`()
    async throws
  {
    let ofItem = Engine(executor: Self.executor({ _ in #"["a", "b"]"# })).start(
      try Self.workflow(Self.list + ", \(Self.key), if: \"item != 'a'\""))
    #expect(try await ofItem.outcome == .succeeded)
    #expect(
      ofItem.state.steps.map(\.phase.name) == [
        "succeeded", "succeeded", "skipped", "skipped", "succeeded", "succeeded", "succeeded",
      ])
    let ofAll = Engine(executor: Self.executor({ _ in #"["a", "b"]"# })).start(
      try Self.workflow(Self.list + ", if: \"steps.plan.outputs.items == '[]'\""))
    #expect(try await ofAll.outcome == .succeeded)
    #expect(ofAll.state.steps.map(\.phase.name) == ["succeeded", "skipped", "succeeded"])
  }

  // MARK: Restarts

  /// Starts a run whose step `join` waits in its first generation, and waits until it does.
  private static func waiting(
    _ workflow: Workflow, _ begun: Protected<[String]>,
    _ items: @escaping @Sendable (StepContext) -> String
  ) async -> Run {
    let gate = Gate()
    let executor = executor(
      items, begun,
      performing: { context in
        if context.step.id == "join", context.generation == 1 {
          try await gate.waitUnlessCancelled()
        }
      })
    let run = Engine(executor: executor).start(workflow)
    // Its closure begins a moment after the event.
    await expectEventually("join runs") {
      run.state["join"]?.phase == .running && begun.value.contains("join")
    }
    return run
  }

  @Test(arguments: [
    ("test[b]", ["test[b]/build", "test[b]/check"]), ("test[b]/check", ["test[b]/check"]),
  ]) func `a restart of one item, or of one of its steps, runs those and what needs them`(
    _ start: String, _ again: [String]
  ) async throws {
    let begun = Protected<[String]>([])
    let run = await Self.waiting(try Self.workflow(Self.list + ", \(Self.key)"), begun) { _ in
      #"["a", "b"]"#
    }
    let collector = EventCollector(run)
    begun.withLock { $0 = [] }
    try run.restart(from: start)
    #expect(try await run.outcome == .succeeded)
    #expect(begun.value == again + ["join"])
    try Self.expectSound(run, await collector.all())
  }

  @Test func `a producer that runs again computes the items anew, matched by key`() async throws {
    let begun = Protected<[String]>([])
    let workflow = try Self.workflow(
      Self.list + ", \(Self.key)",
      "[{ id: each, foreach: \"${{ fromJSON(steps.plan.outputs.items) }}\", run: x }]")
    let run = await Self.waiting(workflow, begun) {
      $0.generation == 1 ? #"["a", "b"]"# : #"["c", "b", "d"]"#
    }
    let collector = EventCollector(run)
    #expect(Self.ids(run).count == 9)
    try run.restart(from: "plan")
    #expect(try await run.outcome == .succeeded)
    let inner = ["c", "b", "d"].flatMap { key in
      ["test[\(key)]/each"] + (0..<3).map { "test[\(key)]/each[\($0)]" }
    }
    #expect(Self.ids(run) == ["plan", "test"] + inner + ["join"])
    try Self.expectSound(run, await collector.all())
  }

  @Test func `a cancel of the group cancels its items`() async throws {
    let gate = Gate()
    let executor = Self.executor(
      { _ in #"["a", "b"]"# },
      performing: { context in
        if context.step.id == "test[b]/build" { try await gate.waitUnlessCancelled() }
      })
    let run = Engine(executor: executor).start(
      try Self.workflow(Self.list + ", \(Self.key), continue-on-error: true"))
    await expectEventually("an item runs") { run.state["test[b]/build"]?.phase == .running }
    await expectEventually("another is over") { run.state["test[a]/check"]?.phase.isFinal == true }
    _ = try await run.perform(.cancel(steps: ["test"], now: false))
    _ = try await run.outcome
    #expect(run.state["test[b]/build"]?.phase == .cancelled(.request))
    #expect(run.state["test[b]/check"]?.phase.isCancelled == true)
    #expect(run.state["test[a]/check"]?.phase.isSuccess == true)
  }

  // MARK: Records

  @Test func `after any last recorded event, a resumed run has the same items`() async throws {
    let memory = RecorderTests.Memory()
    let workflow = try Self.workflow(
      Self.list + ", \(Self.key)",
      """
      [{ id: each, foreach: "${{ fromJSON(steps.plan.outputs.items) }}", run: x },
      { id: check, run: x }]
      """)
    let run = Engine(executor: Self.executor({ _ in #"["a", "b"]"# }), recorder: memory)
      .start(workflow)
    #expect(try await run.outcome == .succeeded)
    let all = memory.events.value
    let work = Set(
      ["a", "b"].flatMap { key in ["each[0]", "each[1]", "check"].map { "test[\(key)]/\($0)" } }
        + ["plan", "join"])
    for length in 1...all.count {
      var state = RunState()
      for event in all.prefix(length) { try state.apply(event) }
      let done = Set(state.steps.filter(\.phase.isSuccess).map(\.id))
      let begun = Protected<[String]>([])
      let again = try Engine(executor: Self.executor({ _ in #"["a", "b"]"# }, begun))
        .resume(state, with: workflow)
      #expect(try await again.outcome == .succeeded, "after \(length) events")
      let expected = work.subtracting(done)
      #expect(
        Set(begun.value) == expected && begun.value.count == expected.count,
        "after \(length) events: \(begun.value)")
      #expect(again.state.plan == RunPlan(again.workflow))
    }
  }

  @Test func `a reload takes another template, and keeps the items`() async throws {
    let begun = Protected<[String]>([])
    let settings = Self.list + ", \(Self.key)"
    let run = await Self.waiting(try Self.workflow(settings), begun) { _ in #"["a", "b"]"# }
    begun.withLock { $0 = [] }
    let next = try Self.workflow(
      settings, "[{ id: build, run: x }, { id: more, run: x }, { id: check, run: x }]")
    #expect(try await run.restart(with: next, from: ["test[b]"]))
    #expect(try await run.outcome == .succeeded)
    #expect(
      Self.ids(run) == ["plan", "test"]
        + ["a", "b"].flatMap { ["test[\($0)]/build", "test[\($0)]/more", "test[\($0)]/check"] }
        + ["join"])
    #expect(!begun.value.contains("test[a]/build"))
    #expect(begun.value.contains("test[a]/more"))
  }
}
