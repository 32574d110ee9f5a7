import Foundation
import TestSupport
import Testing

@testable import Reprise

/// Scripts whose first line names their interpreter.
struct InterpreterTests {
  @Test(
    arguments: [
      ("#!/bin/sh\nls", ["/bin/sh"]), ("#! /bin/awk  -f \r\nx", ["/bin/awk", "-f"]),
      ("#!\nls", nil), ("# !/bin/sh\nls", nil), ("ls", nil), ("", nil),
      ("#!/bin/cat", ["/bin/cat"]),
    ] as [(String, [String]?)])
  func `the first line is split into words`(_ script: String, _ words: [String]?) {
    #expect(Interpreter.words(of: script) == words)
  }

  @Test func `the interpreter gets the script as a private file, which is removed`() async throws {
    let folder = try TemporaryFolder()
    let workflow = try Workflow(
      text: """
        steps:
          - id: awk
            run: |
              #!/usr/bin/awk -f
              BEGIN { print "by awk" }
            outputs: { said: "${{ stdout }}" }
          - id: file
            run: |
              #!/bin/sh -eu
              stat -c %a "$0"
            outputs: { said: "${{ stdout }}" }
          - id: shell
            shell: sh
            run: "#!/usr/bin/awk -f\\necho by sh"
            outputs: { said: "${{ stdout }}" }
        """, file: "w.yaml")
    var environment = ProcessInfo.processInfo.environment
    environment["TMPDIR"] = folder.path
    let run = Engine(executor: LocalExecutor(environment: environment)).start(workflow)
    #expect(try await run.outcome == .succeeded)
    #expect(run.state["awk"]?.phase == .succeeded(["said": "by awk"]))
    #expect(run.state["file"]?.phase == .succeeded(["said": "600"]))
    #expect(run.state["shell"]?.phase == .succeeded(["said": "by sh"]))
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
  }

  @Test func `only a shell of the step itself takes precedence`() async throws {
    let script =
      ##"run: "#!/usr/bin/awk -f\nBEGIN { print \"by awk\" }\n", outputs: { said: "${{ stdout }}" }"##
    let workflow = try Workflow(
      bytes: Array(
        """
        shell: bash
        steps:
          - { id: u, uses: ./u.yaml }
          - { shell: sh, steps: [{ id: group, \(script) }] }
          - { foreach: [1], id: g, steps: [{ id: a, \(script) }] }
        """.utf8), file: "w.yaml",
      sources: .kept(["u.yaml": "shell: bash\nsteps: [{ id: a, \(script) }]"]))
    let run = Engine().start(workflow)
    #expect(try await run.outcome == .succeeded)
    for step in run.state.steps { #expect(step.phase == .succeeded(["said": "by awk"])) }
  }

  @Test func `a missing interpreter is named, with a hint`() async throws {
    let workflow = try Workflow(
      text: "steps: [{ id: a, run: \"#!/usr/bin/pyton3\\nprint()\" }]", file: "w.yaml")
    let run = Engine().start(workflow)
    _ = try await run.outcome
    guard case .failed(.notStarted(let reason))? = run.state["a"]?.phase else {
      Issue.record("\(String(describing: run.state["a"]))")
      return
    }
    #expect(reason.contains("pyton3") && reason.contains("first line of the script"))
  }
}
