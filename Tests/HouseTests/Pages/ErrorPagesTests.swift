// Compares the error pages with the texts of `reprise explain`. `make errors` regenerates them.

import Foundation
import Testing
import WorkflowLanguage

/// Each error code has a page, and each page has a code.
struct ErrorPagesTests {
  private static let folder = "Documentation/errors"
  private static let isWriting =
    ProcessInfo.processInfo.environment["REPRISE_WRITE_ERRORS"] == "1"

  /// The contents of the pages, by path.
  private static let pages = Dictionary(
    uniqueKeysWithValues: ErrorPage.all.map { ("\(folder)/\($0.code).md", $0.markdown) }
      + [("\(folder)/README.md", ErrorPage.markdownIndex)])

  @Test func `the checked-in pages are those that are generated`() throws {
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
      #expect(checkedIn == text, "\(path) differs; run make errors if that is intended")
    }
  }

  @Test func `the codes with a page are exactly the reported codes`() throws {
    let sources = try Repository.paths(below: "Sources/WorkflowLanguage/Diagnostics/Causes").map(
      Repository.text)
    let codes = Set(sources.joined().matches(of: /"(R[0-9]{4})"/).map { String($0.1) })
    #expect(codes.sorted() == ErrorPage.all.map(\.code))
  }
}
