// The pane that shows the steps in the order of their needs. Pure.

import Reprise

extension TreeView {
  /// Returns the rows of the graph: the steps by the number of steps before them, with their needs.
  ///
  /// The needs of the chosen step and the steps that need it are marked. Linear in the number of
  /// steps and needs; only visible rows are rendered.
  ///
  /// - Parameter size: The size of the window.
  /// - Returns: The rows, as many as the window has.
  func graph(_ size: WindowSize) -> [TerminalSafe] {
    guard let plan = state.plan else { return [] }
    let columns = size.columns - 1
    let layers = layers(of: plan)
    let order = plan.steps.indices.sorted { (layers[$0], $0) < (layers[$1], $1) }
    let chosen = options.chosen.flatMap { state.position(ofStep: $0) }
    let room = max(1, size.rows - 2)
    let position = chosen.flatMap { order.firstIndex(of: $0) } ?? 0
    let start = max(0, min(position - room / 2, order.count - room))
    let width = min(
      nameWidthMax(columns),
      order[start..<min(order.count, start + room)].map {
        TerminalSafe(plan.steps[$0].name ?? plan.steps[$0].id).width
      }.max() ?? 0)
    let needed = Set(chosen.map { plan.steps[$0].needs } ?? [])
    let rows = order[start..<min(order.count, start + room)].enumerated().map { number, step in
      let isFirst = number == 0 || layers[order[start + number - 1]] != layers[step]
      return graphRow(
        step, plan, layer: isFirst ? layers[step] + 1 : nil, width: width,
        mark: step == chosen
          ? .chosen
          : needed.contains(plan.steps[step].id)
            ? .needed
            : options.chosen.map { plan.steps[step].needs.contains($0) } == true ? .dependent : nil)
    }
    let (steps, depth) = (
      countText(plan.steps.count, "step"), countText((layers.max() ?? -1) + 1, "layer")
    )
    let head = Row(parts: [
      (TerminalSafe(plan.workflow), .bold),
      ("  graph: \(steps) in \(depth)", .dim),
    ])
    let foot: TerminalSafe =
      style.hasUnicode
      ? "↑ ↓ choose · Enter log · R restart from it · ? help · Esc close"
      : "j k choose, Enter log, R restart from it, ? help, Esc close"
    let empty = Array(repeating: Row(""), count: max(0, room - rows.count))
    return ([head] + rows + empty + [Row(foot, .dim)])
      .map { $0.rendered(style, columns: columns) }
  }

  private enum Mark {
    case chosen, needed, dependent
  }

  private func graphRow(
    _ step: Int, _ plan: RunPlan, layer: Int?, width: Int, mark: Mark?
  ) -> Row {
    let planned = plan.steps[step]
    let phase = state.steps[step].phase
    let frame = Int((now.microseconds - (state.startedAt?.microseconds ?? 0)) / 100_000)
    let sign: TerminalSafe
    let colour: Style.Colour?
    switch mark {
    case .chosen: (sign, colour) = (style.hasUnicode ? "❯ " : "> ", .bold)
    case .needed: (sign, colour) = (style.hasUnicode ? "▲ " : "^ ", .cyan)
    case .dependent: (sign, colour) = (style.hasUnicode ? "▼ " : "v ", .yellow)
    case nil: (sign, colour) = ("  ", nil)
    }
    let number = TerminalSafe(layer.map { "\($0)" } ?? "")
    let needs = planned.needs.map { TerminalSafe(state.name(of: $0)) }.joined(separator: ", ")
    let arrow: TerminalSafe = style.hasUnicode ? "← " : "<- "
    return Row(parts: [
      (.spaces(4 - number.width) + number + " ", .dim), (sign, colour),
      (style.plainGlyph(phase, frame: frame), style.colour(phase)),
      (
        " " + TerminalSafe(planned.name ?? planned.id).cutInTheMiddle(to: width).padded(to: width),
        colour
      ),
      (needs.isEmpty ? "" : "  \(arrow)\(needs)", .dim),
    ])
  }

  /// Returns the length of the longest chain of needs before each step.
  private func layers(of plan: RunPlan) -> [Int] {
    var layers = [Int?](repeating: nil, count: plan.steps.count)
    let mainCount = plan.steps.count - plan.finallyCount
    for start in plan.steps.indices {
      // A stack instead of recursion: a chain may be as long as the workflow.
      var stack = [start]
      while let step = stack.last {
        let needs = plan.steps[step].needs.compactMap { state.position(ofStep: $0) }
        if let open = needs.first(where: { layers[$0] == nil }) {
          stack.append(open)
        } else {
          layers[step] = needs.compactMap { layers[$0] }.max().map { $0 + 1 } ?? 0
          stack.removeLast()
        }
      }
    }
    let last = layers.prefix(mainCount).compactMap { $0 }.max() ?? -1
    for step in mainCount..<plan.steps.count { layers[step] = max(layers[step] ?? 0, last + 1) }
    return layers.map { $0 ?? 0 }
  }
}
