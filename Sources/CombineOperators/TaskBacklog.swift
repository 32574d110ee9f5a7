// Makes tasks no faster than they begin. Knows nothing of what they do.

import Synchronization

/// The tasks of all joins that were made and have not begun yet, and those that are still to be made.
///
/// A task takes a kilobyte from when it is made, and a pipeline can have 100,000 steps ready at once. The
/// order is that of asking, as it would be without.
@usableFromInline
final class TaskBacklog: Sendable {
  /// How to make a task; a function without captures, so that it costs no memory.
  ///
  /// Returns whether it was made, that is, still wanted.
  @usableFromInline typealias Make = @Sendable (_ owner: AnyObject, _ number: Int) -> Bool

  private struct Entry {
    let owner: any AnyObject & Sendable
    let number: Int
    let make: Make
  }

  private struct State {
    var waiting = Queue<Entry>()
    /// How many tasks were made and have not begun.
    var made = 0
  }

  /// Enough to keep all processors busy while the next ones are made.
  private static let madeMax = 256

  @usableFromInline static let shared = TaskBacklog()

  private let state = Mutex(State())

  /// Has a task made, now or when others have begun.
  ///
  /// - Parameters:
  ///   - owner: Handed to `make`.
  ///   - number: Handed to `make`.
  ///   - make: Makes the task, which must call `begun()` when it begins.
  @usableFromInline
  func add(_ owner: any AnyObject & Sendable, _ number: Int, make: @escaping Make) {
    let entry = Entry(owner: owner, number: number, make: make)
    let isNow = state.withLock { state in
      guard state.made < Self.madeMax else {
        state.waiting.append(entry)
        return false
      }
      state.made += 1
      return true
    }
    if isNow, !make(owner, number) { begun() }
  }

  /// Notes that a task has begun, and makes the next one.
  @usableFromInline
  func begun() {
    while true {
      let next = state.withLock { state -> Entry? in
        let next = state.waiting.popFirst()
        if next == nil { state.made -= 1 }
        return next
      }
      guard let next, !next.make(next.owner, next.number) else { return }
    }
  }
}
