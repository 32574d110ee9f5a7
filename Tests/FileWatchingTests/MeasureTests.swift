import FileWatching
import Foundation
import TestSupport
import Testing

/// The cost of watching many files.
///
/// Runs only in the soak, because it creates up to 100,000 files.
struct MeasureTests {
  private static func residentBytes() throws -> Int {
    let text = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
    return (text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) * 4096
  }

  private static func processorSeconds() -> Double {
    var usage = rusage()
    getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    let (user, system) = (usage.ru_utime, usage.ru_stime)
    return Double(user.tv_sec + system.tv_sec) + Double(user.tv_usec + system.tv_usec) / 1e6
  }

  @Test(.enabled(if: isSoak))
  func `the time and memory of a watch are linear in files and folders`() async throws {
    var costs: [Double] = []
    for folders in [1000, 10_000] {
      let folder = try WatchedFolder()
      for number in 0..<folders {
        try folder.makeFolder("\(number % 100)/\(number)")
        for file in 0..<10 { try folder.write("\(number % 100)/\(number)/file-\(file).txt", "") }
      }
      let before = try Self.residentBytes()
      let start = ContinuousClock.now
      let watch = try FolderWatch(folder.root, filter: FileWatchFilter()) { _ in }
      let time = ContinuousClock.now - start
      let bytes = try Self.residentBytes() - before
      print("\(folders * 10) files in \(watch.watchedFolders) folders: \(time), \(bytes >> 10) KiB")
      costs.append(time / .milliseconds(1) / Double(folders))
      let idle = Self.processorSeconds()
      let end = ContinuousClock.now.advanced(by: .seconds(2))
      let wait = DispatchSemaphore(value: 0)
      _ = wait.wait(timeout: .now() + .seconds(2))
      #expect(ContinuousClock.now >= end)
      print("idle for 2 s: \((Self.processorSeconds() - idle) * 1000) ms of processor time")
      watch.cancel()
    }
    #expect(costs[1] < costs[0] * 3)
  }
}
