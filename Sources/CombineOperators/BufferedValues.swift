// The contents of a bounded buffer, and the choice of the value to drop when it is full. Pure.

import CombineShim

/// What a buffer does with a value that arrives when it is full.
public enum BufferFullStrategy<Failure: Error>: Sendable {
  /// Drops the oldest waiting value and keeps the new one.
  case dropOldest
  /// Drops the new value.
  case dropNewest
  /// Drops the new value, cancels upstream, and fails with this error after the waiting values.
  case fail(Failure)
}

/// The failure of a full buffer, for publishers without a failure type of their own.
public struct BufferIsFull: Error, Hashable {
  /// Creates the failure.
  public init() {}
}

/// The values of a buffer: requested ones that are being delivered, and waiting ones.
///
/// A value that was requested does not count as waiting, even while downstream is busy with an
/// earlier one. So which values are dropped depends only on the order of values and requests, never
/// on thread timing. No value is released here, because its deinitializer may call back: dropped
/// values are returned to the caller.
struct BufferedValues<Value> {
  /// The result of adding a value.
  enum Fate<Failure: Error> {
    case kept
    /// A value was dropped: the new one, or an older one to make room for it.
    case dropped(Value)
    /// The value was dropped, and the buffer fails.
    case failed(Value, Failure)
  }

  private let limit: Int
  /// The demand that has not been met; while there is any, no value waits.
  private var demand = Subscribers.Demand.none
  private var requested = Queue<Value>()
  private var waiting = Queue<Value>()

  /// Creates an empty buffer.
  ///
  /// - Parameter limit: The maximum number of waiting values.
  init(limit: Int) {
    self.limit = limit
  }

  /// The number of waiting values.
  var waitingCount: Int { waiting.count }

  /// Whether there is nothing to deliver.
  var isEmpty: Bool { requested.isEmpty && waiting.isEmpty }

  /// Adds a value, or drops one.
  ///
  /// - Parameters:
  ///   - value: The new value.
  ///   - strategy: Which value to drop when the buffer is full.
  /// - Returns: Whether the new value, or another one, was dropped.
  mutating func add<Failure: Error>(
    _ value: Value, whenFull strategy: BufferFullStrategy<Failure>
  ) -> Fate<Failure> {
    if demand > .none {
      demand -= 1
      requested.append(value)
      return .kept
    }
    if waiting.count < limit {
      waiting.append(value)
      return .kept
    }
    switch strategy {
    case .dropOldest:
      // With a limit of 0, the new value is also the oldest.
      waiting.append(value)
      return waiting.popFirst().map { .dropped($0) } ?? .kept
    case .dropNewest:
      return .dropped(value)
    case .fail(let failure):
      return .failed(value, failure)
    }
  }

  /// Adds demand from downstream.
  ///
  /// - Complexity: Linear in the number of values that stop waiting.
  mutating func request(_ more: Subscribers.Demand) {
    demand += more
    while demand > .none, let value = waiting.popFirst() {
      demand -= 1
      requested.append(value)
    }
  }

  /// Removes the next requested value.
  mutating func popFirst() -> Value? {
    requested.popFirst()
  }
}
