// What the tests of operators share: a subscriber that writes down what it gets, shared values,
// waiting for conditions.

import CombineOperators
import Foundation
import Synchronization
import Testing

/// A value that test closures on many threads share.
final class Protected<Value: Sendable>: Sendable {
  private let mutex: Mutex<Value>

  init(_ value: Value) {
    mutex = Mutex(value)
  }

  var value: Value { mutex.withLock { $0 } }

  func withLock<Result: Sendable>(_ body: (inout Value) -> Result) -> Result {
    mutex.withLock { value in body(&value) }
  }
}

/// A value on its way to another thread.
// @unchecked: tests hand things over on purpose, to see whether the operators bear it.
struct Handed<Value>: @unchecked Sendable {
  let value: Value
}

enum Ended: Sendable, Equatable {
  case finished, failed
}

/// Writes down what it gets and asks for what it is told to.
final class Probe<Input: Sendable, Failure: Error>: Subscriber, Sendable {
  // @unchecked: subscriptions may be used from any thread.
  private struct State: @unchecked Sendable {
    var subscription: (any Subscription)?
    var values: [Input] = []
    var ended: Ended?
    var isInside = false
    var faults: [String] = []
    var isCancelled = false
  }

  private let state = Mutex(State())
  private let initialDemand: Subscribers.Demand

  init(demand: Subscribers.Demand = .unlimited) {
    initialDemand = demand
  }

  var values: [Input] { state.withLock { $0.values } }
  var ended: Ended? { state.withLock { $0.ended } }
  /// Rules of Combine that were broken.
  var faults: [String] { state.withLock { $0.faults } }

  func request(_ count: Int) {
    let held = state.withLock { Handed(value: $0.subscription) }
    held.value?.request(.max(count))
  }

  func cancel() {
    let held = state.withLock { state in
      state.isCancelled = true
      return Handed(value: state.subscription)
    }
    held.value?.cancel()
  }

  func receive(subscription: any Subscription) {
    let handed = Handed(value: subscription)
    state.withLock { $0.subscription = handed.value }
    if initialDemand > .none { subscription.request(initialDemand) }
  }

  func receive(_ input: Input) -> Subscribers.Demand {
    state.withLock { state in
      if state.isInside { state.faults.append("two values at once") }
      if state.ended != nil { state.faults.append("a value after the end") }
      state.isInside = true
    }
    state.withLock { state in
      state.values.append(input)
      state.isInside = false
    }
    return .none
  }

  func receive(completion: Subscribers.Completion<Failure>) {
    let ended: Ended = if case .finished = completion { .finished } else { .failed }
    state.withLock { state in
      if state.ended != nil { state.faults.append("two ends") }
      state.ended = ended
    }
  }
}

struct Mishap: Error, Equatable {}

/// Waits until a condition holds, and records an issue when it does not before the deadline.
func expectEventually(
  _ description: String, within deadline: Duration = .seconds(30),
  sourceLocation: SourceLocation = #_sourceLocation, _ condition: () -> Bool
) async {
  let end = ContinuousClock.now.advanced(by: deadline)
  while !condition() {
    guard ContinuousClock.now < end else {
      Issue.record("\(description): not within \(deadline)", sourceLocation: sourceLocation)
      return
    }
    await Task.yield()
  }
}

/// So many iterations, divided by REPRISE_TEST_SCALE where that is set.
func scaled(_ iterations: Int) -> Int {
  let divisor = ProcessInfo.processInfo.environment["REPRISE_TEST_SCALE"].flatMap(Int.init) ?? 1
  return max(1, iterations / max(1, divisor))
}

/// Waits at most once for a gate to open, also in a task that has been cancelled.
final class Gate: Sendable {
  private struct State {
    var isOpen = false
    var waiting: [CheckedContinuation<Void, Never>] = []
  }

  private let state = Mutex(State())

  func wait() async {
    await withCheckedContinuation { continuation in
      let isOpen = state.withLock { state in
        if !state.isOpen { state.waiting.append(continuation) }
        return state.isOpen
      }
      if isOpen { continuation.resume() }
    }
  }

  func open() {
    let waiting = state.withLock { state in
      state.isOpen = true
      defer { state.waiting = [] }
      return state.waiting
    }
    for continuation in waiting { continuation.resume() }
  }
}
