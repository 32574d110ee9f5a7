// Typed handles for outputs, in a package with the default settings of the compiler.

import Foundation
import Reprise
import Synchronization
import Testing

/// Outputs of steps by typed handles.
struct StepOutputTests {
  struct Build: Codable, Sendable, Equatable {
    var file: String
    var size: Int
  }

  @Test func `handles carry values from step to step and out of the run`() async throws {
    let build = StepOutput<Build>("build")
    let count = StepOutput<Int>("count")
    let text = StepOutput<String>("text")
    let workflow = try Workflow("handles") {
      Step(build, .timeout(.seconds(10))) { _ in Build(file: "app.zip", size: 7) }
      Step(count) { _ in 3 }
      Step("first", needs: build) { context, build in build.size }
      Step(text, needs: build, count, settings: [.retry(1)]) { context, build, count in
        "\(count) of \(build.file), \(try context.input(count: "count"))"
      }
    }
    #expect(workflow.steps.last?.needs == ["build", "count"])
    let run = Engine().start(workflow)
    #expect(try await run.value(of: text) == "3 of app.zip, 3")
    #expect(try run.output(of: build) == Build(file: "app.zip", size: 7))
    #expect(try run.output(of: StepOutput<Int>("first")) == 7)
    #expect(throws: OutputError.self) { try run.output(of: StepOutput<Int>("text")) }
    #expect(try run.state.output(of: text) == "3 of app.zip, 3")
  }

  @Test func `a handle in a template is replaced with its value`() async throws {
    let name = StepOutput<String>("the-name")
    let count = StepOutput<Int>("count")
    let run = Engine().start(
      try Workflow("templates") {
        Step(name) { _ in "a $(b)" }
        Step(count) { _ in 3 }
        Step(
          "print",
          exec: [
            "sh", "-c", "echo text=$1 >> $REPRISE_OUTPUT", "x",
            "\(name): \(count), ${{ \(count) > 2 }}",
          ])
      })
    #expect(try await run.outcome == .succeeded)
    let printed = try run.output(of: "print", as: [String: String].self)
    #expect(printed == ["text": "a $(b): 3, true"])
    let error = #expect(throws: WorkflowError.self) {
      try Workflow("quoted") {
        Step(name) { _ in "a" }
        Step("print", exec: ["echo", "${{ 'my \(name)' }}"])
      }
    }
    #expect(error?.description.contains("expected an operator before this") == true)
  }

  @Test func `handles are needs of any step`() throws {
    let build = StepOutput<Build>("build")
    let count = StepOutput<Int>("count")
    let workflow = try Workflow("needs") {
      Step(build, .needs()) { _ in Build(file: "app.zip", size: 7) }
      Step(count, .needs()) { _ in 3 }
      Step("one", run: "true", .needs(build))
      Step("both", run: "true", .needs(build, count), .name("Both"))
    }
    #expect(workflow.steps.map(\.needs) == [[], [], ["build"], ["build", "count"]])
  }

  @Test func `a part of a workflow lacks the outputs of the others, and says so`() async throws {
    let build = StepOutput<Int>("build")
    let workflow = try Workflow("part") {
      Step(build) { _ in 1 }
      Step("use", needs: build) { _, number in number }
    }
    let run = Engine().start(try workflow.selecting(only: ["use"]))
    let reason = FailureReason.badValue(
      #"step "use" has no input "build"; the run has no step of this name"#)
    #expect(try await run.outcome == .failed(step: "use", reason: reason))
  }

  @Test func `a handle of an unknown step is an error of the declaration`() throws {
    #expect(throws: WorkflowError.self) {
      try Workflow("unknown") {
        Step("use", needs: StepOutput<Int>("biuld")) { _, number in number }
      }
    }
  }

  @Test func `nil in a dictionary is nil for optional properties that are no text`() async throws {
    enum Level: String, Codable { case low }
    struct Stats: Decodable, Equatable {
      var mean: Double?
      var count: Int?
      var isComplete: Bool?
      var names: [String]?
      var level: Level?
      var date: Date?
      var address: URL?
      var price: Decimal?
      var text: String?
    }
    let names = [
      "mean", "count", "isComplete", "names", "level", "date", "address", "price", "text",
    ]
    let workflow = try Workflow("nothing") {
      Step("stats") { _ in
        Dictionary(uniqueKeysWithValues: names.map { ($0, String?.none) })
      }
      Step("sole") { _ in ["value": Double?.none] }
    }
    let run = Engine().start(workflow)
    try await run.value()
    #expect(try run.output(of: "stats", as: Stats.self) == Stats(text: ""))
    #expect(try run.output(of: "sole", as: Double?.self) == nil)
    #expect(try run.output(of: "sole", as: String?.self) == "")
  }

  @Test func `the optional output of a skipped step is nil, also outside of steps`() async throws {
    let maybe = StepOutput<Int?>("maybe")
    let workflow = try Workflow("optional", .parameter("on", .boolean, default: false)) {
      Step("maybe", .if("params.on")) { _ in 7 }
      Step("use", needs: maybe) { _, maybe in maybe == nil ? "none" : "some" }
    }
    let run = Engine().start(workflow)
    #expect(try await run.outcome == .succeeded)
    #expect(try run.output(of: "use", as: String.self) == "none")
    #expect(try run.output(of: maybe) == nil)
  }

  @Test func `a step that was skipped or has failed has no output of any type but an optional one`()
    async throws
  {
    struct Broken: Error {}
    struct Rates: Codable, Sendable { var euro: Double? }
    let skipped = StepOutput<[String: Double]>("skipped")
    let failed = StepOutput<Rates>("failed")
    let run = Engine().start(
      try Workflow("absent") {
        Step(skipped, .if("false")) { _ in ["euro": 1] }
        Step(failed, .continuesOnError) { _ -> Rates in throw Broken() }
        Step("one", needs: skipped, settings: [.continuesOnError]) { _, rates in rates.count }
        Step("two", needs: failed, settings: [.continuesOnError]) { _, rates in rates.euro == nil }
        Step("three", .needs("skipped")) { context in
          let rates: [String: Double]? = try context.input("skipped")
          return rates == nil
        }
      })
    #expect(try await run.outcome == .succeeded)
    let problem = "the input \"skipped\": that step has no output"
    #expect(run.state["one"]?.phase == .failed(.badValue(problem)))
    if case .failed(.badValue) = run.state["two"]?.phase {} else { Issue.record("it has a value") }
    #expect(try run.output(of: StepOutput<Bool>("three")))
    #expect(throws: OutputError.noOutput(step: "skipped")) { try run.output(of: skipped) }
  }

  @Test func `the values of computed items are those of the items alone`() async throws {
    let run = Engine().start(
      try Workflow("items") {
        Step("list") { _ in [3, 1, 2] }
        Step("none") { _ in [Int]() }
        Step("each", .foreach("${{ fromJSON(steps.list.outputs.value) }}")) { context in
          let item: Int = try context.item()
          return item
        }
        Step("nothing", .foreach("${{ fromJSON(steps.none.outputs.value) }}")) { _ in 1 }
        Step("all", .needs("each", "nothing")) { context in
          let (some, nothing): ([Int], [Int]) = try (
            context.inputs(of: "each"), context.inputs(of: "nothing")
          )
          return some + nothing
        }
      } finally: {
        Step("end") { context in
          let all: [Int?] = try context.inputs(of: "each")
          return all.compactMap(\.self)
        }
      })
    #expect(try await run.outcome == .succeeded)
    #expect(try run.output(of: StepOutput<[Int]>("all")) == [3, 1, 2])
    #expect(try run.output(of: StepOutput<[Int]>("end")) == [3, 1, 2])
  }

  @Test func `under finally, the items that have not succeeded are nil`() async throws {
    struct Broken: Error {}
    let run = Engine().start(
      try Workflow("items") {
        Step("each", .foreach(["a", "b"])) { context in
          let item: String = try context.item()
          if item == "a" { throw Broken() }
          return item
        }
      } finally: {
        Step("end") { context in
          let all: [String?] = try context.inputs(of: "each")
          return all.map { $0 ?? "none" }
        }
      })
    _ = try await run.outcome
    #expect(run.state["end"]?.phase.isSuccess == true, "\(String(describing: run.state["end"]))")
    #expect(try run.output(of: StepOutput<[String]>("end")) == ["none", "b"])
  }

  @Test func `items that are groups name a step that can be read`() async throws {
    let run = Engine().start(
      try Workflow("groups") {
        InOrder("clean", .foreach(1...2)) {
          Step("find") { _ in 1 }
          Step("remove") { _ in 2 }
        }
        Step("sum", .needs("clean")) { context in try context.inputs(of: "clean", as: Int.self) }
      })
    let outcome = try await run.outcome
    #expect("\(outcome)".contains("read one of these instead, such as input(\"clean[0]/"))
  }

  @Test func `settings are passed on as arrays`() async throws {
    func step(_ id: String, _ settings: [StepSetting]) -> Step {
      Step(id, exec: ["true"], .timeout(.seconds(60)), .all(settings))
    }
    let common: [WorkflowSetting] = [.parameter("target", default: "here"), .timeout(.seconds(9))]
    let workflow = try Workflow(
      "passed", .parameter("other", default: "there"), .all(common), .all([])
    ) {
      step("one", [])
      step("two", [.retry(2), .environment(["A": "${{ params.target }}"])])
    }
    #expect(workflow.parameters.map(\.name).sorted() == ["other", "target"])
    #expect(workflow.timeout == .seconds(9))
    #expect(workflow.steps.map { $0.retry?.limit } == [nil, 2])
    #expect(workflow.steps.map(\.timeout) == [.seconds(60), .seconds(60)])
  }

  @Test func `a graph from data has calls and closures`() async throws {
    var engine = Engine()
    engine.register("greet") { context in "hello \(try #require(context.arguments["name"]).asText)"
    }
    let workflow = try Workflow(
      name: "data",
      steps: [
        Workflow.Step(id: "name", action: .perform(InProcessWork { _ in "you" })),
        Workflow.Step(
          id: "greet", needs: ["name"],
          action: .call("greet", try CallArguments(["name": "${{ steps.name.outputs.value }}"]))),
      ])
    let run = engine.start(workflow)
    #expect(try await run.outcome == .succeeded)
    #expect(try run.output(of: "greet", as: String.self) == "hello you")
    #expect(throws: ArgumentError.self) { try CallArguments(["name": ["${{ 1 + }}"]]) }
  }
}

extension StepContext {
  fileprivate func input(count step: String) throws -> Int { try input(StepOutput<Int>(step)) }
}
