// A countdown to zero that a task can wait for.

import Synchronization

/// Counts down to zero, and lets one task wait for zero.
final class Countdown: Sendable {
  private let left: Atomic<Int>
  private let ends: (stream: AsyncStream<Void>, continuation: AsyncStream<Void>.Continuation)

  /// Starts at a number above zero.
  init(_ count: Int) {
    left = Atomic(count)
    ends = AsyncStream.makeStream(of: Void.self)
  }

  /// Subtracts one.
  func countDown() {
    let left = left.subtract(1, ordering: .acquiringAndReleasing).newValue
    if left == 0 { ends.continuation.finish() }
  }

  /// Waits for zero; only one task may wait.
  func zero() async {
    for await _ in ends.stream {}
  }
}
