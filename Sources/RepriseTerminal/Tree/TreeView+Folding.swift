// Chooses the rows of the tree that fit the window.

import Reprise

extension TreeView {
  /// Returns the rows that fit, at most `room`: those around the chosen one, or those that matter most.
  func visible(_ rows: [TreeRow], room: Int) -> [Item] {
    guard rows.count > room else { return rows.map(Item.step) }
    guard let chosen = options.chosen,
      let position = rows.firstIndex(where: { id(of: $0) == chosen })
    else { return folded(rows, room: room) }
    return window(rows, around: position, room: room)
  }

  /// Returns the rows around the chosen one, as in a list that scrolls.
  private func window(_ rows: [TreeRow], around position: Int, room: Int) -> [Item] {
    // A very small window has no room for the numbers of the other rows.
    guard room >= 3 else {
      let start = min(max(0, position - room / 2), rows.count - room)
      return rows[start..<(start + room)].map(Item.step)
    }
    // At an end of the list, its number gives its row to a step.
    let middle = position - (room - 2) / 2
    if middle <= 1 {
      return rows.prefix(room - 1).map(Item.step) + [Item.fold("\(rows.count - room + 1) below")]
    }
    if middle + room - 2 >= rows.count - 1 {
      return [Item.fold("\(rows.count - room + 1) above")] + rows.suffix(room - 1).map(Item.step)
    }
    let shown = rows[middle..<(middle + room - 2)]
    return [Item.fold("\(middle) above")] + shown.map(Item.step)
      + [Item.fold("\(rows.count - shown.endIndex) below")]
  }

  /// Folds rows until the rest fits.
  ///
  /// Folds finished steps first, from the top, then pending ones from the bottom, then all others.
  /// Steps waiting for approval are folded after all others; the last of them is the step that the
  /// keys act on.
  private func folded(_ rows: [TreeRow], room: Int) -> [Item] {
    var isHidden = Array(repeating: false, count: rows.count)
    var excess = rows.count - max(1, room - 2)
    func hide(
      _ positions: some Sequence<Int>, approvals: Bool = false, where matches: (StepPhase) -> Bool
    ) -> Int {
      var hidden = 0
      for position in positions where excess > 0 && !isHidden[position] {
        guard approvals || !waitsForApproval(rows[position]), matches(phase(of: rows[position]))
        else { continue }
        isHidden[position] = true
        hidden += 1
        excess -= 1
      }
      return hidden
    }
    let finished = hide(rows.indices) { phase in
      if case .failed = phase { false } else { phase.isFinal }
    }
    let waiting = hide(rows.indices.reversed()) { $0 == .pending || $0 == .waiting }
    var others = hide(rows.indices.reversed()) { _ in true }
    others += hide(rows.indices.reversed(), approvals: true) { _ in true }
    let shown = rows.indices.filter { !isHidden[$0] }.map { Item.step(rows[$0]) }
    func steps(_ count: Int) -> TerminalSafe { count == 1 ? "1 step" : "\(count) steps" }
    let top = finished > 0 ? [Item.fold("\(steps(finished)) finished")] : []
    let below = [(waiting, "waiting"), (others, "not shown")].filter { $0.0 > 0 }
      .map { "\(steps($0.0)) \($0.1)" as TerminalSafe }.joined(separator: ", ")
    let items = top + shown + (below.isEmpty ? [] : [Item.fold(below)])
    return items.count > room ? Array(shown.prefix(room)) : items
  }

  private func waitsForApproval(_ row: TreeRow) -> Bool {
    row.members.isEmpty && state.steps[row.step].approval != nil
  }
}
