import RepriseImport
import Testing

struct TaskfileTests {
  private func tasks(_ text: String, files: [String: String] = [:]) throws -> ImportedWorkflow {
    try imported("version: '3'\n" + text, from: .taskfile, path: "Taskfile.yml", files: files)
  }

  private func expect(_ workflow: ImportedWorkflow, contains parts: [String]) {
    for part in parts { #expect(workflow.text.contains(part), "\(part)\n\(workflow.text)") }
  }

  @Test func `the default task is the steps, and other tasks run only by name`() throws {
    let workflow = try tasks(
      """
      vars: { BIN: app, REV: { sh: git rev-parse HEAD } }
      dotenv: [.env]
      tasks:
        default: { deps: [lint], cmds: [task: build] }
        build:
          desc: Build it
          sources: ["src/**"]
          generates: [app]
          cmds: ["cc -o {{.BIN}} -DREV={{.REV}} main.c"]
        lint: golint {{.CLI_ARGS}}
        clean: { cmds: [{ cmd: "rm {{.BIN}}", ignore_error: true }], prompt: Sure? }
      """)
    let parts = workflow.text.split(separator: "\nworkflows:")
    try #require(parts.count == 2)
    expect(
      workflow,
      contains: [
        "uses: \"#lint\"", "uses: \"#build\"", "BIN: ${{ params.BIN }}",
        "REV=\"$(git rev-parse HEAD)\"", "cc -o ${BIN} -DREV=${REV} main.c", "inputs: [src/**]",
        "makes: [app]", "golint ${CLI_ARGS}", "approval: Sure?", "rm ${BIN} || true",
        "required: false", "description: Build it",
      ])
    #expect(!parts[0].contains("rm"), "\(workflow.text)")
    #expect(workflow.remarks.map(\.line) == [2, 3, 10], "\(workflow.remarks)")
    #expect(workflow.verdict == .withNotes, "\(workflow.remarks)")
  }

  @Test func `the commands of variables run in the order in which these are set`() throws {
    let workflow = try tasks(
      "vars: { C: { sh: c } }\n"
        + "tasks: { t: { vars: { A: { sh: a }, B: { sh: b } }, cmd: 'x {{.B}} {{.A}} {{.C}}' } }")
    let lines = workflow.text.split(separator: "\n").map { $0.trimmingPrefix { $0 == " " } }
    #expect(lines.filter { $0.contains("=\"$(") } == ["C=\"$(c)\"", "A=\"$(a)\"", "B=\"$(b)\""])
  }

  @Test func `a variable that hides another one is not mixed up with it`() throws {
    let workflow = try tasks(
      "vars: { X: { sh: a }, Y: '{{.X}}-y' }\n"
        + "tasks: { t: { vars: { X: { sh: b } }, cmd: 'rm {{.Y}} {{.X}}' } }")
    #expect(workflow.verdict == .inPart, "\(workflow.text)")
    expect(workflow, contains: ["not imported: line 3: X has different values in this task"])
  }

  @Test func `arguments that decide about a text are remarked`() throws {
    let workflow = try tasks("tasks: { t: './x {{default \"dev\" .CLI_ARGS}}' }")
    expect(workflow, contains: ["run: ./x dev"])
    #expect(workflow.remarks.map(\.text) == ["t: CLI_ARGS is empty, as without arguments"])
  }

  @Test func `the command of a variable that no task uses is remarked`() throws {
    let workflow = try tasks("vars: { V: { sh: ls } }\ntasks: { t: { aliases: [u], cmd: ./x } }")
    #expect(workflow.remarks.map(\.line) == [2])
    #expect(workflow.remarks.first?.text.hasPrefix("V: its command runs in each step") == true)
    expect(workflow, contains: ["  t:\n    aliases: [u]\n"])
  }

  @Test(arguments: [
    "vars: { A: x, B: { sh: 'ls \"$A\"' } }\ntasks: { t: 'rm {{.B}}' }",
    "tasks: { t: { vars: { A: x, B: { sh: 'ls ${A%.*}' } }, cmd: 'rm {{.A}} {{.B}}' } }",
    "tasks: { t: { vars: { B: { sh: ls $TASK } }, cmd: 'rm {{.B}}' } }",
  ])
  func `a command of a variable does not see others in its environment`(_ text: String) throws {
    let workflow = try tasks(text)
    #expect(workflow.verdict == .inPart, "\(workflow.text)")
    #expect(workflow.remarks.contains { $0.text.contains(" in the command of B") })
  }

  @Test func `a condition decides about its command`() throws {
    let workflow = try tasks(
      "tasks: { default: { cmds: [{ cmd: ./x, if: 'false' }, { task: b, if: test -f y }] }, b: ./b }"
    )
    expect(
      workflow,
      contains: ["if ( false ); then\n      ./x", "if ( test -f y ); then echo run=yes"])
    #expect(workflow.text.contains("if: (steps.default-if.outputs.run || '') == 'yes'"))
  }

  @Test func `variables of a call are parameters, or decide in a workflow of their own`() throws {
    let workflow = try tasks(
      """
      tasks:
        default:
          cmds:
            - { task: say, vars: { WHO: you } }
            - { task: go, vars: { WHERE: out } }
        say: echo {{.WHO}}
        go: { dir: "{{.WHERE}}", cmds: [ls] }
      """, files: ["out/x": ""])
    expect(workflow, contains: ["WHO: you", "echo ${WHO}", "dir: out", "go-with-where"])
  }

  @Test(arguments: [
    "{ default: 'rm {{.A | upper}}' }", "{ default: { failfast: true, cmds: [rm x] } }",
    "{ default: { cmds: [{ cmd: rm x, timeout: 3s }] } }", "{ default: 'rm {{uuid}}' }",
    "{ default: { cmds: [{ for: sources, cmd: rm x }] } }", "{ default: { cmds: [task: rm] } }",
    "{ default: { cmds: ['rm x &'] } }", "{ default: { env: { A: { sh: rm } }, cmds: [rm x] } }",
  ])
  func `a part without an equivalent fails with its line`(_ tasks: String) throws {
    let workflow = try self.tasks("tasks: \(tasks)")
    #expect(workflow.verdict == .inPart, "\(workflow.text)")
    #expect(workflow.text.contains("# missing: "), "\(workflow.text)")
    #expect(workflow.text.contains("not imported: line 2: "), "\(workflow.text)")
  }

  @Test func `included Taskfiles become tasks with their names before`() throws {
    let workflow = try tasks(
      """
      includes:
        docs: ./documentation
        lib: { taskfile: lib/Tasks.yml, dir: lib, flatten: true }
        none: { taskfile: none.yml, optional: true }
      tasks:
        all: { deps: [docs:build, compile], cmds: [echo done] }
        clean: rm -rf out
      """,
      files: [
        "documentation/Taskfile.yml":
          "vars: { OUT: pages }\ntasks: { build: { deps: [prepare, ':clean'], cmds: ['./docs {{.OUT}}'] }, prepare: mkdir x }",
        "lib/Tasks.yml": "tasks: { compile: { cmds: [make], dir: src } }", "lib/src/x": "",
      ])
    expect(
      workflow,
      contains: ["uses: \"#docs-build\"", "uses: \"#clean\"", "./docs ${OUT}", "dir: lib/src"])
    #expect(workflow.verdict == .full, "\(workflow.remarks)")
  }

  @Test func `an include that is not there is missing, and one of itself ends`() throws {
    let workflow = try tasks(
      "includes: { a: a.yml, b: Taskfile.yml }\ntasks: { x: make }",
      files: ["Taskfile.yml": "includes: { b: Taskfile.yml }\ntasks: { x: make }"])
    #expect(workflow.remarks.contains { $0.text.contains("there is no a.yml") })
    #expect(workflow.verdict == .inPart)
  }

  @Test func `each included file has its own variables`() throws {
    let workflow = try tasks(
      """
      vars: { X: root }
      includes: { a: { taskfile: l.yml, vars: { Y: one } }, b: { taskfile: l.yml, vars: { Y: two } } }
      tasks: { all: { cmds: [{ task: a:t }, { task: b:t }] } }
      """, files: ["l.yml": "vars: { X: lib }\ntasks: { t: 'echo {{.X}} {{.Y}}' }"])
    expect(workflow, contains: ["run: echo lib one", "run: echo lib two"])
    #expect(workflow.verdict == .full, "\(workflow.remarks)")
  }

  @Test(arguments: [
    ("vars: { A: 1.50, B: 010, C: 1e3 }", "'./x {{.A}} {{.B}} {{.C}}'", "./x 1.5 8 1000"),
    ("", "[{ for: [p, q], cmd: ./x, if: 'test {{.ITEM}} = q' }]", "test q = q"),
    ("", "[{ cmd: './x; false; ./y', ignore_error: true }]", "set +e\n      (set -e"),
    ("", "[{ for: [p], task: t, vars: { F: '{{.ITEM}}' } }]\n  t: ./t {{.F}}", "F: p"),
  ])
  func `what go-task computes is computed`(_ vars: String, _ task: String, _ part: String) throws {
    let workflow = try tasks("\(vars)\ntasks:\n  default: \(task)")
    let text = workflow.text.replacing("${A}", with: "1.5").replacing("${B}", with: "8")
      .replacing("${C}", with: "1000")
    #expect(text.contains(part), "\(workflow.text)")
    #expect(workflow.verdict != .inPart, "\(workflow.remarks)")
  }

  @Test(arguments: [
    "vars: { A: '{{.B}}', B: x }\ntasks: { t: 'rm {{.A}}' }",
    "dotenv: [.env]\nenv: { A: x }\ntasks: { t: 'rm $A' }", "dotenv: [.b]\ntasks: { t: 'rm $A' }",
    "tasks: { t: { cmds: [{ task: u, ignore_error: true }] }, u: { preconditions: [ls], cmds: [rm] } }",
    "vars: { V: { sh: ls } }\ntasks: { t: { cmds: [{ cmd: rm, if: 'true; test {{.V}}' }] } }",
  ])
  func `a value that differs here lets the task fail`(_ text: String) throws {
    let workflow = try tasks(text, files: [".env": "A=1\n", ".b": "A=\"x$B\"\n"])
    #expect(workflow.verdict == .inPart, "\(workflow.text)")
    #expect(workflow.text.contains("# missing: "), "\(workflow.text)")
  }

  @Test(arguments: [
    "vars: { V: { sh: ls } }\ntasks: { t: './x {{.V}}' }", "dotenv: [.c]\ntasks: { t: ./x }",
    "tasks: { t: { requires: { vars: [X] }, cmds: ['./x {{.X}}'] } }",
    "tasks: { t: './x {{.X | default \"y\"}}' }", "tasks: { t: '{{if .X}}./x{{end}}' }",
  ])
  func `what runs at another time has a note`(_ text: String) throws {
    let workflow = try tasks(text)
    #expect(workflow.verdict == .withNotes, "\(workflow.remarks)")
    #expect(workflow.remarks.allSatisfy { $0.line > 0 }, "\(workflow.remarks)")
  }

  @Test(arguments: [
    "env: { A: { sh: rm } }\ntasks: { t: rm x }", "dotenv: [.b]\ntasks: { t: rm x }",
    "new_key: x\ntasks: { t: rm x }", "includes: { l: l.yml }\ntasks: { t: rm x }",
    "tasks: { t: { run: once, cmds: [rm x] }, a: { deps: [t] }, b: { deps: [t] } }",
  ])
  func `nothing runs before a setting that is missing`(_ text: String) throws {
    let workflow = try tasks(
      text, files: [".b": "A=$B\n", "l.yml": "set: [pipefail]\ntasks: { u: rm y }"])
    let first = try #require(workflow.text.firstRange(of: "exit 1"))
    let command = try #require(workflow.text.ranges(of: "rm x").last)
    #expect(first.lowerBound < command.lowerBound, "\(workflow.text)")
    #expect(workflow.verdict == .inPart, "\(workflow.remarks)")
  }

  @Test func `a task that runs once is the same if it is called once`() throws {
    let workflow = try tasks("tasks: { t: { run: once, cmds: [./t] }, a: { deps: [t] } }")
    #expect(workflow.verdict == .full, "\(workflow.remarks)")
  }

  @Test func `a variable that is not set must be given`() throws {
    let workflow = try tasks("tasks: { a: [{ task: b }], b: 'rm {{.OUT}}/*', c: ls }\n")
    #expect(workflow.text.ranges(of: "OUT:\n        type: string").count == 2, "\(workflow.text)")
    expect(workflow, contains: ["rm ${OUT}/*", "OUT: ${{ params.OUT }}"])
    #expect(workflow.verdict == .withNotes, "\(workflow.remarks)")
  }

  @Test(arguments: [
    "tasks: { a: 'rm {{if .OUT}}x{{end}} {{.OUT}}/*' }", "tasks: { a: 'rm {{.OUT | upper}}/*' }",
    "dotenv: [.env]\ntasks: { a: 'rm {{.OUT}}/*' }", "tasks: { a: 'rm {{.UID}}/*' }",
  ])
  func `a variable that could be set elsewhere lets the task fail`(_ text: String) throws {
    let workflow = try tasks(text + "\n")
    #expect(workflow.verdict == .inPart, "\(workflow.text)")
  }
}
