// A subscriber of a simulation, which may join late, request little, be slow, or leave.

import CombineOperators
import Reprise

/// Subscribes to the events of a run as the scenario specifies, and folds them.
// @unchecked: a simulation runs on one thread.
final class SimulatedListener: Subscriber, @unchecked Sendable {
  typealias Input = Event
  typealias Failure = Never

  let settings: Scenario.Listener
  /// The fold of all received events.
  private(set) var state = RunState()
  private(set) var count = 0
  private(set) var isFinished = false
  private(set) var hasLeft = false
  private(set) var problem: String?
  /// The number of requested events that have not arrived.
  private var open = 0
  private let scheduler: Scheduler
  private var subscription: (any Subscription)?

  init(_ settings: Scenario.Listener, _ scheduler: Scheduler) {
    self.settings = settings
    self.scheduler = scheduler
  }

  func receive(subscription: any Subscription) {
    self.subscription = subscription
    if settings.demand == 0 {
      subscription.request(.unlimited)
    } else {
      ask()
    }
  }

  private func ask() {
    guard !hasLeft, !isFinished else { return }
    open += settings.demand
    subscription?.request(.max(settings.demand))
  }

  func receive(_ event: Event) -> Subscribers.Demand {
    guard !scheduler.isDead else { return .none }
    if isFinished { problem = "an event arrives after the completion" }
    do {
      try state.apply(event)
    } catch {
      problem = problem ?? "event \(count) does not fold: \(error)"
    }
    count += 1
    if settings.demand > 0 {
      open -= 1
      if open < 0 { problem = problem ?? "more events arrive than were requested" }
      if open == 0 {
        scheduler.enqueue(after: Int64(settings.pause) * 1000, .closure { self.ask() })
      }
    }
    if count == settings.leavesAfter {
      hasLeft = true
      subscription?.cancel()
    }
    if settings.blocks > 0, count % 10 == 0 { scheduler.block(for: Int64(settings.blocks) * 1000) }
    return .none
  }

  func receive(completion: Subscribers.Completion<Never>) {
    if isFinished { problem = "the subscriber is completed twice" }
    isFinished = true
  }
}
