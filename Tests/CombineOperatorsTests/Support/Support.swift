// Shared helpers of the tests of operators, such as a subscriber that records what it receives.

import CombineOperators
import Synchronization
import Testing

/// A value that is passed to another thread.
// @unchecked: tests pass values between threads on purpose, to check that operators allow it.
struct UncheckedTransfer<Value>: @unchecked Sendable {
  let value: Value
}

enum Ended: Sendable, Equatable {
  case finished, failed
}

/// Records what it receives and requests what a test asks for.
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
  var isSubscribed: Bool { state.withLock { $0.subscription != nil } }
  /// The rules of Combine that were broken.
  var faults: [String] { state.withLock { $0.faults } }

  func request(_ count: Int) {
    let held = state.withLock { UncheckedTransfer(value: $0.subscription) }
    held.value?.request(.max(count))
  }

  func cancel() {
    let held = state.withLock { state in
      state.isCancelled = true
      return UncheckedTransfer(value: state.subscription)
    }
    held.value?.cancel()
  }

  func receive(subscription: any Subscription) {
    let handed = UncheckedTransfer(value: subscription)
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

struct TestError: Error, Equatable {}
