import TestSupport
import Testing
import WorkflowFiles

@testable import Reprise

/// Steps with `foreach` or `matrix` over what another step has left.
struct FanTests {
  private static func workflow(_ fan: String, _ rest: String = "") throws -> Workflow {
    try Workflow(
      text: """
        steps:
          - { id: plan, run: x }
          - { id: test, needs: plan, run: x, \(fan) }
          - id: join
            needs: [test]
            env: { ALL: "${{ toJSON(steps.test.outputs.x) }}", RESULT: "${{ steps.test.result }}" }
            run: x
        \(rest)
        """, file: "fan.yaml")
  }

  private static let list = "foreach: \"${{ fromJSON(steps.plan.outputs.items) }}\""

  /// The output of the step `plan`.
  private struct Items: Sendable {
    let text: @Sendable (StepContext) -> String

    init(_ text: @escaping @Sendable (StepContext) -> String) {
      self.text = text
    }
  }

  /// An executor whose step `plan` leaves items, and whose other steps leave their item.
  private static func executor(
    _ items: Items, _ begun: Protected<[String]> = .init([]),
    _ perform: @escaping @Sendable (StepContext) async throws -> Void = { _ in }
  ) -> ClosureExecutor {
    ClosureExecutor { context in
      begun.withLock { $0.append(context.step.id) }
      try await perform(context)
      if context.step.id == "plan" { return ["items": items.text(context)] }
      if context.step.id == "join" { return context.resolved.environment }
      return ["x": (context.step.extras.item ?? .map(context.step.extras.matrix ?? [:])).asText]
    }
  }

  private static func phases(_ run: Run) -> [String] {
    run.state.steps.map { "\($0.id) \($0.phase.name)" }
  }

  private static func expectSound(_ run: Run, _ events: [Event]) throws {
    var state = RunState()
    for event in events { try state.apply(event) }
    #expect(state == run.state)
    var again = RunState()
    for event in run.state.recap { try again.apply(event) }
    #expect(again == run.state)
    #expect(again.recap == run.state.recap)
    #expect(run.state.plan == RunPlan(run.workflow))
    #expect(try JSONLine.decoded(events) == events)
  }

  // MARK: The items

  @Test func `a step becomes one step for each item that another step has left`() async throws {
    let gate = Gate()
    let executor = Self.executor(Items { _ in #"["a", 2, {"k": "v"}]"# }) { context in
      if context.step.id == "plan" { try await gate.waitUnlessCancelled() }
    }
    let run = Engine(executor: executor).start(try Self.workflow(Self.list))
    let collector = EventCollector(run)
    #expect(run.state.steps.map(\.id) == ["plan", "test", "join"])
    gate.open()
    #expect(try await run.outcome == .succeeded)
    #expect(
      Self.phases(run) == [
        "plan succeeded", "test succeeded", "test[0] succeeded", "test[1] succeeded",
        "test[2] succeeded", "join succeeded",
      ])
    guard case .succeeded(let outputs)? = run.state["join"]?.phase else { return }
    #expect(outputs == ["ALL": #"["a","2","{\"k\":\"v\"}"]"#, "RESULT": "success"])
    #expect(run.state.label(of: "test[2]") == #"{"k":"v"}"#)
    let events = await collector.all()
    try Self.expectSound(run, events)
    let names = events.map(\.kind.name)
    #expect(names.count { $0 == "step-expanded" } == 1)
  }

  @Test(arguments: [
    ("[]", "[]"), (#"["z"]"#, #"["z"]"#),
  ]) func `a fan without items succeeds, and its outputs are an empty list`(
    _ items: String, _ all: String
  ) async throws {
    let run = Engine(executor: Self.executor(Items { _ in items })).start(
      try Self.workflow(Self.list))
    #expect(try await run.outcome == .succeeded)
    guard case .succeeded(let outputs)? = run.state["join"]?.phase else { return }
    #expect(outputs == ["ALL": all, "RESULT": "success"])
  }

  @Test(arguments: [
    (#"{"os": ["linux", "mac"], "n": [1], "include": [{"os": "mac", "x": 1}]}"#, ["0", "1"]),
    (#"{"os": []}"#, []),
  ]) func `a matrix is computed by a step`(_ matrix: String, _ keys: [String]) async throws {
    let fan =
      "matrix: \"${{ fromJSON(steps.plan.outputs.items) }}\", env: {A: \"${{ matrix.os }}\"}"
    let run = Engine(executor: Self.executor(Items { _ in matrix })).start(try Self.workflow(fan))
    #expect(try await run.outcome == .succeeded)
    #expect(run.state.steps.dropFirst(2).dropLast().map(\.id) == keys.map { "test[\($0)]" })
  }

  @Test func `a list of a matrix is computed by a step`() async throws {
    let fan = """
      matrix: { os: "${{ fromJSON(steps.plan.outputs.items) }}", n: [1, 2] }, \
      item-id: "${{ matrix.os }}-${{ matrix.n }}"
      """
    let run = Engine(executor: Self.executor(Items { _ in #"["linux", "mac"]"# }))
      .start(try Self.workflow(fan))
    #expect(try await run.outcome == .succeeded)
    #expect(
      run.state.steps.dropFirst(2).dropLast().map(\.id) == [
        "test[linux-1]", "test[linux-2]", "test[mac-1]", "test[mac-2]",
      ])
  }

  @Test(arguments: [
    (list, "7", "foreach must be a list, not a number: 7"),
    (list + ", max-items: 2", "[1, 2, 3]", "there are 3 items, and the maximum is 2"),
    (
      list + ", item-id: \"${{ item }}\"", #"["a", "b", "a"]"#,
      "items 0 and 2 have the same item-id \"a\""
    ),
    (list + ", item-id: \"${{ item }}\"", #"["a b"]"#, "the item-id of item 0 is \"a b\""),
    (
      list + ", item-id: \"${{ item }}\"", "[\"\(String(repeating: "a", count: 201))\"]",
      "the item-id of item 0 is too long: it has 201 bytes"
    ),
  ]) func `wrong items fail the step, with what was found`(
    _ fan: String, _ items: String, _ message: String
  ) async throws {
    let run = Engine(executor: Self.executor(Items { _ in items })).start(try Self.workflow(fan))
    guard case .failed(step: "test", let reason) = try await run.outcome else {
      Issue.record("\(try await run.outcome)")
      return
    }
    #expect(reason.description.contains(message), "\(reason)")
    #expect(run.state["join"]?.phase.name == "cancelled")
  }

  @Test func `the limit is a thousand items, unless the step sets it`() async throws {
    let items = "[" + (0..<1001).map(String.init).joined(separator: ",") + "]"
    let few = Engine(executor: Self.executor(Items { _ in items })).start(
      try Self.workflow(Self.list))
    #expect(try await few.outcome != .succeeded)
    let many = Engine(executor: Self.executor(Items { _ in items }))
      .start(try Self.workflow(Self.list + ", max-items: 1001"))
    #expect(try await many.outcome == .succeeded)
  }

  // MARK: Settings

  @Test func `steps inherit the settings of the step, and conditions of the item`() async throws {
    let begun = Protected<[String]>([])
    let fan =
      Self.list + ", if: \"item != 'b'\", retry: 1, max-parallel: 1, item-id: \"${{ item }}\""
    let executor = Self.executor(Items { _ in #"["a", "b", "c"]"# }, begun) { context in
      if context.step.id == "test[c]", context.attempt == 1 {
        throw FailureReason.exited(status: 1)
      }
    }
    let run = Engine(executor: executor).start(try Self.workflow(fan))
    #expect(try await run.outcome == .succeeded)
    #expect(begun.value == ["plan", "test[a]", "test[c]", "test[c]", "join"])
    #expect(run.state["test[b]"]?.phase.name == "skipped")
  }

  @Test func `a condition without the item decides about all items`() async throws {
    let fan = Self.list + ", if: \"steps.plan.outputs.items != '[1]'\""
    let run = Engine(executor: Self.executor(Items { _ in "[1]" })).start(try Self.workflow(fan))
    #expect(try await run.outcome == .succeeded)
    #expect(Self.phases(run) == ["plan succeeded", "test skipped", "join succeeded"])
  }

  @Test func `fail-fast cancels the other items`() async throws {
    let fan = Self.list + ", fail-fast: true, max-parallel: 1"
    let executor = Self.executor(Items { _ in "[1, 2, 3]" }) { context in
      if context.step.id == "test[0]" { throw FailureReason.exited(status: 1) }
    }
    let run = Engine(executor: executor).start(try Self.workflow(fan))
    #expect(try await run.outcome == .failed(step: "test[0]", reason: .exited(status: 1)))
    #expect(run.state["test[2]"]?.phase == .cancelled(.failure(ofStep: "test[0]")))
  }

  @Test func `a fan can be expanded from the outputs of another fan, and under finally`()
    async throws
  {
    let rest = """
        - id: second
          foreach: "${{ steps.test.outputs.x }}"
          item-id: "${{ item }}"
          run: x
      finally:
        - { id: clean, run: x }
        - { id: each, foreach: "${{ fromJSON(steps.plan.outputs.items) }}", run: x }
        - { id: last, run: x }
      """
    let run = Engine(executor: Self.executor(Items { _ in #"["a", "b"]"# }))
      .start(try Self.workflow(Self.list, rest))
    let collector = EventCollector(run)
    #expect(try await run.outcome == .succeeded)
    #expect(
      run.state.steps.map(\.id) == [
        "plan", "test", "test[0]", "test[1]", "join", "second", "second[a]", "second[b]", "clean",
        "each", "each[0]", "each[1]", "last",
      ])
    #expect(run.state.counts.succeeded == 13)
    try Self.expectSound(run, await collector.all())
  }

  // MARK: Restarts

  @Test func `a restart of one item runs that item and what needs it`() async throws {
    let begun = Protected<[String]>([])
    let gate = Gate()
    let executor = Self.executor(Items { _ in #"["a", "b"]"# }, begun) { context in
      if context.step.id == "join", context.generation == 1 { try await gate.waitUnlessCancelled() }
    }
    let run = Engine(executor: executor)
      .start(try Self.workflow(Self.list + ", item-id: \"${{ item }}\""))
    let collector = EventCollector(run)
    await expectEventually("join runs") { run.state["join"]?.phase == .running }
    try run.restart(from: "test[b]")
    #expect(try await run.outcome == .succeeded)
    #expect(begun.value.count { $0 == "test[a]" } == 1)
    #expect(begun.value.count { $0 == "test[b]" } == 2)
    #expect(begun.value.count { $0 == "join" } == 2)
    #expect(begun.value.count { $0 == "plan" } == 1)
    try Self.expectSound(run, await collector.all())
  }

  @Test func `a restart of the producer computes the items anew, matched by key`() async throws {
    let gate = Gate()
    let executor = Self.executor(Items { $0.generation == 1 ? #"["a", "b"]"# : #"["c", "b"]"# }) {
      context in
      if context.step.id == "join", context.generation == 1 { try await gate.waitUnlessCancelled() }
    }
    let run = Engine(executor: executor)
      .start(try Self.workflow(Self.list + ", item-id: \"${{ item }}\""))
    let collector = EventCollector(run)
    await expectEventually("join runs") { run.state["join"]?.phase == .running }
    try run.restart(from: "plan")
    #expect(try await run.outcome == .succeeded)
    #expect(run.state.steps.map(\.id) == ["plan", "test", "test[c]", "test[b]", "join"])
    guard case .succeeded(let outputs)? = run.state["join"]?.phase else { return }
    #expect(outputs["ALL"] == #"["c","b"]"#)
    try Self.expectSound(run, await collector.all())
  }

  @Test func `a cancel of the run cancels the items, and one item can be cancelled alone`()
    async throws
  {
    let gate = Gate()
    let executor = Self.executor(Items { _ in "[1, 2]" }) { context in
      if context.step.extras.item != nil { try await gate.waitUnlessCancelled() }
    }
    let run = Engine(executor: executor).start(try Self.workflow(Self.list))
    await expectEventually("items run") { run.state["test[1]"]?.phase == .running }
    _ = try await run.perform(.cancel(steps: ["test[0]"], now: false))
    await expectEventually("it is over") { run.state["test[0]"]?.phase.isFinal == true }
    #expect(run.state["test[1]"]?.phase == .running)
    run.cancel()
    #expect(try await run.outcome == .cancelled)
    #expect(run.state["test[1]"]?.phase == .cancelled(.request))
  }

  @Test func `a reload keeps the items of a step that keeps its result`() async throws {
    let gate = Gate()
    let begun = Protected<[String]>([])
    let executor = Self.executor(Items { _ in "[1, 2]" }, begun) { context in
      if context.step.id == "join", context.generation == 1 { try await gate.waitUnlessCancelled() }
    }
    let run = Engine(executor: executor).start(try Self.workflow(Self.list))
    await expectEventually("join runs") { run.state["join"]?.phase == .running }
    let next = try Self.workflow(Self.list, "  - { id: more, run: x }")
    #expect(try await run.restart(with: next, from: ["test[1]"]))
    #expect(try await run.outcome == .succeeded)
    #expect(begun.value.count { $0 == "test[0]" } == 1)
    #expect(begun.value.count { $0 == "test[1]" } == 2)
    #expect(
      run.state.steps.map(\.id) == ["plan", "test", "test[0]", "test[1]", "join", "more"])
  }

  // MARK: Records

  @Test func `after any last recorded event, a resumed run has the same items`() async throws {
    let memory = RecorderTests.Memory()
    let workflow = try Self.workflow(Self.list + ", item-id: \"${{ item }}\"")
    let run = Engine(executor: Self.executor(Items { _ in #"["a", "b"]"# }), recorder: memory)
      .start(workflow)
    #expect(try await run.outcome == .succeeded)
    let all = memory.events.value
    let expanded = try #require(all.firstIndex { $0.kind.name == "step-expanded" })
    let began = try #require(
      all.firstIndex { if case .step("test[a]", _, .started) = $0.kind { true } else { false } })
    #expect(expanded < began)
    for length in 1...all.count {
      var state = RunState()
      for event in all.prefix(length) { try state.apply(event) }
      let done = Set(state.steps.filter(\.phase.isSuccess).map(\.id))
      let begun = Protected<[String]>([])
      // Items that are computed again would differ.
      let items = done.contains("plan") ? "" : #"["a", "b"]"#
      let again = try Engine(executor: Self.executor(Items { _ in items }, begun))
        .resume(state, with: workflow)
      #expect(try await again.outcome == .succeeded, "after \(length) events")
      let expected = Set(["plan", "test[a]", "test[b]", "join"]).subtracting(done)
      #expect(Set(begun.value) == expected && begun.value.count == expected.count)
    }
  }

  @Test func `ten thousand items are expanded`() async throws {
    let items = "[" + (0..<10_000).map(String.init).joined(separator: ",") + "]"
    let run = Engine(executor: Self.executor(Items { _ in items }))
      .start(try Self.workflow(Self.list + ", max-items: 10000"))
    #expect(try await run.outcome == .succeeded)
    #expect(run.state.counts.succeeded == 10_003)
  }
}
