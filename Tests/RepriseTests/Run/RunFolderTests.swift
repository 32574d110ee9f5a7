import Foundation
import TestSupport
import Testing

@testable import Reprise

/// The folder of a run, and what expressions know about the machine and the file.
struct RunFolderTests {
  @Test func `steps share the folder of their run, and a resumed run keeps it`() async throws {
    let folder = try TemporaryFolder()
    let workflow = try Workflow(
      text: """
        steps:
          - { id: write, run: 'printf kept > "$REPRISE_RUN_DIR/x"' }
          - id: read
            dir: ${{ run.dir }}
            run: 'cat x; test -e done || { touch done; exit 1; }'
          - { id: tell, exec: [printf, "%s", "${{ run.dir }}"], outputs: { dir: "${{ stdout }}" } }
        """, file: "w.yaml")
    let memory = RecorderTests.Memory()
    var engine = Engine(recorder: memory)
    engine.runFolders = folder.path + "/runs"
    let first = engine.start(workflow)
    _ = try await first.outcome
    var state = RunState()
    for event in memory.events.value { try state.apply(event) }
    let second = try engine.resume(state, with: workflow)
    #expect(try await second.outcome == .succeeded)
    let path = folder.path + "/runs/\(first.id)"
    #expect(second.state["tell"]?.phase == .succeeded(["dir": path]))
    #expect(try String(contentsOfFile: path + "/x", encoding: .utf8) == "kept")
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    #expect(attributes[.posixPermissions] as? Int == 0o700)
  }

  @Test func `without folders of runs, run.dir is an error and the variable is not set`()
    async throws
  {
    let workflow = try Workflow(
      text: """
        steps:
          - { id: a, run: 'test -z "$REPRISE_RUN_DIR"' }
          - { id: b, exec: [ls, "${{ run.dir }}"] }
        """, file: "w.yaml")
    let run = Engine().start(workflow)
    _ = try await run.outcome
    #expect(run.state["a"]?.phase == .succeeded([:]))
    guard case .failed(.badValue(let reason))? = run.state["b"]?.phase else {
      Issue.record("\(String(describing: run.state["b"]))")
      return
    }
    #expect(reason.contains("keeps no folder") && reason.contains("runFolders"))
  }

  @Test func `a folder that cannot be created fails the steps that use it`() async throws {
    let folder = try TemporaryFolder()
    _ = FileManager.default.createFile(atPath: folder.path + "/file", contents: nil)
    var engine = Engine()
    engine.runFolders = folder.path + "/file"
    let workflow = try Workflow(
      text: "steps: [{ id: a, run: ls }, { id: b, exec: [ls, \"${{ run.dir }}\"] }]",
      file: "w.yaml")
    let run = engine.start(workflow)
    _ = try await run.outcome
    #expect(run.state["a"]?.phase == .succeeded([:]))
    guard case .failed(.badValue(let reason))? = run.state["b"]?.phase else {
      Issue.record("\(String(describing: run.state["b"]))")
      return
    }
    #expect(reason.contains("cannot be created"))
  }

  @Test func `the machine and the folder of the file are known before the run`() async throws {
    let folder = try TemporaryFolder()
    try folder.write(
      "parts/used.yaml",
      Array("steps: [{ id: c, exec: [test, -f, \"${{ workflow.dir }}/used.yaml\"] }]".utf8))
    let text = """
      steps:
        - id: a
          foreach: ${{ split(machine.os, ',') }}
          max-parallel: ${{ machine.cpus }}
          env: { WHAT: "${{ format('{0} {1}', machine.os, machine.arch) }}" }
          run: |
            system=$(uname -s | tr A-Z a-z | sed s/darwin/macos/)
            test "$WHAT" = "$system $(uname -m | sed s/aarch64/arm64/)"
        - { id: b, if: machine.cpus < 1, run: exit 1 }
        - { id: here, exec: [test, -f, "${{ workflow.dir }}/w.yaml"] }
        - { id: used, uses: ./parts/used.yaml }
      """
    try folder.write("w.yaml", Array(text.utf8))
    let workflow = try Workflow(contentsOf: folder.path + "/w.yaml")
    let run = Engine().start(workflow)
    #expect(try await run.outcome == .succeeded)
    #expect(workflow.steps.first?.id == "a[0]")
  }
}
