// The detail of a step's state in reports.

import Reprise

extension StepPhase {
  /// Why the step failed, was cancelled or was skipped.
  var detail: String? {
    switch self {
    case .pending, .waiting, .running, .succeeded: nil
    case .failed(let reason): reason.description
    case .cancelled(let cause): cause.description
    case .skipped(let reason, _): reason.description
    }
  }
}
