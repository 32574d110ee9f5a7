// What a buffer with a limit holds, and which value goes when it is full. Plain value: knows no lock
// and no subscriber.

public import CombineShim

/// The values of a buffer: those that downstream has asked for, and those that wait to be asked for.
///
/// What has been asked for is on its way and does not wait, even while downstream is still busy with
/// an earlier value. So what is dropped depends only on the order of values and requests, never on
/// how far a thread has come. No value is let go of in here: it is handed out, so that nothing ends
/// within the lock around it.
@usableFromInline
struct BufferedValues<Value> {
  /// What the user of the buffer is to be told.
  @usableFromInline
  enum Report {
    /// A value was dropped.
    case dropped(Value)
    /// So many wait now.
    case waiting(Int)
  }

  @usableFromInline let limit: Int
  /// What has been asked for and has not come yet; where there is any, nothing waits.
  @usableFromInline var demand = Subscribers.Demand.none
  @usableFromInline var asked = Queue<Value>()
  @usableFromInline var waiting = Queue<Value>()
  @usableFromInline var dropped = Queue<Value>()
  @usableFromInline var reported = 0

  /// Makes an empty buffer.
  ///
  /// - Parameter limit: How many values may wait.
  @inlinable
  init(limit: Int) {
    self.limit = limit
  }

  /// Whether it holds nothing that is to be delivered.
  @inlinable
  var isEmpty: Bool { asked.isEmpty && waiting.isEmpty }

  /// Takes a value in, or drops one.
  ///
  /// - Parameters:
  ///   - value: What has come.
  ///   - strategy: Which value to drop when it is full.
  /// - Returns: The failure of the strategy, where the buffer was full and is to fail.
  @inlinable
  mutating func add<Failure: Error>(
    _ value: Value, whenFull strategy: BufferFullStrategy<Failure>
  ) -> Failure? {
    if demand > .none {
      demand -= 1
      asked.append(value)
    } else if waiting.count < limit {
      waiting.append(value)
    } else {
      switch strategy {
      case .dropOldest:
        // With a limit of nothing the new one is also the oldest.
        waiting.append(value)
        if let oldest = waiting.popFirst() { dropped.append(oldest) }
      case .dropNewest:
        dropped.append(value)
      case .fail(let failure):
        dropped.append(value)
        return failure
      }
    }
    return nil
  }

  /// Adds to what downstream has asked for.
  ///
  /// Linear in the number of values that need not wait any longer.
  @inlinable
  mutating func ask(_ more: Subscribers.Demand) {
    demand += more
    while demand > .none, let value = waiting.popFirst() {
      demand -= 1
      asked.append(value)
    }
  }

  /// Takes the next value that downstream has asked for.
  @inlinable
  mutating func next() -> Value? {
    asked.popFirst()
  }

  /// Takes everything that was to be delivered.
  ///
  /// What was dropped before is still reported.
  ///
  /// - Returns: What is to be let go of.
  @inlinable
  mutating func removeAll() -> (asked: Queue<Value>, waiting: Queue<Value>) {
    defer {
      asked = Queue()
      waiting = Queue()
    }
    return (asked, waiting)
  }

  /// Takes the next report: what was dropped, in that order, then how many wait, if that has changed.
  @inlinable
  mutating func nextReport() -> Report? {
    if let value = dropped.popFirst() { return .dropped(value) }
    guard waiting.count != reported else { return nil }
    reported = waiting.count
    return .waiting(reported)
  }
}
