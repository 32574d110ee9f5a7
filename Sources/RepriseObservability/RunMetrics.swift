// The metrics of one run. Empty without the trait `Observability`.

#if Observability
import CoreMetrics
import Reprise
import Synchronization

/// Records the metrics of one run from its events.
final class RunMetrics: Sendable {
  private struct State {
    var startedAt: Timestamp?
    var stepsStartedAt: [String: Timestamp] = [:]
  }

  // @unchecked: metrics factories are thread-safe by contract, but the protocol is not Sendable.
  private struct Factory: @unchecked Sendable {
    let value: any MetricsFactory
  }

  private let factory: Factory
  private let workflow: String
  private let state = Mutex(State())

  init(factory: any MetricsFactory, workflow: String) {
    self.factory = Factory(value: factory)
    self.workflow = workflow
  }

  func receive(_ event: Event) {
    switch event.kind {
    case .runStarted, .runResumed: state.withLock { $0.startedAt = event.time }
    case .runRestarting: count("reprise_restarts", [])
    case .runEnded(let outcome):
      let name = outcome.name
      count("reprise_runs", [("outcome", name)])
      guard let start = state.withLock({ $0.startedAt }) else { return }
      time("reprise_run_duration", from: start, to: event.time, [("outcome", name)])
    case .step(let id, _, let step): receive(step, of: id, at: event.time)
    default: break
    }
  }

  private func receive(_ event: Event.StepEvent, of id: String, at moment: Timestamp) {
    let outcome: String
    switch event {
    case .started:
      return state.withLock { state in
        // The duration of a step includes all of its attempts.
        if state.stepsStartedAt[id] == nil { state.stepsStartedAt[id] = moment }
      }
    case .retrying: return count("reprise_attempts", [("outcome", "failed")])
    case .succeeded: outcome = "succeeded"
    case .failed: outcome = "failed"
    case .cancelled: outcome = "cancelled"
    default: return
    }
    guard let start = state.withLock({ $0.stepsStartedAt.removeValue(forKey: id) }) else { return }
    count("reprise_attempts", [("outcome", outcome)])
    time("reprise_step_duration", from: start, to: moment, [("step", id), ("outcome", outcome)])
  }

  private func count(_ label: String, _ dimensions: [(String, String)]) {
    Counter(label: label, dimensions: [("workflow", workflow)] + dimensions, factory: factory.value)
      .increment()
  }

  private func time(
    _ label: String, from start: Timestamp, to end: Timestamp, _ dimensions: [(String, String)]
  ) {
    Timer(label: label, dimensions: [("workflow", workflow)] + dimensions, factory: factory.value)
      .recordMicroseconds(end.microseconds - start.microseconds)
  }
}
#endif
