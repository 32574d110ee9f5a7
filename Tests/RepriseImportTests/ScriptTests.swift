import RepriseImport
import Testing

struct ScriptTests {
  private func expect(_ workflow: ImportedWorkflow, contains parts: [String]) {
    for part in parts { #expect(workflow.text.contains(part), "\(part)\n\(workflow.text)") }
  }

  @Test func `the first recipe of a justfile is the steps, and the others are workflows`() throws {
    let workflow = try imported(
      """
      version := "1" + ".2"
      # Build it
      build mode="debug": (fetch "a") && done
        cc -o {{mode}} '{{version}}'
        -rm x
      fetch what:
        get {{what}}
      done:
        cd x && echo {{if os() == "linux" { "yes" } else { "no" }}}
      [confirm("Sure?")]
      clean:
        rm -rf out
      """, from: .just, path: "justfile")
    expect(
      workflow,
      contains: [
        "description: Build it", "mode: debug", "cc -o ${mode} '1.2'", "rm x || true", "run: get a",
        "(cd x && echo yes)", "approval: Sure?", "shell: [sh, -e, -u, -c]",
      ])
    let parts = workflow.text.split(separator: "\nworkflows:")
    #expect(!parts[0].contains("out"), "\(workflow.text)")
    #expect(workflow.verdict == .full, "\(workflow.remarks)")
  }

  @Test(arguments: [
    "a:\n  rm {{x}}\n", "a:\n  rm {{uuid()}}\n", "set unknown\na:\n  rm x\n",
    "[no-cd]\na:\n  rm x\n", "import 'b.just'\na:\n  rm x\n", "a: b\n  rm x\n",
    "set shell := [\"nu\", \"-c\"]\na:\n  rm x\n",
  ])
  func `a recipe without an equivalent fails with its line`(_ text: String) throws {
    let workflow = try imported(text, from: .just, path: "justfile")
    #expect(workflow.verdict == .inPart, "\(workflow.text)")
    #expect(workflow.text.contains("not imported: line "), "\(workflow.text)")
  }

  @Test func `processes that others need while they run are services`() throws {
    let workflow = try imported(
      """
      version: "0.5"
      processes:
        db: { command: ./db, readiness_probe: { http_get: { port: 80, path: /ok } } }
        migrate: { command: ./m, depends_on: { db: { condition: process_healthy } } }
        off: { command: ./o, disabled: true }
      """, from: .processCompose, path: "process-compose.yaml")
    expect(
      workflow,
      contains: ["service: ./db", "http: http://127.0.0.1:80/ok", "db: success", "until: stopped"])
    #expect(!workflow.text.contains("./o"))
    #expect(workflow.verdict == .withNotes, "\(workflow.remarks)")
    let part = try imported(
      "processes: { a: { command: rm x, availability: { restart: always } } }",
      from: .processCompose, path: "p.yaml")
    #expect(part.verdict == .inPart && !part.text.contains("run: rm x"), "\(part.text)")
  }

  @Test func `a process has its terminal and its check of life`() throws {
    let workflow = try imported(
      """
      processes:
        web:
          command: ./web
          is_tty: true
          environment: [A=1]
          liveness_probe: { exec: { command: ./ok }, period_seconds: 5, failure_threshold: 2 }
        user: { command: ./u, depends_on: { web: { condition: process_started } } }
      """, from: .processCompose, path: "p.yaml")
    expect(workflow, contains: ["tty: true", "A: \"1\"", "alive:", "every: 5s", "failures: 2"])
    #expect(workflow.verdict == .full, "\(workflow.remarks)")
  }

  @Test(arguments: [
    "environment: ['B=${A}']\nprocesses: { a: { command: rm x } }",
    "processes: { a: { command: rm x, environment: [1B=x] } }",
    "processes: { a: { command: rm x, environment: { B: x } } }",
    "processes: { a: { command: rm x, depends_on: { b: {} }, working_dir: c } }",
  ])
  func `a process without an equivalent fails`(_ text: String) throws {
    let workflow = try imported(text, from: .processCompose, path: "p.yaml")
    #expect(workflow.verdict == .inPart && !workflow.text.contains("rm x"), "\(workflow.text)")
  }

  @Test func `scripts of a package are workflows with those before them`() throws {
    let workflow = try imported(
      #"{ "scripts": { "prebuild": "a", "build": "b && c", "v": "echo $npm_package_name" } }"#,
      from: .package, path: "package.json")
    expect(
      workflow, contains: ["  build:", "- id: prebuild", "b && c", "node_modules/.bin", "exit 1"])
    #expect(!workflow.text.contains("\nsteps:"))
    #expect(workflow.verdict == .inPart)
  }
}
