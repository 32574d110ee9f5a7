// Tests of the pages in Documentation/errors. `make errors` updates what Reprise reports on them.

import Foundation
import TestSupport
import Testing

@testable import WorkflowFiles

/// Each error code has a page with an example that causes this error and no other.
struct ErrorPageTests {
  private static let isWriting =
    ProcessInfo.processInfo.environment["REPRISE_WRITE_ERRORS"] == "1"
  private static let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
  private static let folder = root.appendingPathComponent("Documentation/errors")

  @Test(arguments: ErrorPage.codes)
  func `an error page shows what Reprise reports for its example`(_ code: String) throws {
    let example = try ErrorExample(#require(ErrorPage(code: code)))
    let found = try example.diagnostics(of: example.text)
    #expect(!found.isEmpty && found.allSatisfy { $0.code == code }, "\(found)")
    #expect(found.allSatisfy { ($0.severity == .warning) == code.hasPrefix("R09") })
    if let fixed = example.fixed { #expect(try example.diagnostics(of: fixed) == []) }
    let report = Diagnostic.rendered(found, as: .text)
    guard example.report != report else { return }
    try #require(Self.isWriting, "\(report)\nRun make errors if that is intended.")
    let file = Self.folder.appendingPathComponent("\(code).md")
    let page = try String(contentsOf: file, encoding: .utf8)
    try example.updated(page, with: report).write(to: file, atomically: true, encoding: .utf8)
  }

  @Test func `the list of error pages is complete`() throws {
    let rows = ErrorPage.codes.compactMap(ErrorPage.init).map {
      "| [\($0.code)](\($0.code).md) | \($0.title) |\n"
    }
    let text = """
      # Errors and warnings

      Each error and each warning about a workflow file has a code, which never changes its meaning.
      `reprise explain R0201` shows the page of a code.

      | code | error |
      | --- | --- |

      """ + rows.joined()
    let file = Self.folder.appendingPathComponent("README.md")
    if Self.isWriting { try text.write(to: file, atomically: true, encoding: .utf8) }
    #expect(try String(contentsOf: file, encoding: .utf8) == text, "run make errors")
  }

  @Test func `the codes with a page are exactly the codes in the sources`() throws {
    var codes: Set<String> = []
    for target in ["Expressions", "Workflows", "WorkflowReading", "WorkflowFiles"] {
      let sources = Self.root.appendingPathComponent("Sources/\(target)").path
      for path in try FileManager.default.subpathsOfDirectory(atPath: sources)
      where path.hasSuffix(".swift") {
        let source = try String(contentsOfFile: "\(sources)/\(path)", encoding: .utf8)
        codes.formUnion(source.matches(of: /"(R[0-9]{4})"/).map { String($0.1) })
      }
    }
    #expect(codes.sorted() == ErrorPage.codes && codes.allSatisfy(ErrorPage.isCode))
  }

  @Test func `a page consists of paragraphs and blocks`() {
    let page = "# R1: a\n\nb\nc\n```\n- d\n\n# e\n```\n\n```\n```\n"
    #expect(
      ErrorPage.parts(of: page)
        == [.prose("R1: a"), .prose("b c"), .block("- d\n\n# e"), .block("")])
  }

  @Test func `blocks are indented in a terminal`() throws {
    let page = try #require(ErrorPage(code: "r0403"))
    #expect(page.text.hasPrefix("R0403: \(page.title)\n\n\(page.meaning)\n\n  steps:"))
    #expect(page.text.contains("\n\n\(page.fix)\n\n  steps:") && !page.text.contains("```"))
  }
}
