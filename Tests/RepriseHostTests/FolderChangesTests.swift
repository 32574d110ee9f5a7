// Tests that waiting for files is driven by change events, not by polling.

import Foundation
import Reprise
import RepriseHost
import RepriseJournal
import TestSupport
import Testing

struct FolderChangesTests {
  @Test func `a wait sees changes before it, during it and between checks`() async throws {
    let folder = try HostFolder()
    let changes = try FolderChanges(ofLiveRunsIn: folder.journal.directory)
    let looks = Protected(0)
    let isLooking = Gate()
    let waiting = Task {
      try await changes.first {
        isLooking.open()
        let count = looks.withLock { count in
          count += 1
          return count
        }
        return count == 3 ? "there" : nil
      }
    }
    await isLooking.wait()
    for number in 1...2 {
      try folder.folder.write(".reprise/live/\(number).lock", "".utf8)
      await expectEventually("the change was checked") { looks.withLock { $0 } > number }
    }
    #expect(try await waiting.value == "there")
  }

  @Test func `nothing is checked while nothing changes`() async throws {
    let folder = try HostFolder()
    let changes = try FolderChanges(ofLiveRunsIn: folder.journal.directory)
    let looks = Protected(0)
    let found: Int? = try await changes.first(within: .milliseconds(300)) {
      looks.withLock { $0 += 1 }
      return nil
    }
    #expect(found == nil)
    // Once at the start and once at the end.
    #expect(looks.withLock { $0 } == 2)
  }

  @Test func `a wait ends when its task is cancelled`() async throws {
    let folder = try HostFolder()
    let changes = try FolderChanges(ofLiveRunsIn: folder.journal.directory)
    let waiting = Task { try await changes.first { Int?.none } }
    waiting.cancel()
    await #expect(throws: CancellationError.self) { try await waiting.value }
  }

  @Test func `output is seen while it is being written`() async throws {
    let folder = try HostFolder()
    let run = RunID()
    let path = folder.path + "/.reprise/runs/\(run)/a/1.1.log"
    // Create the file first: the event of its creation could be taken for that of the line.
    try folder.folder.write(".reprise/runs/\(run)/a/1.1.log", "".utf8)
    let file = try #require(FileHandle(forWritingAtPath: path))
    let changes = try FolderChanges(
      ofLiveRunsIn: folder.journal.directory, andOutputOf: run)
    let looks = Protected(0)
    let waiting = Task {
      try await changes.first {
        looks.withLock { $0 += 1 }
        return try String(contentsOfFile: path, encoding: .utf8) == "line\n" ? true : nil
      }
    }
    await expectEventually("the run waits") { looks.withLock { $0 } > 0 }
    try file.write(contentsOf: Data("line\n".utf8))
    let isSeen = Protected(false)
    Task {
      _ = try await waiting.value
      isSeen.withLock { $0 = true }
    }
    await expectEventually("the line is seen", within: .seconds(30)) { isSeen.value }
    try file.close()
  }

  /// The open instances of inotify of this process, of which Linux has 128 for each user by default.
  private var watchCount: Int {
    let folder = "/proc/self/fd"
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.count { name in
      let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\(name)")
      return target?.contains("inotify") == true
    }
  }

  @Test func `many waits share a watch, and all of them see a change`() async throws {
    let folder = try HostFolder()
    let before = watchCount
    let waits = try (0..<300).map { _ in
      try FolderChanges(ofLiveRunsIn: folder.journal.directory)
    }
    #expect(watchCount <= before + 1)
    let isChanged = Protected(false)
    let seen = Protected(0)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for changes in waits {
        group.addTask {
          let seesIt: Bool? = try await changes.first(within: .seconds(60)) {
            isChanged.value ? true : nil
          }
          if seesIt == true { seen.withLock { $0 += 1 } }
        }
      }
      isChanged.withLock { $0 = true }
      try folder.folder.write(".reprise/live/x.lock", "".utf8)
      try await group.waitForAll()
    }
    #expect(seen.value == 300)
  }
}
