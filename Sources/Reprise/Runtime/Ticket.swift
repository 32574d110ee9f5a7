// Waits for one answer: the waits of the engine that cancelling the waiting task ends.

import Synchronization

/// A wait for one answer.
///
/// The first answer counts, also when it comes before the wait. Cancelling the task that waits is an
/// answer, too: ``value()`` then returns nil, unless another answer was first.
///
/// Safe to use from any thread; one task waits.
package final class Ticket<Answer: Sendable>: Sendable {
  private enum State {
    case open
    case waiting(CheckedContinuation<Answer?, Never>)
    case answered(Answer?)
  }

  private let state = Mutex(State.open)

  /// Makes a ticket without an answer.
  package init() {}

  /// Answers.
  ///
  /// - Returns: Whether this was the first answer.
  @discardableResult
  package func answer(_ answer: Answer) -> Bool {
    settle(answer)
  }

  /// Waits for the answer.
  ///
  /// - Returns: The answer; nil when the waiting task was cancelled first.
  package func value() async -> Answer? {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let answer = state.withLock { state -> Answer?? in
          if case .answered(let answer) = state { return .some(answer) }
          state = .waiting(continuation)
          return nil
        }
        if let answer { continuation.resume(returning: answer) }
      }
    } onCancel: {
      settle(nil)
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

/// One answer for any number of waiting tasks, each of which stops waiting when it is cancelled.
///
/// Safe to use from any thread.
package final class SharedAnswer<Answer: Sendable>: Sendable {
  private enum State {
    case open([ObjectIdentifier: Ticket<Answer>])
    case answered(Answer)
  }

  private let state = Mutex(State.open([:]))

  /// Makes one without an answer.
  package init() {}

  /// Answers; called once.
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
  /// - Returns: The answer, whenever there is one; nil when the waiting task was cancelled before that.
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
