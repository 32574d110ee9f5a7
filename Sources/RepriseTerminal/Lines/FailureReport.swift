// The report at the end of a run that did not succeed, with the first failure first. Pure.

import Reprise

/// The report on a run that failed, was cancelled or timed out.
struct FailureReport {
  let state: RunState
  let style: Style

  /// The lines of the report; empty if the run succeeded or has not ended.
  var lines: [TerminalSafe] {
    guard case .ended(let outcome) = state.phase else { return [] }
    switch outcome {
    case .succeeded, .skipped:
      return []
    case .failed:
      return failures
    case .cancelled, .interrupted:
      let tally = state.tally
      let parts = [(tally.cancelled, "did not finish"), (tally.notRun, "did not begin")]
        .filter { $0.0 > 0 }.map { "\(steps($0.0)) \($0.1)" as TerminalSafe }
      let text: TerminalSafe = parts.isEmpty ? "" : ": \(parts.joined(separator: ", "))"
      return ["", style.coloured("\(outcome)", .yellow) + text]
    case .timedOut(let limit):
      let text: TerminalSafe = ": the run took longer than its timeout of \(durationText(limit))"
      return ["", style.coloured("timed out", .red) + text]
        + failures
    case .abandoned(let problem):
      let text: TerminalSafe = ": Reprise could not continue: \(problem)"
      return ["", style.coloured("abandoned", .red) + text] + failures
    }
  }

  private var failures: [TerminalSafe] {
    guard let first = state.firstFailure else { return [] }
    var lines: [TerminalSafe] = [""] + describe(state.steps[first], withOutput: true)
    for (position, step) in state.steps.enumerated() where position != first {
      lines += describe(step, withOutput: false)
    }
    return lines + consequences
  }

  private func describe(_ step: StepState, withOutput: Bool) -> [TerminalSafe] {
    guard case .failed(let reason) = step.phase, !state.isTolerated(step.id) else { return [] }
    let id = state.title(of: step.id)
    let title = style.coloured(withOutput ? "first failure" : "also failed", .red)
    var lines: [TerminalSafe] = ["\(title): \(id) \(reason.description)"]
    guard withOutput else { return lines }
    if step.output.lines.isEmpty {
      lines.append("  (no output)")
    } else {
      lines += step.output.lines.map { line in
        "  " + style.coloured(style.hasUnicode ? "│ " : "| ", .dim)
          + TerminalSafe(line.text, keepsColours: style.hasColour)
      }
    }
    return lines
  }

  /// One line for each failed step, with the steps that did not run because of it.
  private var consequences: [TerminalSafe] {
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
      let more: TerminalSafe = ids.count > 10 ? " and \(ids.count - 10) more" : ""
      let names = ids.prefix(10).map { TerminalSafe(state.name(of: $0)) }.joined(separator: ", ")
      return "not run because \(state.name(of: cause)) failed: \(names)\(more)"
    }
  }

  private func steps(_ count: Int) -> TerminalSafe { count == 1 ? "1 step" : "\(count) steps" }
}
