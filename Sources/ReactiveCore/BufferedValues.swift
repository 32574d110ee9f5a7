// The contents of a bounded buffer, and the choice of the value to drop when it is full. Pure.

/// What a full buffer does with a new value.
package enum Overflow: Sendable {
  /// Drops the oldest waiting value and keeps the new one.
  case dropOldest
  /// Drops the new value.
  case dropNewest
  /// Drops the new value, and fails.
  case fail
}

/// The values of a buffer: requested ones that are being delivered, and waiting ones.
///
/// A value that was requested does not count as waiting, even while downstream is busy with an
/// earlier one. So which values are dropped depends only on the order of values and requests, never
/// on thread timing. No value is released here, because its deinitializer may call back: dropped
/// values are returned to the caller.
package struct BufferedValues<Value> {
  /// The result of adding a value.
  package enum Fate {
    /// The new value was kept.
    case kept
    /// A value was dropped: the new one, or an older one to make room for it.
    case dropped(Value)
    /// The value was dropped, and the buffer fails.
    case failed(Value)
  }

  private let limit: Int
  /// The demand that has not been met; while there is any, no value waits.
  private var demand = Subscribers.Demand.none
  private var requested = Queue<Value>()
  private var waiting = Queue<Value>()

  /// Creates an empty buffer.
  ///
  /// - Parameter limit: The maximum number of waiting values.
  package init(limit: Int) {
    self.limit = limit
  }

  /// The number of waiting values.
  package var waitingCount: Int { waiting.count }

  /// Whether there is nothing to deliver.
  package var isEmpty: Bool { requested.isEmpty && waiting.isEmpty }

  /// Takes one of the requested values from the demand, if the next value need not wait.
  package mutating func pass() -> Bool {
    guard demand > .none, requested.isEmpty else { return false }
    demand -= 1
    return true
  }

  /// Adds a value, or drops one.
  ///
  /// - Parameters:
  ///   - value: The new value.
  ///   - strategy: Which value to drop when the buffer is full.
  /// - Returns: Whether the new value, or another one, was dropped.
  package mutating func add(_ value: Value, whenFull strategy: Overflow) -> Fate {
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
    case .fail:
      return .failed(value)
    }
  }

  /// Adds demand from downstream.
  ///
  /// - Complexity: Linear in the number of values that stop waiting.
  package mutating func request(_ more: Subscribers.Demand) {
    demand += more
    while demand > .none, let value = waiting.popFirst() {
      demand -= 1
      requested.append(value)
    }
  }

  /// Removes the next requested value.
  package mutating func popFirst() -> Value? {
    requested.popFirst()
  }
}
