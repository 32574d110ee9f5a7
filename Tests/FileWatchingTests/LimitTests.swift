import Foundation
import Platform
import TestSupport
import Testing

@testable import FileWatching

/// Watches that reach the limits of the system.
struct LimitTests {
  @Test func `lost events are reported as a problem, and no change is missed`() async throws {
    let folder = try WatchedFolder()
    for number in 0..<50 {
      try folder.makeFolder("old/\(number)")
      try folder.write("old/\(number)/file", "old")
    }
    try folder.start()
    let blockade = folder.block()
    try folder.write("first")
    blockade.waitUntilEntered()
    // More than max_queued_events. The names alternate, because inotify coalesces identical
    // successive events.
    let queueLength = try #require(
      Int(
        String(contentsOfFile: "/proc/sys/fs/inotify/max_queued_events", encoding: .utf8)
          .trimmingCharacters(in: .whitespacesAndNewlines)))
    for round in 0..<queueLength { try folder.write("busy\(round % 2)", "\(round)") }
    // From now on all events are lost.
    try folder.makeFolder("new/below")
    try folder.write("new/below/file", "new")
    try folder.remove("old/1")
    try folder.move("old/2", "new/moved")
    try folder.move("old/3/file", "old/4/file")
    try folder.write("old/5/file", "now")
    try folder.setMode("old/6/file", 0o600)
    try folder.write("old/7/file", "OLD")
    blockade.open()
    await folder.expectConvergence()
    #expect(
      folder.problems.contains { $0.contains("max_queued_events") }, "\(folder.problems)")
    folder.forgetEvents()
    try folder.write("new/below/file", "again")
    try folder.write("new/moved/file", "again")
    await folder.expectReported("new/below/file", "new/moved/file")
    await folder.expectConvergence()
  }

  @Test func `a root deleted while events are lost is found again`() async throws {
    let folder = try WatchedFolder(root: "a/root")
    try folder.write("file")
    try folder.start()
    let blockade = folder.block()
    try folder.write("first")
    blockade.waitUntilEntered()
    for round in 0..<17000 { try folder.write("busy\(round % 2)", "\(round)") }
    try FileManager.default.removeItem(atPath: folder.base + "/a")
    try folder.makeFolder("")
    try folder.write("file", "new")
    blockade.open()
    await folder.expectConvergence()
    folder.forgetEvents()
    try folder.write("file", "newer")
    await folder.expectReported("file")
  }

  /// Returns a watcher that can add a limited number of watches.
  ///
  /// A removed watch does not make room for another one.
  private func watcher(_ room: Protected<Int>) -> WatchEngine.MakeWatcher {
    { path, filter, engine in
      let standard = InotifyCalls()
      let calls = InotifyCalls(
        open: standard.open,
        add: { descriptor, path, mask throws(Errno) in
          let hasRoom = room.withLock { room in
            room -= 1
            return room >= 0
          }
          guard hasRoom else { throw Errno.noSpace }
          return try standard.add(descriptor, path, mask)
        })
      return InotifyWatcher(path, filter: filter, calls: calls, host: engine)
    }
  }

  @Test func `folders without a watch are polled until one is available`() async throws {
    let folder = try WatchedFolder()
    for number in 0..<10 { try folder.makeFolder("\(number)/below") }
    let room = Protected(12)
    try folder.start(makeWatcher: watcher(room))
    #expect(folder.watchedFolders < 21)
    for number in 0..<10 {
      try folder.write("\(number)/below/file")
      try folder.makeFolder("\(number)/new")
      try folder.write("\(number)/new/file")
    }
    await folder.expectConvergence()
    #expect(folder.problems.count == 1)
    let problem = try #require(folder.problems.first)
    #expect(problem.contains("sysctl fs.inotify.max_user_watches="))
    room.withLock { $0 = .max / 2 }
    await folder.expectWatched(31)
    for number in 0..<10 { try folder.write("\(number)/new/file", "more") }
    await folder.expectConvergence()
    #expect(folder.problems.count == 1)
  }

  @Test func `without an inotify instance everything is polled until there is one`() async throws {
    let folder = try WatchedFolder()
    try folder.makeFolder("sub")
    let isFull = Protected(true)
    try folder.start { path, filter, engine in
      let standard = InotifyCalls()
      let calls = InotifyCalls(
        open: { () throws(Errno) in
          guard !isFull.value else { throw Errno.tooManyOpenFiles }
          return try standard.open()
        }, add: standard.add)
      return InotifyWatcher(path, filter: filter, calls: calls, host: engine)
    }
    await folder.expectWatched(0)
    try folder.write("sub/file")
    await folder.expectConvergence()
    #expect(folder.problems.count == 1)
    #expect(folder.problems.first?.contains("sysctl fs.inotify.max_user_instances=") == true)
    isFull.withLock { $0 = false }
    await folder.expectWatched(2)
    try folder.write("sub/file", "more")
    await folder.expectConvergence()
  }

  /// Runs the test below in a user namespace with a lowered limit of watches.
  ///
  /// Only `/proc/sys/user` belongs to the namespace. `/proc/sys/fs/inotify` belongs to the machine
  /// and must not be changed.
  @Test(.disabled(if: isLimited)) func `the real limit is a problem that resolves itself`() throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments = [
      "-c",
      """
      exec unshare -Ur sh -c '[ "$(readlink /proc/self/ns/user)" != "$0" ] || exit 78
        echo 20 > /proc/sys/user/max_inotify_watches || exit 78
        exec "$@"' "$(readlink /proc/self/ns/user)" "$@"
      """, "sh", try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"),
      "--testing-library", "swift-testing", "--filter", "theLimitOfTheNamespace",
    ]
    process.environment = ProcessInfo.processInfo.environment.merging(
      ["REPRISE_WATCHES_LIMITED": "1"]) { $1 }
    let output = Pipe()
    (process.standardOutput, process.standardError) = (output, output)
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    if text.contains("unshare failed") || process.terminationStatus == 78 {
      print("no user namespaces: the limit is tested only with replaced inotify calls")
      return
    }
    #expect(process.terminationStatus == 0, "\(text)")
    #expect(text.contains("1 test"), "\(text)")
  }

  static var isLimited: Bool {
    ProcessInfo.processInfo.environment["REPRISE_WATCHES_LIMITED"] == "1"
  }

  @Test(.enabled(if: isLimited)) func theLimitOfTheNamespace() async throws {
    let folder = try WatchedFolder()
    for number in 0..<40 { try folder.makeFolder("\(number)") }
    try folder.start()
    #expect(folder.watchedFolders > 5 && folder.watchedFolders < 21)
    for number in 0..<40 { try folder.write("\(number)/file") }
    await folder.expectConvergence()
    #expect(folder.problems.count == 1)
    #expect(folder.problems.first?.contains("max_user_watches") == true)
    for number in 5..<40 { try folder.remove("\(number)") }
    await folder.expectConvergence()
    await folder.expectWatched(6)
    for number in 0..<5 { try folder.write("\(number)/file", "more") }
    await folder.expectConvergence()
  }
}
