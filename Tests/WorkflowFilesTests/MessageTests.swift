// Tests of the error messages of all broken files in the other tests.

import Foundation
import Testing
import WorkflowFiles

/// The messages and hints of all broken files are those in `Messages.txt`.
///
/// `make errors` regenerates the file.
struct MessageTests {
  private static let file = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().appendingPathComponent("Messages.txt")

  private static let rows =
    DiagnosticTests.brokenFiles + BrokenConditionTests.brokenFiles
    + BrokenExpressionTests.brokenFiles
    + BrokenGroupTests.brokenFiles + BrokenPlaceTests.brokenFiles + BrokenStepTests.brokenFiles
    + BrokenTriggerTests.brokenFiles + BrokenValueTests.brokenFiles + BrokenKeepTests.brokenFiles
    + BrokenWorkflowTests.brokenFiles
    + BrokenYAMLTests.brokenFiles

  @Test func `error messages match the snapshot`() throws {
    var messages: Set<String> = []
    for row in Self.rows {
      do {
        _ = try Workflow(text: row.text, file: "w.yaml", with: Arguments(allowsMissing: true))
      } catch {
        for found in error.diagnostics {
          messages.insert("\(found.code) \(found.message)" + (found.hint.map { " | \($0)" } ?? ""))
        }
      }
    }
    let text = messages.sorted().map { $0 + "\n" }.joined()
    if ProcessInfo.processInfo.environment["REPRISE_WRITE_ERRORS"] == "1" {
      try text.write(to: Self.file, atomically: true, encoding: .utf8)
    }
    let known = try String(contentsOf: Self.file, encoding: .utf8).split(separator: "\n")
    let changes = text.split(separator: "\n").difference(from: known)
    #expect(changes.isEmpty, "messages have changed: run make errors if that is intended")
  }
}
