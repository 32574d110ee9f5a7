import Testing

@testable import WorkflowFiles

/// Workflows declared in Swift mean the same as workflow files.
struct DeclarationTests {
  @Test func `a workflow declared in Swift equals the one in its text`() throws {
    let shards = ["a", "b"]
    let workflow = try Workflow(
      "deploy", .description("ships: it"), .timeout(.seconds(90)), .maxParallel(3), .failsFast,
      .parameter("target", .choice(["staging", "production"]), default: "staging"),
      .parameter("count", .number, default: 2, description: "how many"),
      .secret("token", from: .environment("TOKEN")), .environment(["A": "x ${{ params.count }}"]),
      .concurrency(Concurrency(group: "deploy", policy: .queue)), .directory("sub"),
      .keep(Retention(runs: 20, age: .seconds(86_400), bytes: 1 << 30, logBytes: 1 << 24)),
      .onEnd(run: "notify \"$REPRISE_OUTCOME\""),
      .on(["files": ["src/**"], "when-busy": "restart"])
    ) {
      Step("build", run: "echo \"hello\"\n\n  echo $A\n")
      Parallel {
        for shard in shards {
          Step("test-\(shard)", exec: ["./test", "\(shard)"], .retry(Retry(limit: 2, jitter: 0.5)))
        }
        InOrder {
          Step("go", approval: "Deploy to ${{ params.target }}?")
          Step("up", call: "upload", with: ["file": "a", "parts": [1, true, ["x": "y"]]])
        }
      }
      if shards.count > 1 {
        Step("many", run: "true", .foreach(1...3), .if("params.target == 'staging'"), .share("m"))
      }
      Step(
        "last", exec: ["true"], .needs("build"), .environment(["T": "${{ secrets.token }}"]),
        .timeout(.milliseconds(1500)), .grace(.zero), .mutex("m"), .continuesOnError,
        .cache(inputs: ["src/**"], key: "1"), .outputs(["x": "y"]), .shell("bash"))
    } finally: {
      Step("report", run: "true", .when(.failure, .cancelled))
    }
    let read = try Workflow(text: try workflow.yaml(), file: "")
    var declared = workflow
    declared.declared = nil
    #expect(declared.file == nil)
    // They differ only in the positions of warnings.
    var other = read
    other.warnings = []
    declared.warnings = []
    #expect(declared == other)
    #expect(workflow.graph.ids.count == 10 && workflow.finallyCount == 1)
    #expect(workflow.steps[0].action == .run("echo \"hello\"\n\n  echo $A\n"))
    let up = try #require(workflow.graph.index(of: "up"))
    #expect(workflow.graph.needs(of: up).map { workflow.graph.id(of: $0) } == ["go"])
  }

  /// Texts that have a special meaning in YAML, in expressions or in terminals.
  private static let hostileTexts = [
    "", " ", "a: b", "- a", "#x", "a #b", "true", "null", "1.10", "0x1F", "~", "'", "\"", "\\",
    "\t",
    "\n", "a\nb\n\n", " a\nb", "a\n \nb", "${{ secrets.token }}", "$", "{{", "}}", "$${{", "'${{'",
    "\u{85}", "\u{2028}", "\u{FEFF}", "\u{7F}", "\u{1B}[31m", "é", "👩‍👩‍👧", "*a", "&a", "!t", "%", "@",
    "`",
    "? a", "| x", "> x", "[a", "{a", "a,b", "<<", "yes", "No", "012", "\r\n", "\r",
    // Quotes that form one character with their neighbours but are separate scalars to the
    // expression parser.
    "{\u{600}' && secrets.token || '\u{301}", "${{'\u{301}", "\u{600}'{", "$", "${",
    "{ '\u{200D}' }",
  ]

  @Test(arguments: hostileTexts)
  func `data is never interpreted, whatever it contains`(_ text: String) throws {
    let workflow = try Workflow("data", .environment(["W": .data(text)])) {
      Step("a", exec: ["echo", "<\(text)>", .data(text)], .environment(["E": "$\(text){"]))
    }
    let again = try Workflow(text: try workflow.yaml(), file: "data")
    for workflow in [workflow, again] {
      let values = RunValues(
        run: "r", generation: 1, environment: [:], secrets: { _, _ in "SECRET" },
        step: { _ in nil },
        status: .success, hashFiles: { _ in "" })
      let resolved = try workflow.resolved(workflow.steps[0], values)
      #expect(resolved.action == .exec(["echo", "<\(text)>", text]))
      #expect(resolved.environment == ["W": text, "E": "$\(text){"])
    }
  }

  @Test(
    arguments: hostileTexts + ["a.outputs.x && '' || secrets.token || steps.a", "' || secrets.t"])
  func `data in the middle of an expression is a text literal`(_ text: String) throws {
    let workflow = try Workflow("data", .secret("token", from: .environment("T"))) {
      Step(
        "a", exec: ["${{ \(text) }}", "x${{ format('{0}', \(text)) }}${{ \(7) == 7 }}"],
        .environment([
          "Q": "${{ '<\(text)>' }}", "B": "${{ \(text) == \(text) && \(true) }}\(text)",
        ]))
    }
    let values = RunValues(
      run: "r", generation: 1, environment: [:], secrets: { _, _ in "SECRET" },
      step: { _ in nil }, status: .success, hashFiles: { _ in "" })
    let resolved = try workflow.resolved(workflow.steps[0], values)
    #expect(resolved.action == .exec([text, "x\(text)true"]))
    #expect(resolved.environment == ["Q": "<\(text)>", "B": "true\(text)"])
  }

  @Test func `settings that a file computes can be computed in Swift`() throws {
    let workflow = try Workflow(
      "computed", .parameter("limit", default: "2m"), .parameter("n", .number, default: 3),
      .timeout(computed: "${{ params.limit }}"), .grace(computed: "${{ params.n }}s"),
      .maxParallel(computed: "${{ params.n }}"), .failsFast(if: "${{ params.n > 2 }}"),
      .shell(["bash", "-eu", "-c"]), .dotenv(optional: ["no-such.env"])
    ) {
      Step(
        "a", run: "x", .timeout(computed: "${{ params.limit }}"), .grace(computed: "1s"),
        .continuesOnError(if: "${{ params.n == 3 }}"), .shell(["sh", "-c"]),
        .foreach(from: 1, to: "${{ params.n }}", by: 2), .failsFast(if: false),
        .maxParallel(computed: "${{ params.n }}"))
      Step(
        "b", run: "x",
        .matrix(
          ["os": ["linux", "mac"], "size": [1, 2]], include: [["os": "windows", "size": 3]],
          exclude: [["os": "mac", "size": 2]]))
    }
    let text = """
      params: { limit: 2m, n: { type: number, default: 3 } }
      timeout: ${{ params.limit }}
      grace: ${{ params.n }}s
      max-parallel: ${{ params.n }}
      fail-fast: ${{ params.n > 2 }}
      shell: [bash, -eu, -c]
      dotenv: [{ path: no-such.env, required: false }]
      steps:
        - id: a
          run: x
          timeout: ${{ params.limit }}
          grace: 1s
          continue-on-error: ${{ params.n == 3 }}
          shell: [sh, -c]
          foreach: { from: 1, to: "${{ params.n }}", by: 2 }
          fail-fast: false
          max-parallel: ${{ params.n }}
        - id: b
          run: x
          matrix:
            os: [linux, mac]
            size: [1, 2]
            include: [{ os: windows, size: 3 }]
            exclude: [{ os: mac, size: 2 }]
      """
    let file = try Workflow(text: text, file: "computed.yaml")
    #expect(workflow.steps == file.steps && workflow.graph == file.graph)
    #expect(workflow.steps.count == 6 && workflow.maxParallel == 3 && workflow.failsFast)
    #expect([workflow.timeout, workflow.grace] == [file.timeout, file.grace])
    #expect(workflow.shell == file.shell && workflow.shell == .arguments(["bash", "-eu", "-c"]))
  }

  @Test func `a value that has the form of an expression is data in a question`() throws {
    let name = "${{ params.p }}"
    let workflow = try Workflow(
      "w", .parameter("p", default: "x"), with: Arguments(["p": "${{ 1 }}"])
    ) {
      Step("a", approval: "Go \(name)?")
      Step("b", approval: "To ${{ params.p }}?", .mutex("m ${{ params.p }}"))
    }
    let approvals = workflow.steps.map { $0.extrasIfAny?.approval }
    #expect(approvals == ["Go ${{ params.p }}?", "To ${{ 1 }}?"])
  }

  @Test func `a wrong default is reported, and not that the parameter was not given`() {
    let error = #expect(throws: WorkflowError.self) {
      try Workflow("w", .parameter("p", .choice(["a", "b"]), default: "c")) {
        Step("s", exec: ["true", "${{ params.p }}"])
      }
    }
    #expect(error?.diagnostics.map(\.code) == ["R0602"])
  }

  @Test func `named settings may be given in any order`() throws {
    let workflow = try Workflow(
      "w", .parameter("a", default: "x"), .timeout(.seconds(1)),
      .parameter("b", default: .data("a $5 {b}")),
      .secret("s", from: .environment("S")), .environment([:]), .secret("t", from: .file("t"))
    ) {
      Step("x", run: "true")
    }
    #expect(workflow.parameters.map(\.name) == ["a", "b"])
    #expect(workflow.parameters[1].defaultValue == .text("a $5 {b}"))
    #expect(workflow.timeout == .seconds(1))
    #expect(try Workflow(text: workflow.yaml(), file: "w").parameters == workflow.parameters)
  }

  @Test func `a duplicate setting is reported at its line, with the line of the first`() throws {
    let line = #line
    do throws(WorkflowError) {
      _ = try Workflow("broken") {
        Step("a", run: "x", .timeout(.seconds(1)), .timeout(.seconds(2)))
        Step("b", run: "x", .timeout(.seconds(Int64.max)))
        Step("c", run: "x", .timeout(.seconds(-1)))
      }
      Issue.record("was accepted")
    } catch {
      #expect(error.diagnostics.map { $0.line - line } == [3, 4, 5])
      #expect(error.diagnostics[0].message.hasSuffix("the first one is at line \(line + 3)"))
      #expect(error.diagnostics.map(\.code) == ["R0116", "R0208", "R0208"])
    }
  }

  @Test(arguments: ["plain", "team/release", "used.yaml", "../up"])
  func `used files are resolved against the working directory`(_ name: String) throws {
    do throws(WorkflowError) {
      _ = try Workflow(name) { Step("u", uses: "./no-such-folder/used.yaml") }
      Issue.record("was accepted")
    } catch {
      #expect(error.diagnostics[0].file.hasSuffix("DeclarationTests.swift"))
      #expect(error.diagnostics[0].hint == "the file was expected at no-such-folder/used.yaml")
    }
  }

  @Test func `a step cannot call the closure of another step by its number`() throws {
    let work = InProcessWork(Marker())
    #expect(throws: WorkflowError.self) {
      try Workflow("w", actions: ActionCatalog()) {
        Step("a", work: work, [], file: #fileID, line: #line)
        Step("b", call: "#0")
      }
    }
  }

  @Test func `errors are reported at the Swift line that declares the step`() throws {
    let line = #line
    do throws(WorkflowError) {
      _ = try Workflow("broken") {
        Step("build", run: "make")
        Step("deploy", run: "./deploy", .needs("biuld"))
        Step("build", run: "again")
      }
      Issue.record("was accepted")
    } catch {
      let places = error.diagnostics.map { "\($0.file) +\($0.line - line)" }
      #expect(
        places == [
          "WorkflowFilesTests/DeclarationTests.swift +4",
          "WorkflowFilesTests/DeclarationTests.swift +5",
        ])
      #expect(error.diagnostics.map(\.code) == ["R0401", "R0303"])
      #expect(error.diagnostics[0].hint == "did you mean \"build\"?")
      #expect(error.diagnostics[1].message.hasSuffix("at line \(line + 3)"))
      #expect("\(error)".contains("needs: [biuld]"))
    }
  }

  @Test func `a workflow without steps is an error`() {
    #expect(throws: WorkflowError.self) { try Workflow("empty") {} }
  }

  @Test func `a workflow with steps in Swift cannot be written as a file`() throws {
    let work = InProcessWork(Marker())
    let workflow = try Workflow("mixed") {
      Step("a", run: "x")
      Step("b", work: work, [], file: #fileID, line: #line)
    }
    #expect(workflow.steps[1].action == .perform(work))
    #expect(throws: WorkflowExportError.hasStepsInSwift(["b"])) { try workflow.yaml() }
    let read = try Workflow(text: "steps: [{ id: a, run: x }]", file: "w.yaml")
    #expect(throws: WorkflowExportError.wasNotDeclared(file: "w.yaml")) { try read.yaml() }
  }

  @Test func `a file cannot name the closures of a program`() {
    #expect(throws: WorkflowError.self) {
      try Workflow(
        text: "steps: [{ id: a, call: '#0' }]", file: "w.yaml", actions: ActionCatalog())
    }
  }

  private final class Marker: Sendable {}

  @Test func `an interpolated value is data in a group and in patterns, too`() throws {
    let data = "${{ params.target }}"
    func workflow(_ group: Concurrency) throws -> Workflow {
      try Workflow("data", .parameter("target", default: "prod"), .concurrency(group)) {
        Step(
          "a", run: "true", .foreach(files: ["${{ params.target }}/*", "\(data)/*"]),
          .cache(inputs: ["\(data).txt"]))
        Step("b", run: "true", .foreach(files: [data].map { "\($0)" }))
      }
    }
    let written = try workflow(Concurrency(group: "${{ params.target }}-\(data)", policy: .queue))
    #expect(written.concurrency?.group == "prod-" + data)
    let text = try written.yaml()
    #expect(text.contains("${{ '${{ params.target }}' }}/*"), "\(text)")
    #expect(text.contains("${{ '${{ params.target }}' }}.txt"), "\(text)")
  }
}
