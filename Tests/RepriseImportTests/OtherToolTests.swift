import RepriseImport
import Testing

struct OtherToolTests {
  private func expect(_ workflow: ImportedWorkflow, contains parts: [String]) {
    for part in parts { #expect(workflow.text.contains(part), "\(workflow.text)") }
  }

  @Test func `tasks become steps that need the tasks they call`() throws {
    let workflow = try imported(
      """
      version: '3'
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
      """, from: .taskfile, path: "Taskfile.yml")
    expect(
      workflow,
      contains: [
        "needs: [lint, build]", "BIN: ${{ params.BIN }}", "export REV=\"$(git rev-parse HEAD)\"",
        "cc -o ${BIN} -DREV=${REV} main.c", "inputs: [src/**]", "makes: [app]",
        "CLI_ARGS: ${{ join(args, ' ') }}", "approval: Sure?", "{ rm ${BIN}; } || true",
        "required: false", "# Build it",
      ])
    #expect(workflow.verdict == .withNotes)
  }

  @Test func `what a Taskfile computes with functions is missing`() throws {
    let workflow = try imported(
      "version: '3'\ntasks: { a: 'echo {{.A | upper}}', b: { cmds: [{ for: [x, y], cmd: 'echo {{.ITEM}}' }] } }",
      from: .taskfile, path: "Taskfile.yml")
    #expect(workflow.verdict == .inPart)
    expect(workflow, contains: ["complete this step", "for ITEM in 'x' 'y'; do"])
  }

  @Test func `a file of dagu keeps its order, outputs and handlers`() throws {
    let workflow = try imported(
      """
      params: "NAME=world"
      schedule: "0 5 * * *"
      max_active_steps: 2
      steps:
        - name: hello
          command: echo hello ${NAME}
          output: GREETING
        - name: tell
          run: echo "$GREETING"
          retry_policy: { limit: 3, interval_sec: 5 }
          continue_on: { failure: true }
      handler_on: { failure: { command: echo failed } }
      """, from: .dagu, path: "hello.yaml")
    expect(
      workflow,
      contains: [
        "NAME: ${{ params.NAME }}", "GREETING: ${{ stdout }}",
        "GREETING: ${{ steps.hello.outputs.GREETING }}", "limit: 3", "delay: 5s",
        "continue-on-error: true", "cron: ", "max-parallel: 2", "finally:", "on-failure",
      ])
    #expect(workflow.verdict == .withNotes)
  }

  @Test func `dependencies of dagu become needs, and actions are missing`() throws {
    let workflow = try imported(
      """
      type: graph
      steps:
        - { id: a, run: make a }
        - { id: b, depends: [a], run: make b }
        - { id: c, action: http.request, with: { url: "https://example.org" } }
      """, from: .dagu, path: "w.yaml")
    expect(workflow, contains: ["needs: [a]", "needs: []", "replace this step"])
    #expect(workflow.verdict == .inPart)
  }

  @Test(arguments: [
    (".github/workflows/ci.yml", "jobs: { a: { steps: [] } }", ImportFormat.github),
    ("Taskfile.dist.yaml", "version: '3'", .taskfile), ("tasks.yaml", "tasks: { a: x }", .taskfile),
    ("Makefile", "a:\n\tb", .make), ("rules.mk", "", .make), ("w.yaml", "steps: [a]", .dagu),
  ])
  func `a file is recognized`(_ path: String, _ text: String, _ format: ImportFormat) {
    #expect(ImportFormat(path: path, bytes: Array(text.utf8)) == format)
  }

  @Test(arguments: ["notes.txt", "w.yaml", "w.json"])
  func `other files are not recognized`(_ path: String) {
    #expect(ImportFormat(path: path, bytes: Array("a: 1".utf8)) == nil)
  }

  @Test func `included Taskfiles become tasks with their names before`() throws {
    let workflow = try imported(
      """
      includes:
        docs: ./documentation
        lib: { taskfile: lib/Tasks.yml, dir: lib, flatten: true }
        none: { taskfile: none.yml, optional: true }
      tasks:
        all: { deps: [docs:build, compile], cmds: [echo done] }
        clean: rm -rf out
      """, from: .taskfile, path: "Taskfile.yml",
      files: [
        "documentation/Taskfile.yml":
          "vars: { OUT: pages }\ntasks: { build: { deps: [prepare, ':clean'], cmds: ['./docs {{.OUT}}'] }, prepare: mkdir x }",
        "lib/Tasks.yml": "tasks: { compile: { cmds: [make], dir: src } }",
      ])
    for part in [
      "needs: [docs-build, compile]", "needs: [docs-prepare, clean]", "run: ./docs ${OUT}",
      "OUT: pages", "dir: lib/src",
    ] { #expect(workflow.text.contains(part), "\(workflow.text)") }
    #expect(workflow.verdict == .withNotes, "\(workflow.remarks)")
  }

  @Test func `an include that is not there is missing, and one of itself ends`() throws {
    let workflow = try imported(
      "includes: { a: a.yml, b: Taskfile.yml }\ntasks: { x: make }", from: .taskfile,
      path: "Taskfile.yml",
      files: ["Taskfile.yml": "includes: { b: Taskfile.yml }\ntasks: { x: make }"])
    #expect(workflow.remarks.contains { $0.text.contains("there is no a.yml") })
    #expect(workflow.verdict == .inPart)
  }
}
