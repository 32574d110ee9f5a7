// A lock around a value that need not be Sendable.

import Synchronization

/// A value that only one thread can use at a time.
///
/// Like `Mutex`, for types that are not `Sendable`. The result of a closure leaves the lock, so it
/// must be moved out of the state, not shared with it.
package struct Locked<Value>: ~Copyable, Sendable {
  private let mutex: Mutex<UncheckedSendable<Value>>

  /// Creates a lock around a value.
  package init(_ value: Value) {
    mutex = Mutex(UncheckedSendable(value))
  }

  /// Calls a closure with exclusive access to the value.
  ///
  /// The closure must not call anything that may take the lock again: it decides, and the caller
  /// acts on the result. Values that it removes should be returned, so that they are released
  /// outside of the lock.
  package func withLock<Result>(_ body: (inout Value) -> Result) -> Result {
    mutex.withLock { UncheckedSendable(body(&$0.value)) }.value
  }
}
