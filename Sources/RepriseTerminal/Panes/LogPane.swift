// The pane that shows the log of a step: follows it, scrolls, wraps and searches.

import Reprise

/// The recorded output of one attempt of a step.
package struct StepLog: Sendable, Equatable {
  /// The generation of the run.
  package let generation: Int
  /// The attempt in that generation.
  package let attempt: Int
  /// The files with its output, in order.
  package let files: [File]

  /// A file of a log.
  package struct File: Sendable, Equatable {
    /// The number of bytes of output before the file.
    package let offset: Int64
    /// The path of the file.
    package let path: String

    /// Creates a description of a file.
    package init(offset: Int64, path: String) {
      self.offset = offset
      self.path = path
    }
  }

  /// Creates a description of a log.
  package init(generation: Int, attempt: Int, files: [File]) {
    self.generation = generation
    self.attempt = attempt
    self.files = files
  }
}

/// The log of a step in a window.
struct LogPane {
  /// A line and the number of its rows that are scrolled out at the top.
  private struct Position: Equatable {
    var line = 0
    var row = 0
  }

  /// The id of the step.
  let step: String
  private var logs: [StepLog] = []
  private var current = 0
  private var text = LogText(lines: [])
  private var top = Position()
  private(set) var follows = true
  private var wraps = true
  /// The search text while it is being typed.
  private(set) var input: String?
  /// The last search text; nil before the first search.
  private var pattern: String?
  private var search: LogSearch?
  /// The search that follows at the other end of the log if nothing is found.
  private var nextSearch: LogSearch?
  /// Whether the search has gone on at the other end.
  private var isAgain = false
  /// The line of the last match.
  private var matchLine: Int?
  private var notice: TerminalSafe?

  private let keepsColours: Bool

  /// Creates a pane that follows the newest log of a step.
  ///
  /// - Parameters:
  ///   - step: The id of the step.
  ///   - keepsColours: Whether the colours of its output are shown.
  init(step: String, keepsColours: Bool) {
    self.step = step
    self.keepsColours = keepsColours
  }

  /// Whether a search goes on, so that ``refresh(_:lines:)`` should be called again soon.
  var isSearching: Bool { search != nil }

  /// The log that is shown; nil if there is none.
  var shown: StepLog? { logs.isEmpty ? nil : logs[current] }

  /// Reads what is new, and goes on with a search.
  ///
  /// - Parameters:
  ///   - logs: The logs of the step, oldest first.
  ///   - lines: The last lines of the step, shown if there is no log.
  mutating func refresh(_ logs: [StepLog], lines: [String]) {
    let wasNewest = current == self.logs.count - 1 || self.logs.isEmpty
    if logs != self.logs {
      let before = shown
      self.logs = logs
      if wasNewest && follows { current = max(0, logs.count - 1) }
      current = min(current, max(0, logs.count - 1))
      if shown?.files.first != before?.files.first { open() }
    }
    if let shown { text.update(shown.files) } else { text = LogText(lines: lines) }
    proceed()
  }

  /// Shows the log at ``current`` from its end.
  private mutating func open() {
    text = LogText(shown?.files ?? [])
    (top, follows, matchLine, search) = (Position(), true, nil, nil)
  }

  // MARK: Keys

  /// Handles a key while a search text is being typed.
  mutating func type(_ key: Key, _ size: WindowSize) {
    switch key {
    case .character(let character): input? += String(character)
    case .backspace: input = input.flatMap { $0.isEmpty ? nil : String($0.dropLast()) }
    case .escape: input = nil
    case .enter:
      if let input, !input.isEmpty { pattern = input }
      input = nil
      find(from: shownTop(size).line, isForward: true)
    default: break
    }
  }

  /// Performs the action of a key of the log.
  mutating func perform(_ action: KeyAction, _ size: WindowSize) {
    notice = nil
    let page = max(1, bodyRows(size) - 1)
    switch action {
    case .lineUp: scroll(-1, size)
    case .lineDown: scroll(1, size)
    case .pageUp: scroll(-page, size)
    case .pageDown: scroll(page, size)
    case .top: (top, follows) = (Position(), false)
    case .bottom: follows = true
    case .follow:
      if follows { top = shownTop(size) }
      follows.toggle()
    case .wrap:
      top = Position(line: shownTop(size).line)
      wraps.toggle()
    case .search: input = ""
    case .nextMatch: find(from: (matchLine ?? shownTop(size).line - 1) + 1, isForward: true)
    case .previousMatch: find(from: matchLine ?? shownTop(size).line, isForward: false)
    case .firstError:
      search = LogSearch(LogSearch.errorWords, isAtWord: true, from: 0, isForward: true, in: text)
      (nextSearch, isAgain) = (nil, false)
      proceed()
    case .previousAttempt: show(current - 1)
    case .nextAttempt: show(current + 1)
    default: break
    }
  }

  private mutating func show(_ number: Int) {
    guard logs.indices.contains(number) else {
      notice = number < current ? "this is the first attempt" : "this is the last attempt"
      return
    }
    current = number
    open()
  }

  private mutating func find(from line: Int, isForward: Bool) {
    guard let pattern else {
      notice = "type / to search"
      return
    }
    search = LogSearch([pattern], from: max(0, line), isForward: isForward, in: text)
    let otherEnd = isForward ? 0 : text.lineCount
    nextSearch = LogSearch([pattern], from: otherEnd, isForward: isForward, in: text)
    isAgain = false
    proceed()
  }

  /// Searches the next slice.
  private mutating func proceed() {
    guard var search else { return }
    let result = search.proceed(in: text)
    self.search = search
    switch result {
    case .found(let line):
      (matchLine, follows, self.search) = (line, false, nil)
      notice = isAgain ? "went on at the other end" : nil
      // Some lines above the match show where it belongs.
      top = Position(line: max(0, line - 3))
    case .notFound:
      (self.search, nextSearch, isAgain) = (nextSearch, nil, nextSearch != nil)
      if isAgain { proceed() } else { notice = "not found" }
    case .unfinished: notice = "searching …"
    }
  }

  // MARK: Rows

  private func bodyRows(_ size: WindowSize) -> Int { max(1, size.rows - 2) }

  private mutating func scroll(_ rows: Int, _ size: WindowSize) {
    top = moved(shownTop(size), by: rows, size)
    let last = end(size)
    follows = rows > 0 && isBefore(last, top, orSame: true)
    if follows { top = last }
  }

  /// The position at the top of the window; while following, the last window of the log.
  private func shownTop(_ size: WindowSize) -> Position {
    let last = end(size)
    return follows || isBefore(last, top, orSame: false) ? last : top
  }

  /// The position of the last full window.
  private func end(_ size: WindowSize) -> Position {
    moved(Position(line: text.lineCount), by: -bodyRows(size), size)
  }

  private func isBefore(_ first: Position, _ second: Position, orSame: Bool) -> Bool {
    first == second ? orSame : (first.line, first.row) < (second.line, second.row)
  }

  /// Returns the position some rows below, or above if negative.
  private func moved(_ start: Position, by rows: Int, _ size: WindowSize) -> Position {
    guard wraps else { return Position(line: min(max(0, start.line + rows), text.lineCount)) }
    var position = start
    var left = abs(rows)
    // As many lines as rows are enough, since each has at least one.
    if rows < 0 {
      let first = max(0, start.line - left)
      let heights = text.lines(first..<start.line).map { height($0, size) }
      while left > 0 {
        if position.row > 0 {
          let step = min(left, position.row)
          (position.row, left) = (position.row - step, left - step)
        } else if position.line > first {
          position.line -= 1
          position.row = heights[position.line - first]
        } else {
          break
        }
      }
    } else {
      let lines = text.lines(start.line..<(start.line + left + 1))
      var number = 0
      while left > 0, number < lines.count {
        let step = min(left, height(lines[number], size) - position.row)
        (position.row, left) = (position.row + step, left - step)
        if position.row == height(lines[number], size) {
          position = Position(line: position.line + 1)
          number += 1
        }
      }
    }
    return position
  }

  private func height(_ line: String, _ size: WindowSize) -> Int { rows(of: line, size).count }

  /// Returns the rows of a line.
  private func rows(of line: String, _ size: WindowSize) -> [TerminalSafe] {
    let columns = max(1, size.columns - 1)
    return ColouredText(line, keepsColours: keepsColours)
      .rows(columns: columns, rowsMax: wraps ? 1 + LogText.lineMax / columns : 1)
  }

  /// Returns the rows that fill a window.
  ///
  /// - Parameters:
  ///   - size: The size of the window.
  ///   - status: The state of the step in words.
  ///   - isOver: Whether nothing more will be written.
  ///   - style: The style of the rows.
  /// - Returns: As many rows as the window has.
  func lines(
    _ size: WindowSize, status: TerminalSafe, isOver: Bool, style: Style
  ) -> [TerminalSafe] {
    let columns = max(1, size.columns - 1)
    let start = shownTop(size)
    let room = bodyRows(size)
    var body: [TerminalSafe] = []
    for (number, line) in text.lines(start.line..<(start.line + room + 1)).enumerated() {
      let isMatch = start.line + number == matchLine
      let rows = rows(of: line, size).dropFirst(number == 0 ? start.row : 0)
      body += rows.map { isMatch ? style.coloured($0, .inverse) : $0 }
    }
    body = Array(body.prefix(room))
    if text.lineCount == 0 {
      body = [style.coloured(isOver ? "(no output)" : "(no output yet)", .dim)]
    }
    body += Array(repeating: "", count: room - body.count)
    let head = Row(parts: [
      (TerminalSafe(step), .bold),
      (logs.count > 1 ? "  \(title(isShort: columns < 60))" : "", .dim),
      ("  \(status)", nil),
    ])
    return [head.rendered(style, columns: columns)] + body + [footer(columns, start, style)]
  }

  /// The name of the log that is shown, such as `generation 2, attempt 1 (3 of 3)`.
  private func title(isShort: Bool) -> TerminalSafe {
    let log = logs[current]
    let number: TerminalSafe = "(\(current + 1) of \(logs.count))"
    return isShort
      ? number : "generation \(log.generation), attempt \(log.attempt) \(number)"
  }

  private func footer(_ columns: Int, _ start: Position, _ style: Style) -> TerminalSafe {
    if let input { return ("/\(input)" as TerminalSafe).cut(to: columns) }
    let dot: TerminalSafe = style.hasUnicode ? " · " : ", "
    let count = text.lineCount
    var parts: [TerminalSafe] = ["line \(min(count, start.line + 1)) of \(count)"]
    if let notice { parts.append(notice) }
    if follows { parts.append("following") }
    if logs.isEmpty && count > 0 { parts.append("only the last lines: the run is not recorded") }
    parts += ["/ search", "E error"] + (logs.count > 1 ? ["[ ] attempts"] : [])
    let last: [TerminalSafe] = ["? help", "Esc close"]
    // In a narrow window, what is shown matters more than the help.
    let isNarrow = (parts.prefix(2) + last).joined(separator: dot).width > columns
    if isNarrow { parts.insert(contentsOf: last, at: min(2, parts.count)) }
    let text = fitting(parts, last: isNarrow ? [] : last, separator: dot, columns: columns)
    return style.coloured(text, .dim)
  }
}
