// Compares the settings of declarations in Swift with the keys of workflow files.

import Testing
import WorkflowReading

@testable import WorkflowFiles

struct SettingTests {
  private static let steps: [StepSetting] = [
    .name("n"), .needs("a"), .if("true"), .skipsDependents, .environment(["A": "b"]),
    .directory("d"), .shell("bash"), .timeout(.seconds(1)), .retry(1), .repeat(until: "x"),
    .grace(.seconds(1)), .continuesOnError, .mutex("m"), .pool("p"), .share("s"), .runner("r"),
    .survives, .usesTerminal, .separatesStreams, .writesToTerminal, .ready(port: "80"),
    .alive(port: "80"),
    .stop("INT"), .restartsOnFailure, .priority(1),
    .foreach(1...2), .matrix(["v": ["1"]]), .itemID("k"), .maxItems(1), .maxParallel(1), .failsFast,
    .outputs(["o": "1"]), .cache(inputs: ["a"]), .watch(false), .undo("x"), .when(.success),
    .approval("a"),
  ]
  /// Keys with an initializer of `Step` of their own, and those of its arguments.
  private static let initializers: Set = [
    "id", "run", "exec", "service", "call", "wait", "uses", "with",
  ]

  private static let shared: SharedStoreRule = {
    var rule = SharedStoreRule()
    rule.folder = "f"
    return rule
  }()

  private static let workflows: [WorkflowSetting] = [
    .description("d"), .parameter("p"), .environment(["A": "b"]), .dotenv(".env"),
    .secret("s", from: .environment("S")), .runner(named: "r", "sandbox"), .runner("r"),
    .directory("d"), .shell("bash"), .if("true"), .timeout(.seconds(1)), .grace(.seconds(1)),
    .maxParallel(1), .failsFast, .order(.file),
    .concurrency(Concurrency(group: "g", policy: .queue)), .pools(["p": 1]),
    .durability(.process), .keep(Retention(runs: 1)), .store(shared), .onEnd(run: "x"),
    .untilStopped, .isDefault(true), .aliases(["a"]), .on(["start": true]),
    .defaults(["retry": 1]), .outputs(["o": "1"]),
  ]

  @Test func `each key of a step has a setting or an initializer`() {
    let settings = Set(Self.steps.flatMap(\.entries).map(\.key)).union(Self.initializers)
    #expect(Set(KeyTable.step.keys.map(\.name)) == settings)
  }

  @Test func `each key of a workflow has a setting, but workflows, which are functions in Swift`() {
    let settings = Set(Self.workflows.map(\.key))
    let others: Set = ["name", "steps", "finally", "workflows"]
    #expect(Set(Tables.workflow.keys.keys.map(\.name)) == settings.union(others))
  }

  @Test func `steps from a collection are in the list like any other steps`() throws {
    let shards = ["a", "b"]
    let workflow = try Workflow("w") {
      Step("first", run: "x")
      shards.map { Step("in-order-\($0)", run: "x") }
      Parallel { shards.map { Step("parallel-\($0)", run: "x") } }
    }
    let graph = workflow.graph
    let needs = graph.ids.map { id in
      (graph.index(of: id).map { graph.needs(of: $0) } ?? []).map { graph.id(of: $0) }.joined(
        separator: " ")
    }
    #expect(
      graph.ids == ["first", "in-order-a", "in-order-b", "parallel-a", "parallel-b"])
    #expect(needs == ["", "first", "in-order-a", "in-order-b", "in-order-b"])
  }

  @Test func `an approval may have a timeout and no values`() throws {
    let workflow = try Workflow("w") {
      Step("plain", approval: "?")
      Step("limited", approval: "?", timeout: .seconds(3))
      Step("lenient", approval: "?", timeout: .seconds(3), orApprove: true, .name("n"))
    }
    let file = """
      name: w
      steps:
        - { id: plain, approval: "?" }
        - { id: limited, approval: { message: "?", timeout: 3s } }
        - { id: lenient, name: n, approval: { message: "?", timeout: 3s, default: approve } }
      """
    #expect(try Workflow(text: file, file: "w.yaml").steps == workflow.steps)
  }

  @Test func `settings as maps are those of a file`() throws {
    let workflow = try Workflow(
      "w", .if(run: "test -e a", timeout: .seconds(5)), .pools(["p": 1]),
      .runner("sandbox", ["network": true])
    ) {
      Step("a", run: "x", .if(run: "test -e b"), .repeat(while: "status == 75", Retry(limit: 3)))
      Step("b", waitUntil: "2026-12-01T08:00:00Z", .skipsDependents(false))
      Step(
        "c", run: "x",
        .undo("y", environment: ["A": "1"], timeout: .seconds(3), retry: Retry(limit: 2)))
      Step("d", exec: ["x"], .undo(exec: ["y", "z"]))
      Step("e", exec: ["x"], .undo(exec: ["y"], timeout: .seconds(1)))
    }
    let file = try Workflow(text: try #require(workflow.declarationText), file: "w.yaml")
    #expect(file.steps == workflow.steps)
    guard case .command(let command)? = workflow.condition else {
      Issue.record("\(String(describing: workflow.condition))")
      return
    }
    #expect(command == ConditionCommand(script: "test -e a", limit: .seconds(5)))
    #expect(workflow.steps[0].extras.conditionCommand?.script == "test -e b")
    #expect(workflow.steps[0].extras.repetition?.isWhile == true)
    let undo = try #require(workflow.steps.first { $0.id == "c/undo" })
    #expect(undo.timeout == .seconds(3) && undo.retry?.limit == 2)
    #expect(undo.environment["A"]?.source == "1")
    #expect(workflow.steps.contains { $0.id == "d/undo" })
  }
}
