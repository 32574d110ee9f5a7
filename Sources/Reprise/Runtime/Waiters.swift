// Tasks that wait until what a lock guards is as they want it. Knows nothing of what that is.

package import Synchronization

/// Tasks that wait: a part of what a lock guards.
package struct Waiters: Sendable {
  private var continuations: [CheckedContinuation<Void, Never>] = []

  /// Nobody waits.
  package init() {}

  /// Adds a task.
  package mutating func add(_ continuation: CheckedContinuation<Void, Never>) {
    continuations.append(continuation)
  }

  /// Takes all of them out; to be woken when the lock is not held any more.
  package mutating func takeAll() -> Waiters {
    defer { continuations = [] }
    return self
  }

  /// Lets them go on.
  package consuming func wake() {
    for continuation in continuations { continuation.resume() }
  }
}

extension Mutex where Value: ~Copyable {
  /// Waits until a condition of what is guarded holds.
  ///
  /// It is looked at once, under the lock. Whoever makes it hold later takes the waiters out under the lock, and wakes
  /// them afterwards. Cancelling the task ends no wait.
  ///
  /// - Parameters:
  ///   - holds: The condition.
  ///   - add: Puts who waits among those that are woken then.
  package borrowing func wait(
    until holds: @Sendable (inout Value) -> Bool,
    among add: @Sendable (inout Value, CheckedContinuation<Void, Never>) -> Void
  ) async {
    await withCheckedContinuation { continuation in
      let isOver = withLock { value in
        let isOver = holds(&value)
        if !isOver { add(&value, continuation) }
        return isOver
      }
      if isOver { continuation.resume() }
    }
  }
}
