// Reports the dropped values of a buffer and its number of waiting values.

/// Calls the `onDrop` and `onChange` closures of a buffer, serially and in order.
///
/// It has its own queue and loop, so a slow subscriber does not delay reports.
final class BufferReporter<Value>: Sendable {
  private struct State {
    var dropped = Queue<Value>()
    var waiting = 0
    var reported = 0

    mutating func next() -> Report? {
      if let value = dropped.popFirst() { return .dropped(value) }
      guard waiting != reported else { return nil }
      reported = waiting
      return .waiting(waiting)
    }
  }

  private enum Report {
    case dropped(Value)
    case waiting(Int)
  }

  private let onDrop: @Sendable (Value) -> Void
  private let onChange: @Sendable (Int) -> Void
  private let state = Locked(State())
  private let loop = DrainLoop()

  init(
    onDrop: @escaping @Sendable (Value) -> Void, onChange: @escaping @Sendable (Int) -> Void
  ) {
    self.onDrop = onDrop
    self.onChange = onChange
  }

  /// Records a report without calling anything; may be called under the lock of the buffer.
  ///
  /// - Returns: Whether there is anything to report.
  func note(dropped value: Value? = nil, waiting: Int) -> Bool {
    state.withLock { state in
      if let value { state.dropped.append(value) }
      state.waiting = waiting
      return !state.dropped.isEmpty || waiting != state.reported
    }
  }

  /// Delivers the recorded reports; if several threads call this, one of them delivers all.
  func report() {
    loop.run {
      switch state.withLock({ $0.next() }) {
      case .dropped(let value): onDrop(value)
      case .waiting(let count): onChange(count)
      case nil: return false
      }
      return true
    }
  }
}
