// Waiting for conditions without fixed delays, and the amount of work of stress tests.

import Foundation
public import Testing

/// Waits until a condition holds, and records an issue if it does not before the deadline.
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
    // Notices fast conditions immediately, and leaves the processor to slow ones.
    if turns < 1000 {
      await Task.yield()
    } else {
      try? await ContinuousClock().sleep(for: .milliseconds(1))
    }
  }
}

/// Whether campaigns run at their full length.
public var isSoak: Bool { ProcessInfo.processInfo.environment["REPRISE_SOAK"] == "1" }

/// Returns the number of rounds of a campaign: few for each change, many in `make soak`.
public func rounds(_ few: Int, soak: Int) -> Int {
  isSoak ? soak : scaled(few)
}

/// Returns a promised time: exact in the soak, and with room for a busy machine otherwise.
///
/// What waits for other processes needs more room than what computes: at least `busy`.
public func promised(_ time: Duration, busy: Duration = .zero) -> Duration {
  isSoak ? time : max(time * 5, busy)
}

/// Returns the processor time that work takes, of all threads of this process.
///
/// Unlike elapsed time, it does not depend on what else runs on the machine.
public func processorTime(of work: () throws -> Void) rethrows -> Duration {
  try time(CLOCK_PROCESS_CPUTIME_ID, of: work)
}

/// Returns the processor time that work takes on this thread, whatever other tests do beside it.
public func threadTime(of work: () throws -> Void) rethrows -> Duration {
  try time(CLOCK_THREAD_CPUTIME_ID, of: work)
}

private func time(_ clock: clockid_t, of work: () throws -> Void) rethrows -> Duration {
  func now() -> Duration {
    var time = timespec()
    clock_gettime(clock, &time)
    return .seconds(Int64(time.tv_sec)) + .nanoseconds(Int64(time.tv_nsec))
  }
  let start = now()
  try work()
  return now() - start
}

/// Returns the live processes whose command line contains a word.
public func processes(with word: String) -> [Int32] {
  // A zombie has no command line.
  let pids = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
  return pids.compactMap { Int32($0) }.filter { pid in
    let line = FileManager.default.contents(atPath: "/proc/\(pid)/cmdline") ?? Data()
    return String(decoding: line, as: UTF8.self).contains(word)
  }
}

/// Returns the live processes with an entry in their initial environment, such as
/// `REPRISE_RUN_ID=…`.
public func processes(startedWith entry: String) -> [Int32] {
  let pids = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
  return pids.compactMap { Int32($0) }.filter { pid in
    guard pid != getpid(), let data = FileManager.default.contents(atPath: "/proc/\(pid)/environ")
    else { return false }
    return data.split(separator: 0).contains { $0.elementsEqual(entry.utf8) }
  }
}

/// Returns an amount of work, divided by REPRISE_TEST_SCALE if set: less under sanitizers, which
/// are slow.
public func scaled(_ amount: Int) -> Int {
  let divisor = ProcessInfo.processInfo.environment["REPRISE_TEST_SCALE"].flatMap(Int.init) ?? 1
  return max(1, amount / max(1, divisor))
}
