// The parts of events and states that the simulator compares.

import Reprise
import RepriseTesting

extension Event {
  /// A number for the trace: simulations with the same numbers had the same schedule.
  var traceValue: UInt64 {
    let kind: UInt64 =
      switch self.kind {
      case .runRestarting(let ids), .generationStarted(let ids):
        stableHash(self.kind.name) ^ UInt64(ids?.count ?? 0) << 8
      case .step(let id, let attempt, .output(_, let text, _)):
        stableHash(id) ^ UInt64(attempt) ^ UInt64(text.utf8.count) << 24
      case .step(let id, let attempt, let event):
        stableHash(id) ^ UInt64(attempt) ^ stableHash(event.name) << 16
      default: stableHash(self.kind.name)
      }
    return mixed(kind ^ UInt64(generation) << 48) ^ UInt64(bitPattern: time.microseconds)
  }
}

extension RunState {
  /// The state without output and progress, which slow subscribers may miss.
  var withoutOutput: [String] {
    ["\(phase) \(generation) \(counts) \(firstFailure ?? -1)"]
      + steps.map {
        "\($0.id) \($0.phase) \($0.attempt) \($0.startedAt?.microseconds ?? 0)"
          + " \($0.endedAt?.microseconds ?? 0)"
      }
  }
}
