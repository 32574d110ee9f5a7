import FileWatching
import Foundation
import TestSupport
import Testing

/// Changes of the root and its parents.
struct RootTests {
  @Test func `a root that does not exist yet is watched when it is created`() async throws {
    let folder = try WatchedFolder(root: "a/b/root", makesRoot: false)
    try folder.start()
    await folder.expectWatched(0)
    try folder.makeFolder("")
    try folder.write("file")
    await folder.expectReported("file")
    try folder.write("later")
    await folder.expectReported("later")
    await folder.expectConvergence()
  }

  @Test(arguments: ["root", "a/b/root"])
  func `a root that is deleted and recreated is watched again`(_ name: String) async throws {
    let folder = try WatchedFolder(root: name)
    try folder.write("file")
    try folder.start()
    let top = folder.base + "/" + name.prefix { $0 != "/" }
    for round in 0..<10 {
      folder.forgetEvents()
      try FileManager.default.removeItem(atPath: top)
      await folder.expectReported("file")
      await folder.expectWatched(0)
      folder.forgetEvents()
      try folder.makeFolder("")
      try folder.write("file", "\(round)")
      await folder.expectReported("file")
    }
    await folder.expectConvergence()
  }

  @Test func `a root that is deleted and recreated immediately is watched again`() async throws {
    let folder = try WatchedFolder(root: "a/b/root")
    try folder.start()
    for round in 0..<50 {
      try FileManager.default.removeItem(atPath: folder.base + "/a")
      try folder.makeFolder("sub")
      try folder.write("sub/file", "\(round)")
    }
    await folder.expectConvergence()
    folder.forgetEvents()
    try folder.write("sub/file", "last")
    await folder.expectReported("sub/file")
  }

  @Test func `a root whose parent is moved away is deleted until it is moved back`() async throws {
    let folder = try WatchedFolder(root: "a/b/root")
    try folder.write("file")
    try folder.start()
    try folder.move(folder.base + "/a", folder.base + "/z")
    await folder.expectReported("file")
    await folder.expectConvergence()
    folder.forgetEvents()
    try folder.write(folder.base + "/z/b/root/file", "unseen")
    try folder.move(folder.base + "/z", folder.base + "/a")
    await folder.expectReported("file")
    await folder.expectConvergence()
  }

  @Test func `the root may be a link, and a replaced link is followed`() async throws {
    let folder = try WatchedFolder(makesRoot: false)
    for name in ["one", "two"] {
      try folder.makeFolder(folder.base + "/" + name)
      try folder.write(folder.base + "/\(name)/\(name)")
    }
    try folder.link("one", folder.root)
    try folder.start()
    try folder.write("file")
    await folder.expectReported("file")
    try folder.link("two", folder.base + "/new")
    try folder.move(folder.base + "/new", folder.root)
    await folder.expectReported("one", "two", "file")
    await folder.expectConvergence()
    folder.forgetEvents()
    try folder.write("two", "changed")
    await folder.expectReported("two")
  }

  @Test func `a root that is a file is watched when a folder replaces it`() async throws {
    let folder = try WatchedFolder(makesRoot: false)
    try folder.write(folder.root)
    try folder.start()
    try FileManager.default.removeItem(atPath: folder.root)
    try folder.makeFolder("")
    try folder.write("file")
    await folder.expectReported("file")
  }

  /// The kernel does not report the removal of a folder itself as long as a process is in it.
  @Test(arguments: ["rm -rf root", "mv root other", "rm -rf root; mkdir root"])
  func `a root that is removed is reported although a process is in it`(_ line: String) async throws
  {
    let folder = try WatchedFolder(root: "root")
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/sleep")
    process.arguments = ["60"]
    process.currentDirectoryURL = URL(fileURLWithPath: folder.root)
    try process.run()
    defer { process.terminate() }
    let events = Protected<[FileWatchEvent]>([])
    let watch = try FolderWatch(
      folder.root, filter: FileWatchFilter(entersFolder: { _ in false }, wantsFile: { _ in false })
    ) { event in events.withLock { $0.append(event) } }
    try TemporaryFolder.run("/bin/sh", ["-c", "cd '\(folder.base)' && \(line)"])
    await expectEventually("the removal") {
      events.withLock { $0.contains(.rootChanged) }
    }
    watch.cancel()
  }

  @Test func `a path that cannot be a folder is an error`() {
    #expect(throws: FileWatchError.unusablePath("", reason: "it is empty")) {
      try FolderWatch("", filter: FileWatchFilter()) { _ in }
    }
    #expect(throws: FileWatchError.unusablePath("a\0b", reason: "it contains a zero byte")) {
      try FolderWatch("a\0b", filter: FileWatchFilter()) { _ in }
    }
  }
}
