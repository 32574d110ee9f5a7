// A value that closures on several threads share in tests.

import Synchronization

/// A value behind a lock that escaping closures may hold.
public final class Protected<Value: Sendable>: Sendable {
  private let mutex: Mutex<Value>

  /// Creates a protected value.
  public init(_ value: Value) {
    mutex = Mutex(value)
  }

  /// The current value.
  public var value: Value { mutex.withLock { $0 } }

  /// Changes the value under the lock.
  public func withLock<Result: Sendable, Failure: Error>(
    _ body: (inout Value) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try mutex.withLock { value throws(Failure) in try body(&value) }
  }
}
