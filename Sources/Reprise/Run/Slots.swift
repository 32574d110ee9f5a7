// The places that running steps take, so that no more than `max-parallel` run at once.
// Knows nothing of steps.

import CombineOperators
import Synchronization

/// A number of places, handed out in the order in which they were asked for.
///
/// Safe to use from any thread. Asking and giving back take constant time on average, however many
/// wait.
final class Slots: Sendable {
  private enum Holder {
    /// Has a ticket but does not wait yet.
    case announced
    case cancelled
    case waiting(CheckedContinuation<Bool, Never>)
  }

  private struct State {
    var free: Int
    var nextTicket = 0
    /// Those that have neither got a place nor given up, by ticket.
    var holders: [Int: Holder] = [:]
    /// The tickets of those that wait, in the order of asking.
    var line = Queue<Int>()

    mutating func nextInLine() -> CheckedContinuation<Bool, Never>? {
      while let ticket = line.popFirst() {
        if case .waiting(let continuation) = holders.removeValue(forKey: ticket) {
          return continuation
        }
      }
      return nil
    }
  }

  private let state: Mutex<State>

  /// Makes so many places.
  ///
  /// - Parameter count: How many, at least 1.
  init(count: Int) {
    precondition(count > 0, "a run needs at least one place")
    state = Mutex(State(free: count))
  }

  /// How many wait for a place.
  var waitingCount: Int { state.withLock { $0.line.count } }

  /// Takes a place, waiting for one if none is free.
  ///
  /// - Returns: false when the task was cancelled while it waited: it then has no place.
  func take() async -> Bool {
    let ticket = state.withLock { state -> Int? in
      if state.free > 0 {
        state.free -= 1
        return nil
      }
      state.nextTicket += 1
      state.holders[state.nextTicket] = .announced
      return state.nextTicket
    }
    guard let ticket else { return true }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { wait(ticket, $0) }
    } onCancel: {
      cancel(ticket)
    }
  }

  /// Gives a place back; whoever has waited longest gets it.
  func giveBack() {
    let next = state.withLock { state -> CheckedContinuation<Bool, Never>? in
      let next = state.nextInLine()
      if next == nil { state.free += 1 }
      return next
    }
    next?.resume(returning: true)
  }

  /// Between the ticket and this call the task may have been cancelled, or a place come free.
  private func wait(_ ticket: Int, _ continuation: CheckedContinuation<Bool, Never>) {
    let answer = state.withLock { state -> Bool? in
      if case .cancelled = state.holders[ticket] {
        state.holders[ticket] = nil
        return false
      }
      if state.free > 0 {
        state.free -= 1
        state.holders[ticket] = nil
        return true
      }
      state.holders[ticket] = .waiting(continuation)
      state.line.append(ticket)
      return nil
    }
    if let answer { continuation.resume(returning: answer) }
  }

  private func cancel(_ ticket: Int) {
    let waiter = state.withLock { state -> CheckedContinuation<Bool, Never>? in
      switch state.holders[ticket] {
      case .announced:
        state.holders[ticket] = .cancelled
        return nil
      case .waiting(let continuation):
        state.holders[ticket] = nil
        return continuation
      case .cancelled, nil:
        return nil
      }
    }
    waiter?.resume(returning: false)
  }
}
