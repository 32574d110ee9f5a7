// A list from which one item is chosen. Pure.

/// Some items of which one is being chosen, with arrow keys or by typing a part of its name.
struct ChoiceList: Prompt {
  private let question: TerminalSafe
  private let items: [(name: String, description: TerminalSafe)]
  private var filter = ""
  private var current = 0

  /// Creates a list.
  ///
  /// - Parameters:
  ///   - question: What is shown above the items.
  ///   - items: The items; at least one.
  init(_ question: TerminalSafe, _ items: [(name: String, description: TerminalSafe)]) {
    self.question = question
    self.items = items
  }

  private var shown: [(name: String, description: TerminalSafe)] {
    filter.isEmpty ? items : items.filter { $0.name.lowercased().contains(filter.lowercased()) }
  }

  mutating func press(_ key: Key) -> PromptOutcome<String> {
    switch key {
    case .escape: return .closed
    case .enter: if shown.indices.contains(current) { return .done(shown[current].name) }
    case .up: current -= 1
    case .down, .tab: current += 1
    case .pageUp, .home: current = 0
    case .pageDown, .end: current = shown.count - 1
    case .backspace: (filter, current) = (String(filter.dropLast()), 0)
    case .character(let character): (filter, current) = (filter + String(character), 0)
    default: break
    }
    current = min(max(0, current), max(0, shown.count - 1))
    return .editing
  }

  var answers: [TerminalSafe] { [] }

  func rows(_ size: WindowSize, _ style: Style) -> [TerminalSafe] {
    let room = max(1, size.rows - 4)
    let shown = shown
    let first = min(max(0, current - room / 2), max(0, shown.count - room))
    let width = shown.map { TerminalSafe($0.name).width }.max() ?? 0
    let rows = shown.indices.dropFirst(first).prefix(room).map { index -> TerminalSafe in
      let mark: TerminalSafe = index == current ? (style.hasUnicode ? "❯ " : "> ") : "  "
      let name = TerminalSafe(shown[index].name).padded(to: width)
      return mark + style.coloured(name, index == current ? .bold : .dim) + "  "
        + shown[index].description
    }
    let dot: TerminalSafe = style.hasUnicode ? " · " : ", "
    let arrows: TerminalSafe = style.hasUnicode ? "↑ ↓ choose" : "arrow keys choose"
    let typed: TerminalSafe = filter.isEmpty ? "type to find" : "/\(filter)"
    let none: [TerminalSafe] = shown.isEmpty ? ["  nothing has \"\(filter)\" in its name"] : []
    return [question] + rows + none + [[arrows, "Enter take it", typed].joined(separator: dot)]
  }
}
