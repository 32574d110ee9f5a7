import Testing
import WorkflowFiles

/// Files with errors in `keep`.
struct BrokenKeepTests {
  typealias BrokenFile = DiagnosticTests.BrokenFile

  private static func keep(_ text: String, _ found: [String], hint: String = "") -> BrokenFile {
    BrokenFile("steps: [{id: a, run: x}]\nkeep: \(text)\n", found, hint: hint)
  }

  static let brokenFiles = [
    keep("20", ["2:7 R0202"], hint: "write it like: { runs: 20, age: 30d, bytes: 1g }"),
    keep("{run: 20}", ["2:8 R0201"], hint: "did you mean \"runs\"?"),
    keep("{runs: 0}", ["2:14 R0210"]),
    keep("{runs: many}", ["2:14 R0210"]),
    keep("{age: month}", ["2:13 R0208"], hint: "write it like 500ms"),
    keep("{bytes: lots}", ["2:15 R0220"], hint: "write it like 500k, 64m or 1g"),
    keep("{bytes: 1gb, log: 64}", ["2:15 R0220", "2:25 R0220"]),
    keep("{bytes: -1}", ["2:15 R0220"]),
    keep("{bytes: [1]}", ["2:15 R0204"]),
  ]

  @Test(arguments: brokenFiles) func `an error in keep is reported at its position`(
    _ file: BrokenFile
  ) {
    file.expectReported()
  }

  @Test(
    arguments: [
      ("1", 1), ("500k", 512_000), ("64m", 64 << 20), ("1.5G", 3 << 29), ("2t", 2 << 40),
      ("0", 0), ("0k", 0),
      ("0.1", nil), ("k", nil), ("", nil), ("1kb", nil), ("-1k", nil), ("1e3", nil), ("1.2.3", nil),
      ("99999999999t", nil),
    ] as [(String, Int64?)])
  func `a size is a number with a unit`(_ text: String, _ size: Int64?) {
    #expect(bytes(inWorkflowText: text) == size)
  }

  @Test func `limits are read from a file`() throws {
    let workflow = try Workflow(
      text: "keep: {runs: 20, age: 30d, bytes: 1g, log: 16m}\nsteps: [{id: a, run: x}]\n", file: "w"
    )
    #expect(
      workflow.keep
        == Retention(runs: 20, age: .seconds(2_592_000), bytes: 1 << 30, logBytes: 16 << 20))
    #expect(try Workflow(text: "steps: [{id: a, run: x}]\n", file: "w").keep == nil)
  }
}
