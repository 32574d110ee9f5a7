// The critical path of a run as text, the same in the summary, the timeline and `reprise show`. Pure.

package import Reprise

/// The critical path of a run as text.
package struct CriticalPathText {
  private static let countMax = 5
  /// Shorter waits are not worth a word.
  private static let waitMin: Duration = .milliseconds(100)

  private let state: RunState
  private let path: [CriticalStep]

  /// Creates the text of a run; nil if its path has less steps.
  ///
  /// - Parameters:
  ///   - state: The state of the run.
  ///   - stepsMin: The number of steps from which on there is a text: of one step, it says little.
  package init?(_ state: RunState, stepsMin: Int = 2) {
    path = state.criticalPath
    self.state = state
    guard path.count >= stepsMin else { return nil }
  }

  /// The ids of its steps.
  var ids: Set<String> { Set(path.map(\.step)) }

  /// The heading, such as `critical path, 1 m 05 s`.
  package var title: String { "critical path, \(durationText(RunState.total(of: path)))" }

  /// One line for each step, such as `build (cc)  1.2 s, waited 5.7 s for a slot`.
  package var rows: [TerminalSafe] {
    path.map { step in
      "\(state.title(of: step.step))  \(durationText(step.duration))"
        + waits(of: step).map { ", \($0)" }.joined()
    }
  }

  /// The steps in one line, such as `build → test (waited 5.7 s for a slot) → report`; long paths are
  /// shortened in the middle.
  ///
  /// - Parameter hasUnicode: Whether arrows can be shown.
  /// - Returns: The text.
  package func line(hasUnicode: Bool) -> TerminalSafe {
    var names = path.map { step -> TerminalSafe in
      let waits = waits(of: step).joined(separator: ", ")
      return TerminalSafe(state.shortTitle(of: step.step)) + (waits.isEmpty ? "" : " (\(waits))")
    }
    if names.count > 2 * Self.countMax {
      names.replaceSubrange(Self.countMax..<(names.count - Self.countMax), with: ["…"])
    }
    return names.joined(separator: hasUnicode ? " → " : " -> ")
  }

  private func waits(of step: CriticalStep) -> [String] {
    step.waits.filter { $0.duration >= Self.waitMin }
      .map { "waited \(durationText($0.duration)) \($0.cause.words)" }
  }
}
