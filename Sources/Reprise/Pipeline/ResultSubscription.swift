// `ResultSubscription`: the subscription of one subscriber to a step's future.

import CombineOperators

/// Receives the result of a future, once.
protocol ResultReceiver: Sendable {
  func receive(_ result: StepResult)
}

/// Delivers one value, once it is both available and requested.
final class ResultSubscription<Downstream: Subscriber & SendableMetatype>: Subscription,
  ResultReceiver
where Downstream.Input == StepResult, Downstream.Failure == Never {
  private enum State {
    case waiting(Downstream, isRequested: Bool)
    case unrequested(Downstream, StepResult)
    case over
  }

  private let state: Locked<State>

  init(downstream: Downstream) {
    state = Locked(.waiting(downstream, isRequested: false))
  }

  func receive(_ result: StepResult) {
    let downstream = state.withLock { state -> Downstream? in
      guard case .waiting(let downstream, let isRequested) = state else { return nil }
      state = isRequested ? .over : .unrequested(downstream, result)
      return isRequested ? downstream : nil
    }
    if let downstream { deliver(result, to: downstream) }
  }

  func request(_ demand: Subscribers.Demand) {
    guard demand > .none else { return }
    let delivery = state.withLock { state -> (Downstream, StepResult)? in
      switch state {
      case .waiting(let downstream, _):
        state = .waiting(downstream, isRequested: true)
        return nil
      case .unrequested(let downstream, let result):
        state = .over
        return (downstream, result)
      case .over:
        return nil
      }
    }
    if let (downstream, result) = delivery { deliver(result, to: downstream) }
  }

  func cancel() {
    // Release the subscriber after unlocking: its deinit may run arbitrary code.
    let old = state.withLock { state in
      defer { state = .over }
      return state
    }
    withExtendedLifetime(old) {}
  }

  private func deliver(_ result: StepResult, to downstream: Downstream) {
    _ = downstream.receive(result)
    downstream.receive(completion: .finished)
  }
}
