import Reprise
import TestSupport
import Testing

/// Actions that a program registers and workflow files call.
struct ActionTests {
  struct Upload: Action {
    static let name = "upload"
    let file: String
    let retries: Int?

    func perform(in context: StepContext) async throws -> [String: String] {
      context.report("uploading \(file)")
      return ["url": "https://example.org/\(file)", "retries": "\(retries ?? 0)"]
    }
  }

  struct Greeting: Decodable, Sendable {
    let name: String
  }

  private var engine: Engine {
    var engine = Engine()
    engine.register(Upload.self)
    engine.register("greet", taking: Greeting.self) { _, greeting in "hello \(greeting.name)" }
    engine.register("raw") { context in context.arguments.mapValues(\.json) }
    engine.register("quiet") { _ in }
    return engine
  }

  @Test func `a workflow file calls registered actions with values from the run`() async throws {
    let text = """
      params: { page: index }
      steps:
        - { id: up, call: upload, with: { file: "${{ params.page }}.html", retries: "${{ run.generation }}" } }
        - { id: hi, call: greet, with: { name: "${{ steps.up.outputs.url }}" } }
        - { id: raw, call: raw, with: { list: [1, "${{ steps.hi.outputs.value }}"], map: { a: true } } }
        - { id: quiet, call: quiet }
      """
    let workflow = try Workflow(text: text, file: "w.yaml", actions: engine.actions)
    let run = engine.start(workflow)
    #expect(try await run.outcome == .succeeded)
    #expect(
      run.state["up"]?.phase
        == .succeeded(["url": "https://example.org/index.html", "retries": "1"]))
    #expect(
      run.state["hi"]?.phase == .succeeded(["value": "hello https://example.org/index.html"]))
    #expect(
      run.state["raw"]?.phase
        == .succeeded([
          "list": #"[1,"hello https://example.org/index.html"]"#, "map": #"{"a":true}"#,
        ]))
  }

  @Test func `an invalid value or an unknown action fails the step when it starts`() async throws {
    let text = """
      steps:
        - { id: n, run: "echo n=many >> $REPRISE_OUTPUT" }
        - { id: up, call: upload, with: { file: a, retries: "${{ steps.n.outputs.n }}" } }
      """
    let run = engine.start(try Workflow(text: text, file: "w.yaml", actions: engine.actions))
    #expect(
      try await run.outcome
        == .failed(
          step: "up", reason: .badValue("with: retries must be a whole number, not \"many\"")))
    let unknown = try Workflow(text: "steps: [{ id: a, call: nothing }]", file: "w.yaml")
    #expect(
      try await engine.start(unknown).outcome
        == .failed(
          step: "a",
          reason: .badValue(
            "there is no action \"nothing\"; there are: greet, quiet, raw, upload")))
  }

  @Test func `an error in a file is reported before anything runs`() {
    #expect {
      try Workflow(
        text: "steps: [{ id: a, call: upload, with: { fiel: x } }]", file: "w.yaml",
        actions: engine.actions)
    } throws: { error in
      "\(error)".contains("w.yaml:1:24: error[R0802]: \"upload\": \"file\" is missing")
        || "\(error)".contains("\"file\" is missing")
    }
  }

  @Test func `registering an action in a copy of an engine does not change the original`() {
    var other = engine
    other.register("more") { _ in }
    #expect(other.actions.names == ["greet", "more", "quiet", "raw", "upload"])
    #expect(engine.actions.names == ["greet", "quiet", "raw", "upload"])
  }
}
