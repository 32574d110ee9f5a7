// A lock for objects that guard several fields with it.

import Synchronization

/// A lock without a value of its own.
///
/// ``Locked`` is safer, but unspecialized generic code handles its value through type metadata. On the
/// paths that every value takes, a lock and the fields of a class are many times faster.
package struct Lock: ~Copyable, Sendable {
  private let mutex = Mutex<Void>(())

  /// Creates a lock.
  package init() {}

  /// Waits until no other thread has the lock, and takes it.
  @inline(__always) package func lock() { mutex._unsafeLock() }

  /// Releases the lock.
  @inline(__always) package func unlock() { mutex._unsafeUnlock() }
}
