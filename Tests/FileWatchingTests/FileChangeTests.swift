import FileWatching
import Foundation
import TestSupport
import Testing

/// Changes of single files.
struct FileChangeTests {
  let folder: WatchedFolder

  init() throws {
    folder = try WatchedFolder()
  }

  @Test func `a file is reported when its writer closes it, not earlier`() async throws {
    try folder.start()
    let descriptor = open(folder.path("slow"), O_WRONLY | O_CREAT | O_CLOEXEC, 0o644)
    try await folder.settle()
    #expect(Foundation.write(descriptor, "half", 4) == 4)
    try await folder.settle()
    #expect(fchmod(descriptor, 0o600) == 0)
    try await folder.settle()
    #expect(folder.reported == [])
    close(descriptor)
    await folder.expectReported("slow")
    #expect(folder.reported == ["slow"])
  }

  @Test func `a half-written file is not reported after the queue was blocked`()
    async throws
  {
    try folder.start()
    let blockade = folder.block()
    try folder.write("first")
    blockade.waitUntilEntered()
    let descriptor = open(folder.path("slow"), O_WRONLY | O_CREAT | O_CLOEXEC, 0o644)
    #expect(Foundation.write(descriptor, "half", 4) == 4)
    blockade.open()
    try await folder.settle()
    #expect(Set(folder.reported) == ["first"])
    close(descriptor)
    await folder.expectReported("slow")
  }

  @Test func `every save is reported, even with equal size within one clock tick`() async throws {
    try folder.start()
    for _ in 0..<20 {
      let before = folder.reported.count
      try folder.write("file", "same")
      await expectEventually("reported again") {
        folder.reported.count > before
      }
    }
  }

  @Test func `a moved or deleted file is reported by each of its names`()
    async throws
  {
    try folder.write("old")
    try folder.write(folder.base + "/outside")
    try folder.start()
    try folder.move("old", "new")
    await folder.expectReported("old", "new")
    try folder.move(folder.base + "/outside", "in")
    await folder.expectReported("in")
    folder.forgetEvents()
    try folder.move("in", folder.base + "/outside")
    await folder.expectReported("in")
    folder.forgetEvents()
    try folder.remove("new")
    await folder.expectReported("new")
    await folder.expectConvergence()
  }

  @Test func `created and deleted links are reported`() async throws {
    try folder.write(folder.base + "/target")
    try folder.start()
    try folder.link("../target", "symbolic")
    try folder.hardLink(folder.base + "/target", "hard")
    try folder.link("nowhere", "dangling")
    await folder.expectReported("symbolic", "hard", "dangling")
    folder.forgetEvents()
    for name in ["symbolic", "hard", "dangling"] { try folder.remove(name) }
    await folder.expectReported("symbolic", "hard", "dangling")
  }

  @Test(arguments: ["", "text"])
  func `a save by hard link is reported although the other name was deleted`(_ text: String)
    async throws
  {
    try folder.start(FileWatchFilter { $0 == "file" })
    let outside = folder.base + "/temporary"
    try folder.write(outside, text)
    try folder.hardLink(outside, "file")
    try folder.remove(outside)
    await folder.expectReported("file")
  }

  @Test func `a file created without a name is reported when it gets one`() async throws {
    try folder.start()
    let temporaryFile: Int32 = 0o20200000
    let descriptor = open(folder.root, O_WRONLY | temporaryFile | O_CLOEXEC, 0o644)
    try #require(descriptor >= 0)
    #expect(Foundation.write(descriptor, "text", 4) == 4)
    let own = "/proc/self/fd/\(descriptor)"
    try #require(linkat(AT_FDCWD, own, AT_FDCWD, folder.path("file"), AT_SYMLINK_FOLLOW) == 0)
    close(descriptor)
    await folder.expectReported("file")
    await folder.expectConvergence()
  }

  @Test func `a change of permissions or times is reported, a chmod without effect is not`()
    async throws
  {
    try folder.write("rights")
    try folder.write("times")
    try folder.write("same")
    try folder.start()
    try folder.setMode("same", 0o644)
    try await folder.settle()
    #expect(folder.reported == [])
    try folder.setMode("rights", 0o600)
    var times = [timeval(tv_sec: 1, tv_usec: 0), timeval(tv_sec: 1, tv_usec: 0)]
    #expect(utimes(folder.path("times"), &times) == 0)
    await folder.expectReported("rights", "times")
    await folder.expectConvergence()
  }

  @Test func `pipes and sockets are not reported`() async throws {
    try folder.start()
    #expect(mkfifo(folder.path("pipe"), 0o600) == 0)
    try await folder.settle()
    try folder.setMode("pipe", 0o644)
    try folder.move("pipe", "other")
    try folder.remove("other")
    try await folder.settle()
    // The pipe may have been deleted before the watcher looked at its last name, so its type is
    // unknown.
    #expect(!folder.reported.contains("pipe"))
    let before = folder.reported
    #expect(mkfifo(folder.path("second"), 0o600) == 0)
    try await folder.settle()
    #expect(folder.reported == before)
  }

  @Test func `an atomic save is reported by the name of the file`() async throws {
    try folder.write("file")
    try folder.makeFolder("other")
    try folder.start(FileWatchFilter { $0 == "file" })
    try folder.write("file.tmp", "1")
    try folder.move("file.tmp", "file")
    await folder.expectReported("file")
    folder.forgetEvents()
    try folder.write("other/file.tmp", "2")
    try folder.move("other/file.tmp", "file")
    await folder.expectReported("file")
    folder.forgetEvents()
    // vim renames the old file, writes a new one, and deletes the old one.
    try folder.move("file", "file~")
    try folder.write("file", "3")
    try folder.remove("file~")
    await folder.expectReported("file")
    await folder.expectConvergence(FileWatchFilter { $0 == "file" })
  }

  @Test func `names that are not UTF-8 are skipped and reported as one problem`() async throws {
    try folder.start()
    for last: UInt8 in [0xFF, 0xFE] {
      let path = Array((folder.root + "/bad").utf8) + [last, 0]
      let descriptor = path.withUnsafeBytes { bytes in
        bytes.withMemoryRebound(to: CChar.self) { buffer in
          buffer.baseAddress.map { open($0, O_WRONLY | O_CREAT, 0o644) } ?? -1
        }
      }
      try #require(descriptor >= 0)
      close(descriptor)
    }
    try await folder.settle()
    #expect(folder.reported == [])
    #expect(folder.problems.count == 1)
    #expect(folder.problems.first?.contains("not UTF-8") == true)
  }

  @Test func `names are compared by their bytes`() async throws {
    try folder.start()
    try folder.write("e\u{301}", "1")
    try folder.write("\u{e9}", "2")
    await expectEventually("both reported") {
      Set(folder.reported.map { Array($0.utf8) }).count == 2
    }
  }
}
