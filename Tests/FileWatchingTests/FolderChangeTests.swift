import FileWatching
import Foundation
import TestSupport
import Testing

/// Changes of folders in the root.
struct FolderChangeTests {
  let folder: WatchedFolder

  init() throws {
    folder = try WatchedFolder()
  }

  @Test func `files are found in folders that are created at the same time`() async throws {
    try folder.start()
    for number in 0..<200 {
      try folder.makeFolder("a\(number)/b/c")
      try folder.write("a\(number)/b/c/file", "\(number)")
    }
    await folder.expectConvergence()
    await folder.expectWatched(1 + 200 * 3)
  }

  @Test func `the files of a moved folder are reported by their old and new names`() async throws {
    for name in ["a/x", "a/b/y"] {
      try folder.makeFolder("a/b")
      try folder.write(name)
    }
    try folder.start()
    try folder.move("a", "z")
    await folder.expectReported("a/x", "a/b/y", "z/x", "z/b/y")
    folder.forgetEvents()
    try folder.write("z/b/y", "changed")
    await folder.expectReported("z/b/y")
    try folder.move("z", folder.base + "/outside")
    await folder.expectReported("z/x", "z/b/y")
    await folder.expectWatched(1)
    folder.forgetEvents()
    try folder.write(folder.base + "/outside/x", "unseen")
    try await folder.settle()
    #expect(folder.reported == [])
    try folder.move(folder.base + "/outside", "back")
    await folder.expectReported("back/x", "back/b/y")
    await folder.expectConvergence()
  }

  @Test func `a recreated folder is watched again`() async throws {
    try folder.makeFolder("a")
    try folder.write("a/file")
    try folder.start()
    for round in 0..<20 {
      try folder.remove("a")
      try folder.makeFolder("a")
      try folder.write("a/file", "\(round)")
    }
    await folder.expectConvergence()
    folder.forgetEvents()
    try folder.write("a/file", "last")
    await folder.expectReported("a/file")
  }

  @Test func `the differences to a replaced folder are reported`() async throws {
    try folder.makeFolder("a")
    try folder.makeFolder("b")
    try folder.write("a/one")
    try folder.write("b/two")
    try folder.start()
    try folder.move("a", "c")
    try folder.move("b", "a")
    await folder.expectReported("a/one", "b/two", "c/one", "a/two")
    folder.forgetEvents()
    try folder.write("a/three")
    await folder.expectReported("a/three")
    await folder.expectConvergence()
  }

  @Test func `changes are reported while a folder is renamed repeatedly`() async throws {
    try folder.makeFolder("a/deep")
    try folder.start()
    for round in 0..<100 {
      try folder.write("a/deep/file\(round % 3)", "\(round)")
      try folder.move("a", "b")
      try folder.write("b/deep/other\(round % 3)", "\(round)")
      try folder.move("b", "a")
    }
    await folder.expectConvergence()
  }

  @Test func `links to folders are not followed, and some folders are never entered`() async throws
  {
    try folder.makeFolder(folder.base + "/elsewhere")
    try folder.makeFolder(".git")
    try folder.makeFolder("a/.reprise")
    try folder.link("../elsewhere", "link")
    try folder.start()
    await folder.expectWatched(2)
    try folder.write("link/file")
    try folder.write(".git/file")
    try folder.write("a/.reprise/file")
    try await folder.settle()
    #expect(folder.reported == [])
  }

  @Test func `a folder that is not entered needs no watch and causes no events`() async throws {
    try folder.makeFolder("in")
    try folder.makeFolder("out/below")
    let filter = FileWatchFilter(entersFolder: { $0 != "out" }, wantsFile: { $0.hasSuffix(".txt") })
    try folder.start(filter)
    await folder.expectWatched(2)
    try folder.write("out/file.txt")
    try folder.write("in/file.md")
    try folder.write("in/file.txt")
    await folder.expectReported("in/file.txt")
    #expect(Set(folder.reported) == ["in/file.txt"])
  }

  @Test func `a file that is replaced by a folder is reported, and the reverse`() async throws {
    try folder.write("x")
    try folder.start()
    try folder.remove("x")
    try folder.makeFolder("x")
    try folder.write("x/file")
    await folder.expectReported("x", "x/file")
    await folder.expectConvergence()
    try folder.remove("x")
    try folder.write("x")
    await folder.expectConvergence()
  }

  @Test func `a tree deeper than PATH_MAX is a problem, but the watch continues`() async throws {
    try folder.start()
    var descriptor = open(folder.root, O_RDONLY | O_DIRECTORY)
    let name = String(repeating: "n", count: 200)
    for _ in 0..<30 {
      try #require(mkdirat(descriptor, name, 0o755) == 0)
      let next = openat(descriptor, name, O_RDONLY | O_DIRECTORY)
      close(descriptor)
      descriptor = next
    }
    close(descriptor)
    await expectEventually("a problem") { folder.problems.count == 1 }
    #expect(folder.problems.first?.contains("4096") == true)
    try folder.write("file")
    await folder.expectReported("file")
    folder.stop()
    // Functions that delete folders by path cannot delete these.
    let process = try Process.run(URL(fileURLWithPath: "/bin/rm"), arguments: ["-rf", folder.base])
    process.waitUntilExit()
  }

  @Test func `a tree of a thousand levels is watched`() async throws {
    let path = Array(repeating: "d", count: 1000).joined(separator: "/")
    try folder.makeFolder(path)
    try folder.start()
    await folder.expectWatched(1001)
    try folder.write(path + "/file")
    await folder.expectReported(path + "/file")
    try folder.move("d", folder.base + "/away")
    await folder.expectConvergence()
    await folder.expectWatched(1)
  }
}
