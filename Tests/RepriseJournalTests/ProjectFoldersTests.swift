// The folders of a project: where the search for names and state ends.

import Foundation
import Platform
import TestSupport
import Testing

@testable import RepriseJournal

struct ProjectFoldersTests {
  private func folders(_ place: String, in root: URL, home: String? = nil) throws -> [String] {
    let here = root.appending(path: place).path
    try FileManager.default.createDirectory(atPath: here, withIntermediateDirectories: true)
    return ProjectFolders(from: here, home: home).paths.filter { $0.hasPrefix(root.path) }
      .map { String($0.dropFirst(root.path.count)) }
  }

  /// An existing folder without links in its path.
  private func root() throws -> (Folder, URL) {
    let folder = try Folder()
    return (folder, URL(filePath: try #require(realPath(folder.path))))
  }

  @Test func `the search ends with the root of a repository and with the home folder`() throws {
    let (folder, root) = try root()
    defer { withExtendedLifetime(folder) {} }
    #expect(try folders("a/b", in: root).prefix(2) == ["/a/b", "/a"])
    #expect(try folders("a/b", in: root, home: root.path + "/a") == ["/a/b", "/a"])
    #expect(try folders("a", in: root, home: root.path + "/a") == ["/a"])
    try Data().write(to: root.appending(path: "a/.git"))
    #expect(try folders("a/b/c", in: root) == ["/a/b/c", "/a/b", "/a"])
  }

  @Test func `folders that others can write to are not searched`() throws {
    let (folder, root) = try root()
    defer { withExtendedLifetime(folder) {} }
    _ = try folders("a/b/c", in: root)
    #expect(chmod(root.path + "/a", 0o777) == 0)
    #expect(try folders("a/b/c", in: root) == ["/a/b/c", "/a/b"])
    if getuid() == 0 {
      #expect(chmod(root.path + "/a", 0o755) == 0 && chown(root.path + "/a/b", 65534, 65534) == 0)
      #expect(try folders("a/b/c", in: root) == ["/a/b/c"])
    }
  }

  @Test func `state is kept next to the workflows unless there is some already`() throws {
    let (folder, root) = try root()
    defer { withExtendedLifetime(folder) {} }
    _ = try folders("a/workflows", in: root)
    _ = try folders("a/b/c", in: root)
    func state() -> String {
      StateDirectory(explicit: nil, environment: [:], in: root.path + "/a/b/c").path
    }
    #expect(state() == root.path + "/a/.reprise")
    _ = try folders("a/b/.reprise", in: root)
    #expect(state() == root.path + "/a/b/.reprise")
    let given = StateDirectory(
      explicit: "s", environment: [:], in: root.path, startedIn: root.path + "/a")
    #expect(given.path == root.path + "/a/s")
  }
}
