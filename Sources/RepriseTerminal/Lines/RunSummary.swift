// Sums up a long run in a few lines: what took long, and what determined its end. Pure.

import Reprise

/// The summary of a run that was long, or has more steps than one reads.
struct RunSummary {
  /// The duration from which on a run is summed up.
  private static let longRun: Duration = .seconds(60)
  private static let countMax = 5

  let state: RunState
  let style: Style
  /// Whether steps were left out above.
  let isFolded: Bool

  /// The lines; empty for a short run of few steps.
  var lines: [TerminalSafe] {
    guard case .ended = state.phase, let start = state.startedAt, let end = state.phaseChangedAt,
      isFolded || (end - start >= Self.longRun && state.steps.count > 1)
    else { return [] }
    return [slowest, criticalPath].compactMap { $0 }
  }

  private var slowest: TerminalSafe? {
    let times = state.steps.compactMap { step -> (String, Duration)? in
      guard let start = step.startedAt, let end = step.endedAt else { return nil }
      return (state.shortTitle(of: step.id), end - start)
    }
    guard !times.isEmpty else { return nil }
    let slowest = times.sorted { $0.1 > $1.1 }.prefix(Self.countMax)
    return style.coloured("slowest", .bold) + ": "
      + slowest.map { "\($0.0) \(elapsedText($0.1))" as TerminalSafe }.joined(separator: ", ")
  }

  private var criticalPath: TerminalSafe? {
    CriticalPathText(state).map { path in
      style.coloured(TerminalSafe(path.title), .bold) + ": "
        + path.line(hasUnicode: style.hasUnicode)
    }
  }
}
