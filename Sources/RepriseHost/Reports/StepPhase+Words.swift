// The name and the detail of a step's state in reports.

import Reprise

extension StepPhase {
  /// The name of the state, as in Documentation/events.md.
  var name: String {
    switch self {
    case .pending: "pending"
    case .ready: "ready"
    case .running: "running"
    case .succeeded: "succeeded"
    case .failed: "failed"
    case .cancelled: "cancelled"
    case .skipped: "skipped"
    }
  }

  /// Why the step failed, was cancelled or was skipped.
  var detail: String? {
    switch self {
    case .pending, .ready, .running, .succeeded: nil
    case .failed(let reason): reason.description
    case .cancelled(let cause): cause.description
    case .skipped(let reason, _): reason
    }
  }
}
