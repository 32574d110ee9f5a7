// A value that test closures on many threads share.

import Synchronization

/// A value behind a lock that escaping closures may hold.
public final class Protected<Value: Sendable>: Sendable {
  private let mutex: Mutex<Value>

  /// Protects a value.
  public init(_ value: Value) {
    mutex = Mutex(value)
  }

  /// The value at this moment.
  public var value: Value { mutex.withLock { $0 } }

  /// Changes the value while nobody else does.
  public func withLock<Result: Sendable, Failure: Error>(
    _ body: (inout Value) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try mutex.withLock { value throws(Failure) in try body(&value) }
  }
}
