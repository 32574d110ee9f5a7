import FileWatching
import Foundation
import TestSupport
import Testing

/// Files that are ignored by git in a watched tree.
struct GitignoreTests {
  let folder: WatchedFolder
  let filter = FileWatchFilter(respectsGitignore: true)

  init() throws {
    folder = try WatchedFolder()
    try folder.makeFolder(".git/info")
  }

  @Test func `ignored folders need no watch, and ignored files are not reported`() async throws {
    try folder.write(".gitignore", "node_modules/\n*.log\n!keep.log\n")
    try folder.makeFolder("a/node_modules/deep/deeper")
    try folder.start(filter)
    await folder.expectWatched(2)
    try folder.makeFolder("b/node_modules/deep")
    try folder.write("a/node_modules/deep/file")
    try folder.write("a/x.log")
    try folder.write("a/keep.log")
    try folder.write("b/file")
    await folder.expectReported("a/keep.log", "b/file")
    try await folder.settle()
    #expect(Set(folder.reported) == ["a/keep.log", "b/file"])
    await folder.expectWatched(3)
  }

  @Test func `a change of the ignore rules takes effect immediately`() async throws {
    try folder.makeFolder("build/below")
    try folder.write("build/below/file")
    try folder.start(filter)
    await folder.expectWatched(3)
    try folder.write(".gitignore", "build\n")
    await folder.expectWatched(1)
    // The rules are read when the file appears, but it is reported when its writer closes it.
    try await folder.settle()
    folder.forgetEvents()
    try folder.write("build/below/file", "unseen")
    try await folder.settle()
    #expect(folder.reported == [])
    try folder.write(".gitignore.new", "nothing\n")
    try folder.move(".gitignore.new", ".gitignore")
    await folder.expectReported("build/below/file")
    await folder.expectWatched(3)
    try folder.write(".gitignore", "build\n")
    await folder.expectWatched(1)
    try folder.remove(".gitignore")
    await folder.expectWatched(3)
  }

  @Test func `rules apply to their folder, and the nearest rule wins`() async throws {
    try folder.makeFolder("a/b")
    try folder.write(".gitignore", "*.txt\n")
    try folder.write("a/.gitignore", "!*.txt\n/b/only.txt\n")
    try folder.start(filter)
    for name in ["x.txt", "a/x.txt", "a/b/x.txt", "a/b/only.txt"] { try folder.write(name) }
    await folder.expectReported("a/x.txt", "a/b/x.txt")
    try await folder.settle()
    #expect(Set(folder.reported) == ["a/x.txt", "a/b/x.txt"])
  }

  @Test func `rules above the root apply from the root of the repository`() async throws {
    let inner = try WatchedFolder(root: "repository/above/root")
    let top = inner.base + "/repository"
    try inner.makeFolder(top + "/.git/info")
    try inner.write(top + "/.git/info/exclude", "excluded\n")
    try inner.write(inner.base + "/.gitignore", "outside\n")
    try inner.write(top + "/.gitignore", "/above/root/top\n")
    try inner.start(filter)
    func expect(_ expected: Set<String>, _ location: SourceLocation = #_sourceLocation) async throws
    {
      try await inner.settle()
      inner.forgetEvents()
      for name in ["excluded", "outside", "top", "new", "file"] { try inner.write(name) }
      try await inner.settle()
      #expect(Set(inner.reported) == expected, sourceLocation: location)
    }
    try await expect(["outside", "new", "file"])
    // Rules in a new file, in a replaced file, and in a file that is written in place.
    try inner.write(inner.base + "/repository/above/.gitignore", "new\n")
    try await expectEventually("new is ignored") {
      inner.forgetEvents()
      try inner.write("new")
      try await inner.settle()
      return inner.reported == []
    }
    try await expect(["outside", "file"])
    try inner.write(top + "/replacement", "file\n")
    try inner.move(top + "/replacement", top + "/.gitignore")
    await expectEventually("top is reported") { inner.reported.contains("top") }
    try await expect(["outside", "top"])
    try inner.write(top + "/.git/info/exclude", "outside\n")
    await expectEventually("excluded is reported") { inner.reported.contains("excluded") }
    try await expect(["excluded", "top"])
  }

  @Test func `an ignored folder is watched if it is the root`() async throws {
    let inner = try WatchedFolder(root: "repository/build")
    try inner.makeFolder(inner.base + "/repository/.git")
    try inner.write(inner.base + "/repository/.gitignore", "build/\n")
    try inner.start(filter)
    try inner.write("file")
    await inner.expectReported("file")
  }

  @Test func `ignore rules are not applied by default`() async throws {
    try folder.write(".gitignore", "*\n")
    try folder.start()
    try folder.write("file")
    await folder.expectReported("file")
  }
}
