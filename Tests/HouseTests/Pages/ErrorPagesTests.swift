// The pages on errors say what `reprise explain` says. `make errors` writes them anew.

import Foundation
import Testing
import WorkflowLanguage

/// Each code that the reader reports has a page, and each page a code.
struct ErrorPagesTests {
  private static let folder = "Documentation/errors"
  private static let isWriting =
    ProcessInfo.processInfo.environment["REPRISE_WRITE_ERRORS"] == "1"

  /// The pages by their paths.
  private static let pages = Dictionary(
    uniqueKeysWithValues: ErrorPage.all.map { ("\(folder)/\($0.code).md", $0.markdown) }
      + [("\(folder)/README.md", ErrorPage.markdownIndex)])

  @Test func `the pages are those of the codes`() throws {
    if Self.isWriting {
      let folder = Repository.root.appendingPathComponent(Self.folder)
      try? FileManager.default.removeItem(at: folder)
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      for (path, text) in Self.pages {
        let file = Repository.root.appendingPathComponent(path)
        try text.write(to: file, atomically: true, encoding: .utf8)
      }
    }
    #expect(Repository.paths(below: Self.folder) == Self.pages.keys.sorted())
    for (path, text) in Self.pages {
      let checkedIn = try? Repository.text(of: path)
      #expect(checkedIn == text, "\(path) differs; run make errors if this is meant")
    }
  }

  @Test func `each code that is reported has a page, and no other`() throws {
    let source = try Repository.text(
      of: "Sources/WorkflowLanguage/Diagnostics/DiagnosticKind+Code.swift")
    // The first one is in a comment.
    let codes = Set(source.matches(of: /: "(R[0-9]{4})"/).map { String($0.1) })
    #expect(codes.sorted() == ErrorPage.all.map(\.code))
  }
}
