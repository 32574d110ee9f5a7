import Foundation
import Testing

/// The folder of the project.
struct RootTests {
  /// Files that tests wrote here by mistake have been committed once.
  @Test func `the folder of the project has only what belongs there`() throws {
    let known: Set = [
      "Benchmarks", "CHANGELOG.md", "CONTRIBUTING.md", "Documentation", "Examples", "Fuzzing",
      "LICENSE", "Makefile", "NOTICE", "Package.resolved", "Package.swift", "Packaging", "Plugins",
      "README.md", "SECURITY.md", "Scripts", "Sources", "Tests", "workflows",
    ]
    let ignored = try Repository.text(of: ".gitignore").split(separator: "\n").map(String.init)
    let names = try FileManager.default.contentsOfDirectory(atPath: Repository.root.path)
    #expect(Set(names.filter { !$0.hasPrefix(".") }).subtracting(known.union(ignored)) == [])
  }
}
