import Testing

@testable import WorkflowFiles

/// Parameters of all types, with limits.
struct ParameterTypeTests {
  private static let text = """
    params:
      count: { type: integer, default: 3, min: 1, max: 10 }
      hosts: { type: list, default: [a, b], min: 1, max: 3 }
      options: { type: map, default: { retries: 2 } }
      tag: { type: string, default: v1, pattern: "^v[0-9]+$" }
      short: [x, 1]
      label: { default: ab, min: 2, max: 4 }
    steps:
      - id: a
        foreach: ${{ params.hosts }}
        env: { R: "${{ params.options.retries + params.count }}", S: "${{ params.short[1] }}" }
        run: make
    """

  @Test func `defaults are of the type of their parameter`() throws {
    let workflow = try Workflow(text: Self.text, file: "w.yaml")
    var values: [String: Value] = [:]
    for parameter in workflow.parameters { values[parameter.name] = parameter.defaultValue }
    #expect(values["count"] == .number(3))
    #expect(values["hosts"] == .list([.text("a"), .text("b")]))
    #expect(values["options"] == .map(["retries": .number(2)]))
    #expect(values["short"] == .list([.text("x"), .number(1)]))
    #expect(workflow.steps.map(\.id) == ["a[0]", "a[1]"])
  }

  @Test(arguments: [
    ("count", "1.5", "a whole number"), ("count", "0", "at least 1"), ("count", "11", "at most 10"),
    ("count", "x", "a whole number"), ("hosts", "a", "a list in JSON"),
    ("hosts", "[]", "must have at least 1 element,"), ("hosts", "[1,2,3,4]", "at most 3 elements"),
    ("options", "[1]", "a map in JSON"), ("tag", "1", "must match ^v[0-9]+$, and \"1\" does not"),
    ("label", "a", "at least 2 characters"), ("label", "abcde", "at most 4 characters"),
  ]) func `an argument outside of the limits is an error`(
    _ name: String, _ argument: String, _ message: String
  ) {
    let error = #expect(throws: WorkflowError.self) {
      try Workflow(text: Self.text, file: "w.yaml", with: Arguments([name: argument]))
    }
    #expect(error?.diagnostics.map(\.code) == ["R0602"])
    #expect(error?.diagnostics.first?.message.contains(message) == true)
  }

  @Test func `lists are passed as JSON, and in parameter files as they are`() throws {
    let workflow = try Workflow(
      text: Self.text, file: "w.yaml", with: Arguments(["hosts": "[\"x\"]"]))
    #expect(workflow.steps.map(\.id) == ["a[0]"])
    let texts = try Arguments.texts(
      in: Array("hosts: [x, y]\noptions:\n  retries: 5\ncount: 2\n".utf8), file: "p.yaml")
    #expect(texts == ["hosts": #"["x","y"]"#, "options": #"{"retries":5}"#, "count": "2"])
  }

  @Test(arguments: [
    ("{ type: boolean, min: 1 }", "R0217"), ("{ type: number, pattern: a }", "R0217"),
    ("{ type: number, min: 2, max: 1 }", "R0602"), ("{ pattern: '(' }", "R0525"),
    ("{ type: list, default: a }", "R0602"), ("{ type: integer, default: 1.5 }", "R0602"),
    ("{ type: number, min: x }", "R0210"), ("{ type: array }", "R0211"),
    ("{ type: number, minimum: 1 }", "R0201"), ("{ type: integer, default: 0, min: 1 }", "R0602"),
  ]) func `a wrong declaration is reported`(_ declaration: String, _ code: String) {
    let found = diagnostics("params: { p: \(declaration) }\nsteps: [{ id: a, run: make }]\n")
    #expect(found.map(\.code).contains(code), "\(found)")
  }

  @Test func `with passes lists and maps to a used file`() throws {
    let used = """
      params: { hosts: { type: list, max: 2 }, n: { type: integer, min: 1 } }
      steps: [{ id: b, foreach: "${{ params.hosts }}", run: make }]
      """
    func workflow(_ with: String) throws -> Workflow {
      try Workflow(
        bytes: Array("steps: [{ id: u, uses: ./u.yaml, with: \(with) }]".utf8), file: "w.yaml",
        sources: .kept(["u.yaml": used]))
    }
    #expect(try workflow("{ hosts: [x, y], n: 2 }").steps.map(\.id) == ["u/b[0]", "u/b[1]"])
    for wrong in ["{ hosts: [x, y, z], n: 2 }", "{ hosts: [x], n: 0 }", "{ hosts: x, n: 1 }"] {
      let error = #expect(throws: WorkflowError.self) { try workflow(wrong) }
      #expect(error?.diagnostics.first?.code == "R0602", "\(wrong)")
    }
  }
}
