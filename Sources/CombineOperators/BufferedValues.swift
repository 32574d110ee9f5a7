// What a buffer with a limit holds, and which value it drops when it is full: a plain value.

import CombineShim

/// What a buffer does with a value that comes when it is full.
public enum BufferFullStrategy<Failure: Error>: Sendable {
  /// Drops the value that has waited longest and takes the new one.
  case dropOldest
  /// Drops the new value.
  case dropNewest
  /// Drops the new value, cancels upstream, and fails with this error after the values that wait.
  case fail(Failure)
}

/// The failure of a buffer that is full, for publishers that have none of their own.
public struct BufferIsFull: Error, Hashable {
  /// Makes the failure.
  public init() {}
}

/// The values of a buffer: those that downstream has requested, and those that wait for a request.
///
/// What has been requested is on its way and does not wait, even while downstream is still busy with
/// an earlier value. So which values are dropped depends only on the order of values and requests,
/// never on how far a thread has come. No value is released in here, because that may call back: what
/// is dropped is returned.
struct BufferedValues<Value> {
  /// What has become of a value.
  enum Fate<Failure: Error> {
    case kept
    /// A value was dropped: this one, or another to make room for it.
    case dropped(Value)
    /// The value was dropped, and the buffer fails.
    case failed(Value, Failure)
  }

  private let limit: Int
  /// What has been requested and has not come; while there is any, nothing waits.
  private var demand = Subscribers.Demand.none
  private var requested = Queue<Value>()
  private var waiting = Queue<Value>()

  /// Makes an empty buffer.
  ///
  /// - Parameter limit: How many values may wait.
  init(limit: Int) {
    self.limit = limit
  }

  /// How many values wait for a request.
  var waitingCount: Int { waiting.count }

  /// Whether there is nothing to deliver.
  var isEmpty: Bool { requested.isEmpty && waiting.isEmpty }

  /// Adds a value, or drops one.
  ///
  /// - Parameters:
  ///   - value: The new value.
  ///   - strategy: Which value to drop when the buffer is full.
  /// - Returns: What has become of it, or of another one.
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
      // With a limit of 0 the new one is also the oldest.
      waiting.append(value)
      return waiting.popFirst().map { .dropped($0) } ?? .kept
    case .dropNewest:
      return .dropped(value)
    case .fail(let failure):
      return .failed(value, failure)
    }
  }

  /// Adds to what downstream has requested.
  ///
  /// - Complexity: linear in the number of values that no longer wait.
  mutating func request(_ more: Subscribers.Demand) {
    demand += more
    while demand > .none, let value = waiting.popFirst() {
      demand -= 1
      requested.append(value)
    }
  }

  /// Removes the next value that downstream has requested.
  mutating func popFirst() -> Value? {
    requested.popFirst()
  }
}
