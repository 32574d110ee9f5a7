import RepriseImport
import Testing

struct OtherToolTests {
  private func expect(_ workflow: ImportedWorkflow, contains parts: [String]) {
    for part in parts { #expect(workflow.text.contains(part), "\(workflow.text)") }
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

  @Test func `approvals, conditions and rounds of dagu are those of a step`() throws {
    let workflow = try imported(
      """
      env: [X: 1, Y: "${X}2"]
      params: "deploy"
      preconditions: { condition: "${X}", expected: "1" }
      defaults: { retry_policy: { limit: 2, interval_sec: 3, backoff: false } }
      steps:
        - { id: a, run: echo $1, approval: { prompt: Right?, input: [WHY], required: [WHY] } }
        - { id: b, run: ./b, preconditions: test -f x, repeat_policy: { repeat: while, exit_code: [1] } }
        - [{ id: c, run: ./c }, { id: d, run: ./d }]
        - { id: e, command: python3 -u, script: print(1) }
      """, from: .dagu, path: "w.yaml")
    expect(
      workflow,
      contains: [
        "\"Y\": \"12\"", "echo ${p1}", "after: true", "if-skipped: skip", "while: status == 1",
        "limit: 2", "delay: 3s", "grep -Fxq 1", "#!/usr/bin/env -S python3 -u",
        "  - parallel:\n      - id: c",
      ])
    #expect(!workflow.text.contains("backoff"))
    #expect(workflow.verdict == .withNotes, "\(workflow.remarks)")
  }

  @Test func `further documents of dagu are workflows`() throws {
    let workflow = try imported(
      "steps: [{ id: a, call: child, params: 'N=1' }]\n---\nname: child\nparams: [{ name: N }]\nsteps: [{ id: b, run: echo $N }]\n",
      from: .dagu, path: "w.yaml")
    expect(workflow, contains: ["uses: \"#child\"", "\"N\": \"1\"", "workflows:\n  child:"])
    #expect(workflow.verdict == .full, "\(workflow.remarks)")
  }

  @Test(arguments: [
    "steps: [{ id: a, run: rm x, parallel: [1] }]", "steps: [{ id: a, run: 'rm ${C.host}' }]",
    "steps: [{ id: a, run: rm x, repeat_policy: { repeat: true, limit: 3 } }]",
    "steps: [{ id: a, run: rm x, new_key: 1 }]", "new_key: 1\nsteps: [{ id: a, run: rm x }]",
    "env: [A: '`id`']\nsteps: [{ id: a, run: rm x }]",
    "steps: [{ id: a, run: rm x, continue_on: { exit_code: [3] } }]",
  ])
  func `what dagu does and Reprise does not fails with its line`(_ text: String) throws {
    let workflow = try imported(text, from: .dagu, path: "w.yaml")
    #expect(workflow.verdict == .inPart, "\(workflow.text)")
    #expect(workflow.text.contains("not imported: line "), "\(workflow.text)")
    #expect(workflow.text.contains("# missing: "), "\(workflow.text)")
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
}
