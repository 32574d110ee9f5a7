// Tests the names of steps, and the ids of steps without one.

import Testing
import WorkflowReading

@testable import WorkflowFiles

struct NameTests {
  private func workflow(_ text: String) throws -> Workflow {
    try Workflow(text: text, file: "w.yaml")
  }

  private func ids(_ text: String) throws -> [String] { try workflow(text).steps.map(\.id) }

  private func names(_ text: String) throws -> [String] {
    try workflow(text).steps.map(\.shownName)
  }

  private func errors(_ text: String) -> [String] {
    do {
      _ = try workflow(text)
      return []
    } catch let error as WorkflowError {
      return error.diagnostics.map { "\($0.line):\($0.column) \($0.code) \($0.message)" }
    } catch {
      return ["\(error)"]
    }
  }

  @Test(arguments: [
    ("Build for Linux", "build-for-linux"), ("build", "build"), ("  C++ / Rust!  ", "c-rust"),
    ("Test ${{ params.what }} again", "test-again"), ("Déjà vu", "d-j-vu"),
    (String(repeating: "ab ", count: 40), String(String(repeating: "ab-", count: 16).dropLast())),
  ])
  func `a step without id gets the slug of its name`(name: String, id: String) {
    #expect(name.stepSlug == id)
    #expect(id.isStepID)
  }

  @Test func `a name without ASCII letters and digits has no slug`() throws {
    #expect(
      try ids("steps: [{name: 構築, run: x}, {name: '${{ workflow.name }}', run: x}]") == [
        "step-1", "step-2",
      ])
  }

  @Test func `generated ids are unique, and differ from the written ones that follow`() throws {
    let text = """
      steps:
        - { name: Build, run: x }
        - { name: build!, run: x }
        - parallel:
            - { id: build-2, run: x }
            - steps: [{ id: step-5, run: x }, { run: x }]
        - { name: BUILD, run: x }
      finally: [{ run: x }, { id: step-7, run: x }]
      """
    #expect(
      try ids(text)
        == ["build", "build-3", "build-2", "step-5", "step-5-2", "build-4", "step-7-2", "step-7"])
  }

  @Test func `a step with neither id nor name is named by its position in the file`() throws {
    #expect(
      try ids("steps: [{run: a}, {id: b, run: b}, {run: c}, {foreach: [1, 2], run: d}]") == [
        "step-1", "b", "step-3", "step-4[0]", "step-4[1]",
      ])
  }

  @Test func `needs and expressions may use the id that comes from a name`() throws {
    let text = """
      steps:
        - { name: Find version, run: x }
        - name: Release
          needs: find-version
          env: { V: "${{ steps.find-version.outputs.v }}" }
          run: y
        - { name: Each one, foreach: [1, 2], run: z }
        - { run: end, needs: [release, each-one] }
      """
    #expect(try workflow(text).steps.last?.needs == ["release", "each-one[0]", "each-one[1]"])
  }

  @Test func `nothing can refer to a step by its position`() {
    let text = """
      steps:
        - run: x
        - { id: b, needs: step-1, env: { V: "${{ steps.step-1.outputs.v }}" }, run: y }
        - { foreach: [1], run: z }
        - { id: d, needs: step-3, run: y }
      """
    #expect(
      errors(text).map { String($0.prefix(10)) } == ["3:21 R0407", "3:44 R0407", "5:21 R0407"])
  }

  @Test func `a name can use params, matrix and item`() throws {
    let text = """
      params: { target: staging }
      steps:
        - { id: a, name: "To ${{ params.target }}", run: x }
        - { id: b, name: "On ${{ matrix.os }}", matrix: { os: [linux, mac] }, run: x }
        - { id: c, name: Tests, foreach: [x, y], run: x }
      """
    #expect(try names(text) == ["To staging", "On linux", "On mac", "Tests (x)", "Tests (y)"])
    #expect(try workflow(text).groupNames == ["b": "On …", "c": "Tests"])
  }

  @Test func `a name must be known before the run, and has at most 256 bytes`() {
    #expect(errors("steps: [{id: a, name: '${{ steps.b.result }}', run: x}]").count == 1)
    #expect(errors("steps: [{name: \(String(repeating: "x", count: 257)), run: x}]").count == 1)
    #expect(errors("steps: [{name: '', run: x}]").count == 1)
  }

  @Test func `names reach the plan, the graph and its formats`() throws {
    let workflow = try workflow(
      "name: w\nsteps: [{id: a, name: Build \"all\", run: x}, {id: b, run: x}]")
    #expect(workflow.rendered(as: .text).contains("1.  Build \"all\" (a)"))
    #expect(workflow.rendered(as: .mermaid).contains(#"s0["Build \"all\""]"#))
    #expect(workflow.rendered(as: .dot).contains(#""a" [label="Build \"all\""];"#))
    #expect(workflow.rendered(as: .json).contains(#""id": "a", "name": "Build \"all\"", "needs""#))
  }

  @Test func `a step declared in Swift has a name`() throws {
    let workflow = try Workflow("w") { Step("a", run: "x", .name("Build all")) }
    #expect(workflow.steps[0].extras.name == "Build all")
  }
}
