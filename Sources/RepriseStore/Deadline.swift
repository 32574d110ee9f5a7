// Blocking work with a deadline.

import Dispatch
import Synchronization

/// Runs blocking work on another thread, and waits for it, but not for longer than a time.
///
/// Work that takes longer goes on, and its result is dropped: a network drive that does not answer blocks the thread
/// that asks.
///
/// - Parameters:
///   - time: The maximum duration of the wait.
///   - work: The work.
/// - Returns: Its result; nil if it takes longer.
func within<Content: Sendable>(
  _ time: Duration, _ work: @escaping @Sendable () -> Content
) -> Content? {
  let answer = Answer<Content>()
  DispatchQueue.global().async {
    let content = work()
    answer.content.withLock { $0 = content }
    answer.isThere.signal()
  }
  let nanoseconds =
    time.components.seconds * 1_000_000_000
    + time.components.attoseconds / 1_000_000_000
  guard answer.isThere.wait(timeout: .now() + .nanoseconds(Int(nanoseconds))) == .success else {
    return nil
  }
  return answer.content.withLock { $0 }
}

private final class Answer<Content: Sendable>: Sendable {
  let content = Mutex<Content?>(nil)
  let isThere = DispatchSemaphore(value: 0)
}
