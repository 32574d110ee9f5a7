import Foundation
import Testing

/// The files that an open project has agree with the sources.
struct ProjectTests {
  /// The version in the sources of the command.
  private static func version() throws -> String {
    let source = try Repository.text(of: "Sources/RepriseCLI/RepriseCommand.swift")
    let match = source.firstMatch(of: /number = "([0-9.]+)"/)
    return String(try #require(match).1)
  }

  @Test func `the changelog has an entry for the version and one for what is unreleased`() throws {
    let changelog = try Repository.text(of: "CHANGELOG.md")
    #expect(changelog.contains("\n## [Unreleased]\n"))
    #expect(changelog.contains("\n## [\(try Self.version())] - 20"))
  }

  @Test func `the license is Apache 2.0 and belongs to the Reprise authors`() throws {
    let license = try Repository.text(of: "LICENSE")
    #expect(license.contains("Apache License") && license.contains("Version 2.0, January 2004"))
    for path in ["NOTICE", "Packaging/copyright"] {
      #expect(try Repository.text(of: path).contains("2026 the Reprise authors"), "\(path)")
    }
  }

  /// Commands such as `make test` that a file names.
  private static func targets(in text: String) -> [String] {
    text.matches(of: /(?:^ *|`|&& )make ([a-z][a-z-]+)/.anchorsMatchLineEndings()).map {
      String($0.1)
    }
  }

  @Test(arguments: [
    "README.md", "CONTRIBUTING.md", "Documentation/campaigns.md", "Documentation/install.md",
    ".ci/run",
  ])
  func `the make commands that a file names exist`(_ path: String) throws {
    let makefile = try Repository.text(of: "Makefile")
    let targets = Self.targets(in: try Repository.text(of: path))
    #expect(!targets.isEmpty)
    for target in targets { #expect(makefile.contains("\n\(target):"), "\(target)") }
    #expect(Self.targets(in: "run `make nowhere` first") == ["nowhere"])
    #expect(Self.targets(in: "failures make its cause clear").isEmpty)
  }
}
