// The column of step names in plain lines: as wide as the names of the plan, within a limit. Pure.

import Reprise

/// The names of the steps of a plan, padded or shortened to one width.
struct StepColumn {
  /// The maximum width in columns; longer names are shortened in the middle.
  static let widthMax = 32

  private let width: Int
  private let style: Style
  /// The names that have been shown, since there may be a line for each of millions of lines.
  private var names: [String: TerminalSafe] = [:]

  /// Creates the column for the steps of a plan; of width 0 if there is none.
  init(_ plan: RunPlan?, style: Style) {
    self.style = style
    var width = 0
    for step in plan?.steps ?? [] where width < Self.widthMax {
      // A name has no more columns than bytes, so most names need not be measured.
      let name = step.name ?? step.id
      guard name.utf8.count > width else { continue }
      width = min(Self.widthMax, max(width, TerminalSafe(name).width))
    }
    self.width = width
  }

  /// Returns the name of a step, which the state of the run has, as it is shown.
  mutating func name(_ id: String, in state: RunState) -> TerminalSafe {
    if let name = names[id] { return name }
    let text = TerminalSafe(state.name(of: id))
    // A step that is not in the plan is shown whole.
    let name = width == 0 ? text : text.cutInTheMiddle(to: width).padded(to: width)
    let coloured = style.coloured(name, .cyan)
    names[id] = coloured
    return coloured
  }
}
