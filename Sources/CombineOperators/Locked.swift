// A lock around a value that need not be Sendable.

import Synchronization

/// A value that only one thread at a time can use.
///
/// Like `Mutex`, for types that are not `Sendable`: what a closure returns leaves the lock, so it must
/// be moved out of the state, not shared with it.
package struct Locked<Value>: ~Copyable, Sendable {
  private let mutex: Mutex<UncheckedSendable<Value>>

  /// Puts a value behind a lock.
  package init(_ value: Value) {
    mutex = Mutex(UncheckedSendable(value))
  }

  /// Uses the value while no other thread can.
  ///
  /// The closure must not call back into anything that may take the lock: it decides, and the caller
  /// acts on the result. What it removes should be returned, so that it is released after the lock.
  package func withLock<Result>(_ body: (inout Value) -> Result) -> Result {
    mutex.withLock { UncheckedSendable(body(&$0.value)) }.value
  }
}
