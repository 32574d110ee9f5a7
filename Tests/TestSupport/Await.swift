// Waiting for a condition without sleeping for a guessed time, and how much work a stress test does.

import Foundation
public import Testing

/// Waits until a condition holds, and records an issue when it does not before the deadline.
public func expectEventually(
  _ description: String, within deadline: Duration = .seconds(60),
  sourceLocation: SourceLocation = #_sourceLocation, _ condition: () async throws -> Bool
) async rethrows {
  let end = ContinuousClock.now.advanced(by: deadline)
  while try await !condition() {
    guard ContinuousClock.now < end else {
      Issue.record("\(description): not within \(deadline)", sourceLocation: sourceLocation)
      return
    }
    await Task.yield()
  }
}

/// So much work, divided by REPRISE_TEST_SCALE where that is set: less under sanitizers, where
/// everything is slower.
public func scaled(_ amount: Int) -> Int {
  let divisor = ProcessInfo.processInfo.environment["REPRISE_TEST_SCALE"].flatMap(Int.init) ?? 1
  return max(1, amount / max(1, divisor))
}
