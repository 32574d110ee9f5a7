// The table of keys: the only place that says which key does what. Help, documentation and the
// interpretation of keys are derived from it or compared with it.

/// What a key does.
enum KeyAction: String, CaseIterable, Sendable {
  // The tree, and the panes that show steps.
  case previous, next, firstStep, lastStep, open, back
  case restartStep, restartService, restartRun, cancelStep, cancelRun, approve, reject
  case setDone, skip, pauseRun
  case reload, edit, page
  case stream, output, graph, timeline, runs, mouse, help, quit
  case trigger, pauseWatch
  // The log pane.
  case lineUp, lineDown, pageUp, pageDown, top, bottom, follow, wrap
  case search, nextMatch, previousMatch, firstError, previousAttempt, nextAttempt
}

/// A row of the table of keys.
struct KeyBinding: Sendable {
  /// Where a key applies.
  enum Place: String, CaseIterable, Sendable {
    /// The tree, the graph and the timeline.
    case steps
    /// The log of a step.
    case log
    /// The display of a watch.
    case watch
    /// The list of runs.
    case runs
  }

  let place: Place
  let keys: [Key]
  let action: KeyAction
  /// The keys in words, as help and documentation show them.
  let label: String
  /// What the key does.
  let help: String

  /// Returns the action of a key at a place.
  static func action(of key: Key, in places: Place...) -> KeyAction? {
    actions[key].flatMap { rows in places.lazy.compactMap { rows[$0] }.first }
  }

  private static let actions: [Key: [Place: KeyAction]] = table.reduce(into: [:]) { actions, row in
    for key in row.keys { actions[key, default: [:]][row.place] = row.action }
  }

  private init(
    _ place: Place, _ keys: [Key], _ action: KeyAction, _ label: String, _ help: String
  ) {
    self.place = place
    self.keys = keys
    self.action = action
    self.label = label
    self.help = help
  }

  /// All keys, in the order of the help.
  static let table: [KeyBinding] = [
    .init(.steps, [.up, "k", .wheelUp], .previous, "↑ k", "choose the step above"),
    .init(.steps, [.down, "j", .wheelDown], .next, "↓ j", "choose the step below"),
    .init(.steps, [.pageUp], .pageUp, "PgUp", "a window up"),
    .init(.steps, [.pageDown], .pageDown, "PgDn", "a window down"),
    .init(.steps, [.home], .firstStep, "Home", "choose the first step"),
    .init(.steps, [.end], .lastStep, "End", "choose the last step"),
    .init(.steps, ["/"], .search, "/", "find a step by its name"),
    .init(.steps, ["n"], .nextMatch, "n", "the next step that is found"),
    .init(.steps, ["N"], .previousMatch, "N", "the step found before"),
    .init(.steps, [.enter], .open, "Enter", "read its log"),
    .init(.steps, [.escape], .back, "Esc", "choose no step; close"),
    .init(.steps, ["R"], .restartStep, "R", "restart from it"),
    .init(.steps, ["O"], .restartService, "O", "restart only it, a service"),
    .init(.steps, ["r"], .restartRun, "r", "restart, or resume, the run"),
    .init(.steps, ["C"], .cancelStep, "C", "cancel it"),
    .init(.steps, ["c"], .cancelRun, "c", "cancel the run; twice: kill"),
    .init(.steps, ["a"], .approve, "a", "approve it"),
    .init(.steps, ["x"], .reject, "x", "reject it"),
    .init(.steps, ["D"], .setDone, "D", "count it as succeeded"),
    .init(.steps, ["S"], .skip, "S", "skip it"),
    .init(.steps, ["p"], .pauseRun, "p", "pause or continue the run"),
    .init(.steps, ["u"], .reload, "u", "reload the workflow file"),
    .init(.steps, ["e"], .edit, "e", "edit the workflow file"),
    .init(.steps, ["v"], .page, "v", "open its log in $PAGER"),
    .init(.steps, ["s"], .stream, "s", "output of all steps, or tree"),
    .init(.steps, ["l"], .output, "l", "last lines on or off"),
    .init(.steps, ["g"], .graph, "g", "graph of the steps"),
    .init(.steps, ["t"], .timeline, "t", "timeline of the run"),
    .init(.steps, ["T"], .runs, "T", "all runs of the project"),
    .init(.steps, ["m"], .mouse, "m", "choose by mouse, on or off"),
    .init(.steps, ["?"], .help, "?", "this help"),
    .init(.steps, ["q"], .quit, "q", "quit, or leave the run alone"),
    .init(.watch, ["T"], .trigger, "T", "start a run now"),
    .init(.watch, ["P"], .pauseWatch, "P", "pause or continue the watch"),
    .init(.log, [.up, "k", .wheelUp], .lineUp, "↑ k", "scroll up"),
    .init(.log, [.down, "j", .wheelDown], .lineDown, "↓ j", "scroll down"),
    .init(.log, [.pageUp, "b"], .pageUp, "PgUp b", "a window up"),
    .init(.log, [.pageDown, " "], .pageDown, "PgDn Space", "a window down"),
    .init(.log, [.home, "g"], .top, "Home g", "the beginning"),
    .init(.log, [.end, "G"], .bottom, "End G", "the end, following new lines"),
    .init(.log, ["f"], .follow, "f", "follow new lines, or stay"),
    .init(.log, ["w"], .wrap, "w", "wrap or cut long lines"),
    .init(.log, ["/"], .search, "/", "search"),
    .init(.log, ["n"], .nextMatch, "n", "the next match"),
    .init(.log, ["N"], .previousMatch, "N", "the match before"),
    .init(.log, ["E"], .firstError, "E", "the first error"),
    .init(.log, ["[", .left], .previousAttempt, "[ ←", "the attempt before"),
    .init(.log, ["]", .right], .nextAttempt, "] →", "the next attempt"),
    .init(.log, [.escape, "q"], .back, "Esc q", "close the log"),
    .init(.runs, [.up, "k", .wheelUp], .previous, "↑ k", "choose the run above"),
    .init(.runs, [.down, "j", .wheelDown], .next, "↓ j", "choose the run below"),
    .init(.runs, [.pageUp], .pageUp, "PgUp", "a window up"),
    .init(.runs, [.pageDown], .pageDown, "PgDn", "a window down"),
    .init(.runs, [.home], .firstStep, "Home", "choose the newest run"),
    .init(.runs, [.end], .lastStep, "End", "choose the oldest run"),
    .init(.runs, [.enter, .right], .open, "Enter →", "show the run"),
    .init(.runs, ["/"], .search, "/", "show only runs with a text"),
    .init(.runs, [.escape], .back, "Esc", "show all runs; close the help"),
    .init(.runs, ["r"], .restartRun, "r", "restart, or resume, the run"),
    .init(.runs, ["c"], .cancelRun, "c", "cancel the run; twice: kill"),
    .init(.runs, ["p"], .pauseRun, "p", "pause or continue the run"),
    .init(.runs, ["?"], .help, "?", "this help"),
    .init(.runs, ["q"], .quit, "q", "quit"),
  ]

  /// Returns the help on the keys of some places, in as many columns as fit.
  static func helpRows(_ places: [Place], columns: Int) -> [TerminalSafe] {
    let rows = table.filter { places.contains($0.place) }
    let width = 40
    let columnCount = max(1, min(rows.count, (columns + 2) / width))
    let height = (rows.count + columnCount - 1) / columnCount
    return (0..<height).map { row in
      stride(from: row, to: rows.count, by: height).map { number in
        let binding = rows[number]
        let text: TerminalSafe =
          "\((TerminalSafe(binding.label)).padded(to: 6)) \(binding.help)"
        return number + height < rows.count ? text.padded(to: width) : text
      }.joined()
    }
  }
}

extension Key: ExpressibleByExtendedGraphemeClusterLiteral {
  /// Creates the key of a printable character.
  init(extendedGraphemeClusterLiteral character: Character) {
    self = .character(character)
  }
}
