// Waiting for a condition without sleeping for a guessed time.

import Testing

/// Waits until a condition holds, and records an issue when it does not before the deadline.
func expectEventually(
  _ description: String, within deadline: Duration = .seconds(30),
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
