// What is said at the end of a run that did not succeed: the first failure first. Pure.

import Reprise

/// The report on a run that failed, was cancelled or timed out.
struct FailureReport {
  let state: RunState
  let style: Style

  /// The lines of the report; none when the run succeeded or is not over.
  var lines: [String] {
    guard case .ended(let outcome) = state.phase else { return [] }
    switch outcome {
    case .succeeded:
      return []
    case .failed:
      return failures
    case .cancelled:
      let count = state.counts.cancelled
      return [
        "", style.coloured("cancelled", .yellow) + ": \(steps(count)) did not come to an end",
      ]
    case .timedOut(let limit):
      let text = ": the run took longer than its timeout of \(durationText(limit))"
      return ["", style.coloured("timed out", .red) + text]
        + failures
    case .abandoned(let problem):
      let text = ": Reprise could not go on: \(TerminalText.sanitized(problem))"
      return ["", style.coloured("abandoned", .red) + text] + failures
    }
  }

  private var failures: [String] {
    guard let first = state.firstFailure else { return [] }
    var lines = [""] + describe(state.steps[first], withOutput: true)
    for (position, step) in state.steps.enumerated() where position != first {
      lines += describe(step, withOutput: false)
    }
    return lines + consequences
  }

  private func describe(_ step: StepState, withOutput: Bool) -> [String] {
    guard case .failed(let reason) = step.phase, !state.isTolerated(step.id) else { return [] }
    let label = state.label(of: step.id).map { " (\(TerminalText.sanitized($0)))" } ?? ""
    let id = TerminalText.sanitized(step.id) + label
    let title = style.coloured(withOutput ? "first failure" : "also failed", .red)
    var lines = ["\(title): \(id) \(TerminalText.sanitized(reason.description))"]
    guard withOutput else { return lines }
    if step.output.lines.isEmpty {
      lines.append("  (it wrote nothing)")
    } else {
      lines += step.output.lines.map { line in
        "  " + style.coloured(style.hasUnicode ? "│ " : "| ", .dim)
          + TerminalText.sanitized(line.text)
      }
    }
    return lines
  }

  /// What did not run because of failures, by the step that failed.
  private var consequences: [String] {
    var stopped: [(cause: String, steps: [String])] = []
    for step in state.steps {
      guard case .cancelled(.failure(let cause)) = step.phase else { continue }
      if let position = stopped.firstIndex(where: { $0.cause == cause }) {
        stopped[position].steps.append(step.id)
      } else {
        stopped.append((cause, [step.id]))
      }
    }
    return stopped.map { cause, ids in
      let more = ids.count > 10 ? " and \(ids.count - 10) more" : ""
      return "not run because \(TerminalText.sanitized(cause)) failed: "
        + ids.prefix(10).map(TerminalText.sanitized).joined(separator: ", ") + more
    }
  }

  private func steps(_ count: Int) -> String { count == 1 ? "1 step" : "\(count) steps" }
}
