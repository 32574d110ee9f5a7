// `Waiters`: tasks that wait for a condition on a value guarded by a mutex.

package import Synchronization

/// A list of waiting tasks, stored in a value that a mutex guards.
package struct Waiters: Sendable {
  private var continuations: [CheckedContinuation<Void, Never>] = []

  /// Creates an empty list.
  package init() {}

  /// Adds a task.
  package mutating func add(_ continuation: CheckedContinuation<Void, Never>) {
    continuations.append(continuation)
  }

  /// Removes and returns all tasks; the caller must wake them after releasing the lock.
  package mutating func takeAll() -> Waiters {
    defer { continuations = [] }
    return self
  }

  /// Resumes the tasks.
  package consuming func wake() {
    for continuation in continuations { continuation.resume() }
  }
}

extension Mutex where Value: ~Copyable {
  /// Waits until a condition on the guarded value holds.
  ///
  /// The condition is checked once, under the lock. Code that later makes it true must take the
  /// waiters out under the lock and wake them after releasing it. Cancelling the task does not end
  /// the wait.
  ///
  /// - Parameters:
  ///   - holds: Returns whether the condition holds.
  ///   - add: Adds the waiting task to the list of waiters.
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
