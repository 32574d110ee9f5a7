// What of events and states the simulator compares.

import Reprise

extension Event {
  /// A number for the trace: two runs with the same numbers went the same way.
  var traceValue: UInt64 {
    let kind: UInt64 =
      switch self.kind {
      case .runStarted: 1
      case .runResumed: 2
      case .runRestarting(let ids): 3 + UInt64(ids?.count ?? 0) << 8
      case .generationStarted(let ids): 4 + UInt64(ids?.count ?? 0) << 8
      case .runCancelling: 5
      case .runEnded: 6
      case .step(let id, let attempt, let event):
        stableHash(id) ^ UInt64(attempt) ^ event.traceValue << 16
      }
    return mixed(kind ^ UInt64(generation) << 48) ^ UInt64(bitPattern: time.microseconds)
  }
}

extension Event.StepEvent {
  fileprivate var traceValue: UInt64 {
    switch self {
    case .ready: 1
    case .waiting: 2
    case .approved: 3
    case .started: 4
    case .progress: 5
    case .output(_, let text, _): 6 + UInt64(text.utf8.count) << 8
    case .succeeded: 7
    case .retrying: 8
    case .failed: 9
    case .cancelled: 10
    case .skipped: 11
    }
  }
}

extension RunState {
  /// The state apart from output and progress, which slow listeners may miss.
  var withoutOutput: [String] {
    ["\(phase) \(generation) \(counts) \(firstFailure ?? -1)"]
      + steps.map {
        "\($0.id) \($0.phase) \($0.attempt) \($0.startedAt?.microseconds ?? 0)"
          + " \($0.endedAt?.microseconds ?? 0)"
      }
  }
}
