// Test doubles for operators: a publisher without a lock of its own, a subscriber that answers with
// a closure, and values that count their instances.

import CombineOperators
import Foundation
import Synchronization
import TestSupport
import Testing

/// Calls its subscriber on the thread of the test; no lock of a subject orders the threads.
final class BareUpstream<Output: Sendable, Failure: Error>: Publisher, Subscription, Sendable {
  // @unchecked: a subscriber is not Sendable; tests call it from several threads on purpose.
  private struct State: @unchecked Sendable {
    var subscriber: AnySubscriber<Output, Failure>?
    var asked: [Subscribers.Demand] = []
    var cancels = 0
  }

  private let state = Mutex(State())

  /// The demands that were requested from it, in order.
  var asked: [Subscribers.Demand] { state.withLock { $0.asked } }
  var cancels: Int { state.withLock { $0.cancels } }

  func receive<Downstream: Subscriber>(subscriber: Downstream)
  where Downstream.Input == Output, Downstream.Failure == Failure {
    let handed = UncheckedTransfer(value: AnySubscriber(subscriber))
    state.withLock { $0.subscriber = handed.value }
    subscriber.receive(subscription: self)
  }

  private var subscriber: AnySubscriber<Output, Failure>? {
    state.withLock { UncheckedTransfer(value: $0.subscriber) }.value
  }

  func request(_ demand: Subscribers.Demand) {
    state.withLock { $0.asked.append(demand) }
  }

  /// Counts the cancel; may still call its subscriber later, as a publisher on another thread may.
  func cancel() {
    state.withLock { $0.cancels += 1 }
  }

  func send(_ value: Output) {
    // An operator that has already ended has not subscribed.
    guard let subscriber else { return }
    #expect(subscriber.receive(value) == .none)
  }

  func send(completion: Subscribers.Completion<Failure>) {
    subscriber?.receive(completion: completion)
  }

  /// Sends its subscriber another subscription, against the rules.
  func give(_ subscription: any Subscription) {
    subscriber?.receive(subscription: subscription)
  }

  /// Releases its subscriber.
  func forget() {
    let forgotten = state.withLock { state in
      defer { state.subscriber = nil }
      return UncheckedTransfer(value: state.subscriber)
    }
    withExtendedLifetime(forgotten) {}
  }
}

/// A subscriber that answers each value with a closure.
final class Responder<Input: Sendable, Failure: Error>: Subscriber, Sendable {
  private let subscription = Protected<UncheckedTransfer<any Subscription>?>(nil)
  private let started: @Sendable (any Subscription) -> Void
  private let answer: @Sendable (Input, any Subscription) -> Subscribers.Demand
  private let ended: @Sendable (Ended) -> Void

  init(
    started: @escaping @Sendable (any Subscription) -> Void = { _ in },
    ended: @escaping @Sendable (Ended) -> Void = { _ in },
    answer: @escaping @Sendable (Input, any Subscription) -> Subscribers.Demand
  ) {
    self.started = started
    self.ended = ended
    self.answer = answer
  }

  func request(_ demand: Subscribers.Demand) { subscription.value?.value.request(demand) }
  func cancel() { subscription.value?.value.cancel() }
  /// Releases its subscription.
  func forget() { subscription.withLock { $0 = nil } }

  func receive(subscription: any Subscription) {
    let handed = UncheckedTransfer(value: subscription)
    self.subscription.withLock { $0 = handed }
    started(subscription)
  }

  func receive(_ input: Input) -> Subscribers.Demand {
    guard let subscription = subscription.value?.value else { return .none }
    return answer(input, subscription)
  }

  func receive(completion: Subscribers.Completion<Failure>) {
    if case .finished = completion { ended(.finished) } else { ended(.failed) }
  }
}

/// A value that counts its live instances.
final class Counted: Sendable {
  static let noEnd: @Sendable () -> Void = {}

  let number: Int
  private let living: Protected<Int>
  private let atEnd: @Sendable () -> Void

  init(_ number: Int, _ living: Protected<Int>, atEnd: @escaping @Sendable () -> Void = noEnd) {
    self.number = number
    self.living = living
    self.atEnd = atEnd
    living.withLock { $0 += 1 }
  }

  deinit {
    living.withLock { $0 -= 1 }
    atEnd()
  }
}

/// Runs a closure on a thread with a stack of 512 KiB, and waits for its end.
func onSmallStack(_ body: @escaping @Sendable () -> Void) async {
  await withCheckedContinuation { continuation in
    let thread = Thread {
      body()
      continuation.resume()
    }
    thread.stackSize = 512 << 10
    thread.start()
  }
}
