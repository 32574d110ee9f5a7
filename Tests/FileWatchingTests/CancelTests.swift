import FileWatching
import Foundation
import Synchronization
import TestSupport
import Testing

/// Cancellation of a watch.
struct CancelTests {
  let folder: WatchedFolder

  init() throws {
    folder = try WatchedFolder()
  }

  private static func descriptorsCount(of word: String) -> Int {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
    return names.count { name in
      let target = try? FileManager.default.destinationOfSymbolicLink(
        atPath: "/proc/self/fd/" + name)
      return target?.contains(word) == true
    }
  }

  @Test func `no event is delivered after cancel has returned`() throws {
    for round in 0..<rounds(50, soak: 1000) {
      let isCancelled = Atomic(false)
      let late = Atomic(0)
      let count = Atomic(0)
      let watch = try FolderWatch(folder.root, filter: FileWatchFilter()) { _ in
        count.add(1, ordering: .relaxed)
        if isCancelled.load(ordering: .sequentiallyConsistent) { late.add(1, ordering: .relaxed) }
      }
      for number in 0..<50 { try folder.write("file\(number)", "\(round)") }
      if round % 2 == 0 { while count.load(ordering: .relaxed) == 0 {} }
      watch.cancel()
      isCancelled.store(true, ordering: .sequentiallyConsistent)
      for number in 0..<50 { try folder.write("file\(number)", "late") }
      watch.cancel()
      #expect(late.load(ordering: .relaxed) == 0)
      #expect(watch.watchedFolders == 0)
    }
  }

  @Test func `cancel waits for the running callback`() throws {
    for round in 0..<rounds(50, soak: 1000) {
      let isInside = Atomic(false)
      let watch = try FolderWatch(folder.root, filter: FileWatchFilter()) { _ in
        isInside.store(true, ordering: .sequentiallyConsistent)
        let end = ContinuousClock.now.advanced(by: .milliseconds(2))
        while ContinuousClock.now < end {}
        isInside.store(false, ordering: .sequentiallyConsistent)
      }
      repeat {
        try folder.write("file", "\(round)")
      } while !isInside.load(ordering: .sequentiallyConsistent)
      watch.cancel()
      let isStillInside = isInside.load(ordering: .sequentiallyConsistent)
      #expect(!isStillInside)
    }
  }

  @Test func `a subscriber may cancel in its callback, and is not called again`() async throws {
    let watch = Protected<FolderWatch?>(nil)
    let count = Protected(0)
    let begun = try FolderWatch(folder.root, filter: FileWatchFilter()) { _ in
      count.withLock { $0 += 1 }
      let taken = watch.withLock { watch in
        defer { watch = nil }
        return watch
      }
      taken?.cancel()
    }
    watch.withLock { $0 = begun }
    for number in 0..<20 { try folder.write("file\(number)") }
    await expectEventually("the subscriber is called") { count.value > 0 }
    // Returns when the callback that cancelled the watch has returned.
    begun.cancel()
    try folder.write("late")
    #expect(count.value == 1)
  }

  @Test func `cancel is thread-safe`() async throws {
    for _ in 0..<20 {
      let watch = try FolderWatch(folder.root, filter: FileWatchFilter()) { _ in }
      await withTaskGroup { group in
        for _ in 0..<8 { group.addTask { watch.cancel() } }
      }
      #expect(watch.watchedFolders == 0)
    }
  }

  @Test func `releasing a watch cancels it, even in its callback`() async throws {
    let held = Protected<FolderWatch?>(nil)
    let count = Protected(0)
    held.withLock { [folder] in
      $0 = try? FolderWatch(folder.root, filter: FileWatchFilter()) { _ in
        count.withLock { $0 += 1 }
        let last = held.withLock { held in
          defer { held = nil }
          return held
        }
        withExtendedLifetime(last) {}
      }
    }
    for number in 0..<20 { try folder.write("file\(number)") }
    await expectEventually("the subscriber is called") { count.value > 0 }
    await expectEventually("released") { held.value == nil }
    try folder.start()
    try folder.write("other")
    await folder.expectReported("other")
    #expect(count.value == 1)
  }

  @Test func `hundreds of watches leave no descriptors`() throws {
    for _ in 0..<rounds(400, soak: 5000) {
      // Exceeding the system limit would be reported as a problem.
      let watch = try FolderWatch(folder.root, filter: FileWatchFilter()) {
        if case .problem(let text) = $0 { Issue.record("\(text)") }
      }
      #expect(watch.watchedFolders == 1)
      watch.cancel()
    }
    // Other tests that run concurrently have some, too.
    #expect(Self.descriptorsCount(of: "inotify") < 50)
  }
}
