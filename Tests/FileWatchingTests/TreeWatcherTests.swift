import Foundation
import Platform
import TestSupport
import Testing

@testable import FileWatching

/// Late and reordered events, injected by the tests.
///
/// Each test contains an order of events that occurs on a busy machine about once in ten thousand
/// rounds.
struct TreeWatcherTests {
  /// Assigns watches by inode, like inotify.
  private final class Watches: FolderWatches {
    func watch(_ path: String) -> WatchOutcome {
      var status = stat()
      guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else { return .nothing }
      return .watched(Int32(truncatingIfNeeded: status.st_ino))
    }

    func unwatch(_ watch: Int32) {}
    func isComplete(_ path: String) -> Bool? { nil }
  }

  /// A subscriber that may act in its callback.
  private final class Host: WatcherHost {
    var reported: [String] = []
    var onReport: (String) throws -> Void = { _ in }

    let isStopped = false
    func readWhenReady(_ descriptor: Int32) {}

    func report(_ event: FileWatchEvent) {
      guard case .changed(let path) = event else { return }
      reported.append(path)
      do { try onReport(path) } catch { Issue.record(error) }
    }
  }

  private let folder: WatchedFolder
  private let host = Host()
  private let tree: TreeWatcher

  init() throws {
    folder = try WatchedFolder()
    tree = TreeWatcher(filter: FileWatchFilter(), watches: Watches(), host: host)
  }

  private func begin() throws -> Int {
    tree.lookAtRoot(folder.root, rulesAbove: [], isQuiet: true)
    #expect(host.reported == [])
    return try #require(tree.tree.root)
  }

  /// Deletes `a/file` with its folder, and recreates both for a moment during the callback.
  private func blip(_ root: Int) throws {
    try folder.remove("a")
    var hasCome = false
    host.onReport = { [folder] path in
      if path == "a/file" && !hasCome {
        hasCome = true
        try folder.makeFolder("a")
        try folder.write("a/file")
      }
    }
    tree.look(at: "a", in: root, after: .left, wasFolder: true)
    #expect(hasCome)
    try folder.remove("a")
    host.reported = []
  }

  @Test(arguments: ["nothing", "file", "pipe", "link", "folder"])
  func `files of a folder that reappeared for a moment are reported again`(_ kind: String) throws {
    try folder.makeFolder("a")
    try folder.write("a/file")
    let root = try begin()
    try blip(root)
    switch kind {
    case "file": try folder.write("a")
    case "pipe": #expect(mkfifo(folder.path("a"), 0o600) == 0)
    case "link": try folder.link("nowhere", "a")
    case "folder": try folder.makeFolder("a")
    default: break
    }
    tree.look(at: "a", in: root, after: .arrived, wasFolder: true)
    #expect(host.reported.contains("a/file"))
  }

  @Test(arguments: ["nothing", "pipe", "folder"])
  func `a file that reappeared for a moment is reported again`(_ kind: String) throws {
    try folder.write("x")
    let root = try begin()
    try folder.remove("x")
    host.onReport = { [folder] path in try folder.write(path) }
    tree.look(at: "x", in: root, after: .left, wasFolder: false)
    #expect(host.reported == ["x"])
    host.onReport = { _ in }
    try folder.remove("x")
    switch kind {
    case "pipe": #expect(mkfifo(folder.path("x"), 0o600) == 0)
    case "folder": try folder.makeFolder("x")
    default: break
    }
    host.reported = []
    tree.look(at: "x", in: root, after: .left, wasFolder: false)
    #expect(host.reported.contains("x"))
  }

  @Test func `a found file is reported if it differs, is fresh, or was reported recently`() {
    func stamp(
      modified: Int64 = 1, changed: Int64 = 1, size: Int64 = 1, inode: UInt64 = 1,
      mode: UInt16 = 0o100644, isFresh: Bool = false, reportedAt: UInt32 = 0
    ) -> FileStamp {
      FileStamp(
        modified: modified, statusChanged: changed, size: size, inode: inode, mode: mode,
        isFresh: isFresh, reportedAt: reportedAt)
    }
    func shouldReport(_ hint: ChangeHint, _ known: FileStamp?, _ seen: FileStamp) -> Bool {
      hint.shouldReport(known: known, seen: seen, seconds: 100) { false }
    }
    for hint in [ChangeHint.found, .polled] {
      #expect(shouldReport(hint, nil, stamp()))
      #expect(!shouldReport(hint, stamp(), stamp()))
      #expect(shouldReport(hint, stamp(), stamp(modified: 2)))
      #expect(shouldReport(hint, stamp(), stamp(changed: 2)))
      #expect(shouldReport(hint, stamp(), stamp(size: 2)))
      #expect(shouldReport(hint, stamp(), stamp(inode: 2)))
      #expect(shouldReport(hint, stamp(), stamp(mode: 0o100755)))
      #expect(shouldReport(hint, stamp(isFresh: true), stamp()))
      #expect(!shouldReport(hint, stamp(reportedAt: 90), stamp()))
    }
    // Polling every two seconds must not report a recent change forever.
    #expect(shouldReport(.found, stamp(reportedAt: 91), stamp()))
    #expect(!shouldReport(.polled, stamp(reportedAt: 91), stamp()))
    #expect(!shouldReport(.attributes, stamp(), stamp(changed: 2)))
    #expect(shouldReport(.attributes, stamp(), stamp(modified: 2)))
    #expect(shouldReport(.attributes, stamp(reportedAt: 91), stamp(changed: 2)))
    for hint in [ChangeHint.written, .arrived, .left] {
      #expect(shouldReport(hint, stamp(), stamp()))
    }
    #expect(!shouldReport(.made, nil, stamp()) && !shouldReport(.madeAndClosed, nil, stamp()))
  }

  @Test func `a reverted change of permissions reports a recently reported file again`() throws {
    try folder.makeFolder("a")
    let root = try begin()
    let id = try #require(tree.tree.folders[root]?.folders[FileName("a")])
    try folder.write("a/file")
    tree.look(at: "file", in: id, after: .written, wasFolder: false)
    host.reported = []
    tree.look(at: "a", in: root, after: .attributes, wasFolder: true)
    #expect(host.reported == ["a/file"])
  }

  @Test func `a file is closed later only if a later event says so`() {
    func event(_ mask: InotifyMask, _ name: String) -> InotifyEvent {
      InotifyEvent(watch: 1, mask: mask, name: FileName(name), isNameBad: false)
    }
    let plain = [event(.created, "a"), event(.created, "b"), event(.closedByWriter, "a")]
    #expect(InotifyEvent.isClosedLater(plain) == [true, false, false])
    // Written, deleted, and then created by a link: no writer will close this file.
    let linked = [
      event(.created, "a"), event(.closedByWriter, "a"), event(.deleted, "a"), event(.created, "a"),
    ]
    #expect(InotifyEvent.isClosedLater(linked) == [true, false, false, false])
    let other = [event(.created, "a"), event(.deleted, "a"), event(.closedByWriter, "a")]
    #expect(InotifyEvent.isClosedLater(other).first == false)
  }
}
