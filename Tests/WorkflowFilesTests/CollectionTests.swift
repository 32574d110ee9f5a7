import Testing

@testable import WorkflowFiles

/// Files of workflows: their short forms, and what they share.
struct CollectionTests {
  private static let file = """
    params: { port: { default: 8000 }, host: { default: a } }
    shell: [bash, -c]
    defaults: { timeout: 5s }
    workflows:
      script: |
        echo one
        echo two
      steps: [{ id: a, run: echo a }, { uses: "#script" }]
      whole:
        params: { port: { default: 9 } }
        shell: [sh, -c]
        steps: [{ id: w, run: echo }]

    """

  private func source(_ part: String?, _ text: String = file) -> WorkflowText {
    WorkflowText(Array(text.utf8), file: "tasks.yaml", part: part)
  }

  private func workflow(_ part: String, _ text: String = file) throws -> Workflow {
    try source(part, text).workflow(with: Arguments(), actions: nil)
  }

  /// Returns the codes and lines of the errors.
  private func errors(_ part: String, _ text: String) -> [String] {
    do {
      _ = try workflow(part, text)
      return []
    } catch let error as WorkflowError {
      return error.diagnostics.map { "\($0.code) \($0.line)" }
    } catch {
      return ["\(error)"]
    }
  }

  @Test func `a script is a workflow of one step with its name`() throws {
    let workflow = try workflow("script")
    #expect(workflow.name == "script")
    #expect(workflow.steps.map(\.id) == ["script"])
    #expect(workflow.steps.map(\.action) == [.run("echo one\necho two\n")])
  }

  @Test func `a list is the steps of a workflow, which others use`() throws {
    #expect(try workflow("steps").steps.map(\.id) == ["a", "step-2/script"])
  }

  @Test func `what the file shares applies to each workflow that does not set it`() throws {
    let (script, whole) = (try workflow("script"), try workflow("whole"))
    #expect(script.shell == .arguments(["bash", "-c"]) && whole.shell == .arguments(["sh", "-c"]))
    #expect([script, whole].map { $0.steps[0].timeout } == [.seconds(5), .seconds(5)])
    #expect(source("whole").parameters.map(\.name).sorted() == ["host", "port"])
    #expect(
      source("whole").parameters.first { $0.name == "port" }?.defaultValue.map { "\($0)" }
        == Optional("\(Value.text("9"))"))
    #expect(
      source("script").parameters.first { $0.name == "port" }?.defaultValue.map { "\($0)" }
        == Optional("\(Value.text("8000"))"))
  }

  @Test func `a file with steps of its own shares nothing`() throws {
    let text =
      "params: { a: { default: 1 } }\nsteps: [{ id: s, run: x }]\nworkflows: { w: echo w }\n"
    #expect(source("w", text).parameters.isEmpty)
    #expect(source(nil, text).namings.map(\.part) == [nil, "w"])
  }

  @Test(arguments: [
    ("on: { start: true }\nworkflows: { w: echo w }\n", ["R0201 1"]),
    ("envv: { A: b }\nworkflows: { w: echo w }\n", ["R0201 1"]),
    ("workflows: { w: 'echo ${{ params.x }}' }\n", ["R0304 1"]),
    ("workflows:\n  w: [echo]\n", ["R0202 2"]),
  ])
  func `what a file of workflows cannot have is an error`(_ text: String, _ codes: [String]) {
    #expect(errors("w", text) == codes)
  }
}
