// Waiting for a condition without sleeping for a guessed time, and how much work a stress test does.

import Foundation
public import Testing

/// Waits until a condition holds, and records an issue when it does not before the deadline.
public func expectEventually(
  _ description: String, within deadline: Duration = .seconds(60),
  sourceLocation: SourceLocation = #_sourceLocation, _ condition: () async throws -> Bool
) async rethrows {
  let end = ContinuousClock.now.advanced(by: deadline)
  var turns = 0
  while try await !condition() {
    guard ContinuousClock.now < end else {
      Issue.record("\(description): not within \(deadline)", sourceLocation: sourceLocation)
      return
    }
    turns += 1
    // What comes soon is seen at once; what takes its time is left the processor.
    if turns < 1000 {
      await Task.yield()
    } else {
      try? await ContinuousClock().sleep(for: .milliseconds(1))
    }
  }
}

/// Whether campaigns run at their full length.
public var isSoak: Bool { ProcessInfo.processInfo.environment["REPRISE_SOAK"] == "1" }

/// How often a campaign is repeated: a few times with every change, often in `make soak`.
public func rounds(_ few: Int, soak: Int) -> Int {
  isSoak ? soak : scaled(few)
}

/// A time that is promised: to be kept to the letter in the soak, with room for a busy machine else.
public func promised(_ time: Duration) -> Duration {
  isSoak ? time : time * 5
}

/// The living processes that carry a word on their command line.
public func processes(with word: String) -> [Int32] {
  // A zombie has no command line any more.
  let pids = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
  return pids.compactMap { Int32($0) }.filter { pid in
    let line = FileManager.default.contents(atPath: "/proc/\(pid)/cmdline") ?? Data()
    return String(decoding: line, as: UTF8.self).contains(word)
  }
}

/// The living processes that were started with an environment entry, such as `REPRISE_RUN_ID=…`.
public func processes(startedWith entry: String) -> [Int32] {
  let pids = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
  return pids.compactMap { Int32($0) }.filter { pid in
    guard pid != getpid(), let data = FileManager.default.contents(atPath: "/proc/\(pid)/environ")
    else { return false }
    return data.split(separator: 0).contains { $0.elementsEqual(entry.utf8) }
  }
}

/// So much work, divided by REPRISE_TEST_SCALE where that is set: less under sanitizers, where
/// everything is slower.
public func scaled(_ amount: Int) -> Int {
  let divisor = ProcessInfo.processInfo.environment["REPRISE_TEST_SCALE"].flatMap(Int.init) ?? 1
  return max(1, amount / max(1, divisor))
}
