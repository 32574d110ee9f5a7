import Foundation
import TestSupport
import Testing

@testable import Paths

struct FileSearchTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func files(_ patterns: String...) throws -> [String] {
    try FileSearch(patterns).files(in: folder.path)
  }

  @Test(
    arguments: [
      ([], []),
      (["nothing", "no/thing", "a.c/b", "no*"], []),
      (["a.c"], ["a.c"]),
      (["src/*/d.c"], ["src/lib/d.c"]),
      (["src/lib/d.c", "a.c", "a.c"], ["a.c", "src/lib/d.c"]),
      (["*.c"], ["a.c"]),
      (["**/*.c"], ["a.c", "src/b.c", "src/lib/d.c"]),
      (["src"], ["src/.hidden", "src/b.c", "src/b.h", "src/lib/d.c"]),
      (["src/"], ["src/.hidden", "src/b.c", "src/b.h", "src/lib/d.c"]),
      (["./src/**"], ["src/.hidden", "src/b.c", "src/b.h", "src/lib/d.c"]),
      (["s*"], ["src/.hidden", "src/b.c", "src/b.h", "src/lib/d.c"]),
      (["src", "!src/lib"], ["src/.hidden", "src/b.c", "src/b.h"]),
      (["src", "!**/*.c", "src/lib/d.c"], ["src/.hidden", "src/b.h", "src/lib/d.c"]),
      (["src", "!src", "src/lib"], ["src/lib/d.c"]),
      (["!src/b.c", "src/b.c"], ["src/b.c"]),
      (["src/{b,x}.{c,h}", "!**/b.h"], ["src/b.c"]),
      (["!**"], []),
    ] as [([String], [String])])
  func `files are found by patterns, and the last match decides`(
    _ patterns: [String], _ expected: [String]
  ) throws {
    try folder.write(["a.c", "src/b.c", "src/b.h", "src/lib/d.c", "src/.hidden", "z/e"])
    #expect(try FileSearch(patterns).files(in: folder.path) == expected)
    #expect(try FileSearch(patterns).files(in: folder.path + "/") == expected)
  }

  @Test func `paths are sorted by their bytes`() throws {
    try folder.write(["a/b", "a.c", "a-", "B", "ä", "z", "a0"])
    #expect(try files("**") == ["B", "a-", "a.c", "a/b", "a0", "z", "ä"])
  }

  @Test(
    arguments: [
      (["**"], ["a"]),
      (["*"], ["a"]),
      (["*/config", "**/config", ".gi[t]", ".gi?/config", "."], ["a"]),
      ([".git"], [".git/config", ".git/hooks/x"]),
      ([".git/*"], [".git/config", ".git/hooks/x"]),
      (["**/.git/config"], [".git/config", "sub/.git/config"]),
      (["{.git,.reprise}/**/c*"], [".git/config", ".reprise/cache"]),
      ([".reprise/cache", "**"], [".reprise/cache", "a"]),
      (["{sub,x}/*", ".git", "!**/hooks"], [".git/config"]),
    ] as [([String], [String])])
  func `the folders of git and reprise are entered only if they are named`(
    _ patterns: [String], _ expected: [String]
  ) throws {
    try folder.write([
      "a", ".git/config", ".git/hooks/x", "sub/.git/config", ".reprise/cache",
    ])
    #expect(try FileSearch(patterns).files(in: folder.path) == expected)
  }

  @Test func `a file may have the name of an excluded folder`() throws {
    try folder.write(["sub/.git"])
    #expect(try files("**") == ["sub/.git"])
  }

  @Test func `a link to a file is found, a dangling link is not`() throws {
    try folder.write(["a"])
    try folder.link("b", to: "a")
    try folder.link("dangling", to: "nothing")
    try folder.link("loop", to: "loop")
    try folder.link("device", to: "/dev/null")
    #expect(mkfifo(folder.path + "/pipe", 0o600) == 0)
    #expect(try files("*") == ["a", "b"])
    #expect(try files("a", "b", "dangling", "loop", "loop/x", "device", "pipe") == ["a", "b"])
  }

  @Test func `a link to a folder is followed only if it is named`() throws {
    try folder.write(["real/a"])
    try folder.link("link", to: "real")
    try folder.link("real/up", to: "..")
    #expect(try files("**") == ["real/a"])
    #expect(try files("*/a", "l*") == ["real/a"])
    #expect(try files("link/a") == ["link/a"])
    #expect(try files("link") == ["link/a"])
    #expect(try files("link/*", "**") == ["link/a", "real/a"])
    #expect(try files("*/up/real/a") == ["real/up/real/a"])
  }

  @Test func `the searched folder may be a link`() throws {
    try folder.write(["real/a"])
    try folder.link("link", to: "real")
    #expect(try FileSearch(["*"]).files(in: folder.path + "/link") == ["a"])
  }

  @Test func `a missing folder has no files`() throws {
    #expect(try FileSearch(["**", "a"]).files(in: folder.path + "/nothing") == [])
  }

  /// Creates a folder whose path is too long to open.
  private func makeUnreadable(in start: String) throws {
    let name = String(repeating: "d", count: 250)
    var descriptor = open(folder.path + "/" + start, O_RDONLY | O_DIRECTORY)
    for _ in 0..<17 {
      try #require(descriptor >= 0 && mkdirat(descriptor, name, 0o700) == 0)
      let inner = openat(descriptor, name, O_RDONLY | O_DIRECTORY)
      close(descriptor)
      descriptor = inner
    }
    close(descriptor)
  }

  @Test func `a folder with a path that is too long is an error`() throws {
    try folder.write(["deep/a", "b/c"])
    try makeUnreadable(in: "deep")
    let error = #expect(throws: FileError.self) { try files("**") }
    #expect(error?.path.hasPrefix(folder.path + "/deep/ddd") == true)
    #expect(error?.description.hasSuffix("\": File name too long") == true)
  }

  @Test func `only folders that may hold a match are read`() throws {
    try folder.write(["deep/a", "b/c"])
    try makeUnreadable(in: "deep")
    #expect(try files("b/**", "deep/a", "*/a") == ["b/c", "deep/a"])
    #expect(try files("**", "!deep") == ["b/c"])
    #expect(try files("**", "!deep", "deep/a") == ["b/c", "deep/a"])
  }

  @Test(.enabled(if: geteuid() != 0, "root may read anything"))
  func `a folder without permission is an error`() throws {
    try folder.write(["shut/a"])
    #expect(chmod(folder.path + "/shut", 0) == 0)
    defer { chmod(folder.path + "/shut", 0o700) }
    for pattern in ["**", "shut/*", "shut/a"] {
      let error = #expect(throws: FileError.self) { try files(pattern) }
      #expect(error?.description.hasSuffix("\": Permission denied") == true)
    }
  }

  @Test func `a name that is not text is reported if it could match`() throws {
    // File systems of macOS refuse such names.
    let path = Array(folder.path.utf8) + Array("/a".utf8) + [0xFF]
    let descriptor = (path + [0]).withUnsafeBytes { bytes in
      bytes.withMemoryRebound(to: CChar.self) { text in
        text.baseAddress.map { open($0, O_CREAT | O_WRONLY, 0o600) } ?? -1
      }
    }
    guard descriptor >= 0 else { return }
    close(descriptor)
    #expect(try files("b*") == [])
    let error = #expect(throws: FileError.self) { try files("a?") }
    #expect(error?.description.contains("not UTF-8") == true)
  }

  @Test func `a folder may be nested deeply`() throws {
    let path = String(repeating: "d/", count: 1500) + "a"
    try folder.write(["b"])
    var descriptor = open(folder.path, O_RDONLY | O_DIRECTORY)
    for _ in 0..<1500 {
      try #require(descriptor >= 0 && mkdirat(descriptor, "d", 0o700) == 0)
      let inner = openat(descriptor, "d", O_RDONLY | O_DIRECTORY)
      close(descriptor)
      descriptor = inner
    }
    close(openat(descriptor, "a", O_CREAT | O_WRONLY, 0o600))
    close(descriptor)
    #expect(try files("**") == ["b", path])
    #expect(try files("**/a", path) == [path])
  }

  @Test func `an invalid pattern is quoted as it was written`() {
    #expect(throws: GlobError.self) { try FileSearch(["a", ""]) }
    let error = #expect(throws: GlobError.self) { try FileSearch(["a", "!"]) }
    #expect(error?.pattern == "!")
  }

  @Test func `a folder that is deleted during the search is not an error`() async throws {
    let vanishing = Task.detached { [folder] in
      for _ in 0..<40 {
        try? folder.write((0..<10).map { "gone/\($0)/a" })
        try? FileManager.default.removeItem(atPath: folder.path + "/gone")
      }
    }
    try folder.write(["a"])
    for _ in 0..<200 { #expect(try files("*", "!gone/**/b").first == "a") }
    await vanishing.value
  }

  @Test func `a search finds exactly the files that match`() throws {
    var generator = SeededGenerator.announced()
    var count = 0
    for _ in 0..<15 {
      let place = try TemporaryFolder()
      for _ in 0..<20 { try? place.write(randomPath(using: &generator)) }
      let all = try FileManager.default.subpathsOfDirectory(atPath: place.path)
        .filter { path in
          var isFolder: ObjCBool = false
          return FileManager.default.fileExists(
            atPath: place.path + "/" + path, isDirectory: &isFolder) && !isFolder.boolValue
        }
      for _ in 0..<15 {
        let patterns = (0..<Int.random(in: 1...4, using: &generator)).map { _ in
          (Int.random(in: 0..<3, using: &generator) == 0 ? "!" : "")
            + randomGlob(using: &generator)
        }
        let expected = all.filter { isWanted($0, patterns) }
        let found = try FileSearch(patterns).files(in: place.path)
        #expect(Set(found) == Set(expected), "\(patterns)")
        #expect(found.count == expected.count)
        count += expected.count
      }
    }
    #expect(count > 100)
  }

  /// Returns whether the last pattern that matches a path, or a folder above it, includes it.
  private func isWanted(_ path: String, _ patterns: [String]) -> Bool {
    let names = path.split(separator: "/")
    let around = names.indices.map { names[...$0].joined(separator: "/") }
    let last = patterns.last { pattern in
      around.contains { slowMatches(String(pattern.trimmingPrefix("!")), $0) }
    }
    return last.map { !$0.hasPrefix("!") } ?? false
  }
}
