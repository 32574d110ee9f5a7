import Testing
import WorkflowFiles

/// The key `on-end`, and files with errors in it.
struct BrokenOnEndTests {
  typealias BrokenFile = DiagnosticTests.BrokenFile

  private static func onEnd(_ text: String, _ found: [String], hint: String = "") -> BrokenFile {
    BrokenFile("steps: [{id: a, run: x}]\non-end: \(text)\n", found, hint: hint)
  }

  static let brokenFiles = [
    onEnd("''", ["2:9 R0205"]),
    onEnd("[]", ["2:9 R0215"], hint: "write it like: [notify-send, done]"),
    onEnd("['', x]", ["2:10 R0215"]),
    onEnd("[notify-send, [x]]", ["2:23 R0204"]),
    onEnd("{run: x}", ["2:9 R0204"]),
    onEnd("notify ${{ workflow.name }}", ["2:9 R0206"]),
    onEnd("[notify, '${{ workflow.name }}']", ["2:18 R0206"]),
  ]

  @Test(arguments: brokenFiles) func `an error in on-end is reported at its position`(
    _ file: BrokenFile
  ) {
    file.expectReported()
  }

  @Test func `the command is a script or a program, and a part of the workflow keeps it`() throws {
    func command(_ text: String) throws -> EndCommand? {
      try Workflow(text: text + "steps: [{id: a, run: x}, {id: b, run: x}]\n", file: "w").onEnd
    }
    #expect(try command("") == nil)
    #expect(try command("on-end: notify done\n") == .script("notify done"))
    #expect(try command("on-end: [notify, a b]\n") == .program(["notify", "a b"]))
    let workflow = try Workflow(
      text: "on-end: x\nsteps: [{id: a, run: x}, {id: b, run: x}]\n", file: "w")
    #expect(try workflow.selecting(only: ["b"]).onEnd == .script("x"))
  }

  @Test func `a used file with the key is warned about`() throws {
    let workflow = try Workflow(
      bytes: Array("steps: [{id: b, uses: ./sub.yaml}]\n".utf8), file: "a.yaml",
      sources: SourceFiles.kept(["sub.yaml": "on-end: x\nsteps: [{id: c, run: x}]\n"]))
    #expect(workflow.onEnd == nil)
    #expect(workflow.warnings.map(\.code) == ["R0908"])
  }
}
