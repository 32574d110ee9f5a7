// `Ticket` and `SharedAnswer`: waiting for one answer, with support for task cancellation.

import Synchronization

/// A single answer that one task waits for.
///
/// The first answer counts, even if it arrives before the wait. Cancelling the waiting task ends
/// the wait: ``value()`` then returns nil, unless an answer came first.
///
/// Thread-safe.
package final class Ticket<Answer: Sendable>: Sendable {
  private enum State {
    case open
    case waiting(CheckedContinuation<Answer?, Never>)
    case answered(Answer?)
  }

  private let state = Mutex(State.open)

  /// Creates a ticket without an answer.
  package init() {}

  /// Sets the answer, unless there is one already.
  ///
  /// - Returns: Whether this was the first answer; false also if the waiting task was cancelled
  ///   before.
  @discardableResult
  package func answer(_ answer: Answer) -> Bool {
    settle(answer)
  }

  /// Waits for the answer.
  ///
  /// - Returns: The answer; nil if the waiting task was cancelled first.
  package func value() async -> Answer? {
    await withTaskCancellationHandler {
      await finalValue()
    } onCancel: {
      settle(nil)
    }
  }

  /// Waits for the answer, also in a task that is cancelled.
  ///
  /// - Returns: The answer; nil only if a ``value()`` was cancelled before.
  package func finalValue() async -> Answer? {
    await withCheckedContinuation { continuation in
      let answer = state.withLock { state -> Answer?? in
        if case .answered(let answer) = state { return .some(answer) }
        state = .waiting(continuation)
        return nil
      }
      if let answer { continuation.resume(returning: answer) }
    }
  }

  @discardableResult
  private func settle(_ answer: Answer?) -> Bool {
    let (isFirst, waiter) = state.withLock {
      state -> (Bool, CheckedContinuation<Answer?, Never>?) in
      switch state {
      case .open:
        state = .answered(answer)
        return (true, nil)
      case .waiting(let continuation):
        state = .answered(answer)
        return (true, continuation)
      case .answered:
        return (false, nil)
      }
    }
    waiter?.resume(returning: answer)
    return isFirst
  }
}

/// One answer that any number of tasks wait for; cancelling a task ends its wait.
///
/// Thread-safe.
package final class SharedAnswer<Answer: Sendable>: Sendable {
  private enum State {
    case open([ObjectIdentifier: Ticket<Answer>])
    case answered(Answer)
  }

  private let state = Mutex(State.open([:]))

  /// Creates a shared answer that is not set.
  package init() {}

  /// Sets the answer; only the first call has an effect.
  package func answer(_ answer: Answer) {
    let tickets = state.withLock { state -> [Ticket<Answer>] in
      guard case .open(let tickets) = state else { return [] }
      state = .answered(answer)
      return Array(tickets.values)
    }
    for ticket in tickets { ticket.answer(answer) }
  }

  /// Waits for the answer.
  ///
  /// - Returns: The answer, even in a cancelled task if it is already set; nil if the waiting task
  ///   is cancelled before.
  package func value() async -> Answer? {
    let ticket = Ticket<Answer>()
    let answer = state.withLock { state -> Answer? in
      switch state {
      case .answered(let answer): return answer
      case .open(var tickets):
        // Release the state so that the dictionary is changed in place.
        state = .open([:])
        tickets[ObjectIdentifier(ticket)] = ticket
        state = .open(tickets)
        return nil
      }
    }
    if let answer { return answer }
    defer { remove(ticket) }
    return await ticket.value()
  }

  private func remove(_ ticket: Ticket<Answer>) {
    state.withLock { state in
      guard case .open(var tickets) = state else { return }
      state = .open([:])
      tickets[ObjectIdentifier(ticket)] = nil
      state = .open(tickets)
    }
  }
}
