// What is on the terminal: the tree below the scrollback, or a pane in the alternate screen. Returns
// the text to write.

import Reprise

/// The window of a tree display, with what the user has chosen in it.
struct DisplayWindow {
  /// The maximum number of rows of the last frame, which stays in the scrollback.
  private static let lastRowsMax = 40

  /// Whether the terminal can read keys.
  let hasKeys: Bool
  var isClosed = false
  var staysAfterEnd = false
  private let style: Style
  private let logs: (@Sendable (RunID, String) -> [StepLog])?
  /// Whether the tree is in the alternate screen, too.
  private let fillsWindow: Bool
  private var cockpit = Cockpit()
  private var screen = Screen()
  private var fullScreen = FullScreen()
  private var log: LogPane?
  private var size: WindowSize?
  /// The size for which the rows below the scrollback were drawn, perhaps before a pane.
  private var screenSize: WindowSize?
  private var lines: PlainLog
  private var estimate: (at: Timestamp, rest: Duration?)?
  /// The rows of all steps of a plan, which cost too much to lay out for each frame.
  private var tree: (outline: Outline, run: RunID?, rows: [TreeRow])?
  private var frame = TreeView.Frame(rows: [])
  private var hasMouse = false
  /// Whether lines have been shown since the tree was.
  private var hasStreamed = false
  /// The history of the run, for the timeline.
  var history = RunHistory()

  init(
    style: Style, hasKeys: Bool, logs: (@Sendable (RunID, String) -> [StepLog])?,
    fillsWindow: Bool = false
  ) {
    self.style = style
    self.hasKeys = hasKeys
    self.logs = logs
    self.fillsWindow = fillsWindow
    lines = PlainLog(style: style, offset: localTimeOffset)
  }

  /// Whether a pane is shown.
  var hasPane: Bool { cockpit.view != .tree && cockpit.view != .stream }

  private var usesFullScreen: Bool { hasPane || fillsWindow && !isStreaming }

  /// Whether events are shown as lines.
  var isStreaming: Bool { cockpit.view == .stream }

  /// Shows a message until the next key.
  mutating func notify(_ text: TerminalSafe) { cockpit.notice = text }

  /// Removes the message.
  mutating func clearNotice() { cockpit.notice = nil }

  /// Asks a question, whose answer y has an effect.
  mutating func ask(_ text: TerminalSafe, _ effect: Cockpit.Effect) {
    cockpit.question = Cockpit.Question(text: text, effect: effect)
  }

  /// Prepares for the next run of a watch.
  mutating func beginRun() {
    cockpit.beginRun()
    (log, estimate, tree, staysAfterEnd) = (nil, nil, nil, false)
    lines = PlainLog(style: style, offset: localTimeOffset)
  }

  // MARK: Keys

  /// Handles a key.
  ///
  /// - Returns: What to do, and the text to write first.
  mutating func press(
    _ key: Key, _ run: RunState, hasWatch: Bool, controls: DisplayControls, _ size: WindowSize
  ) -> (Cockpit.Effect?, TerminalSafe) {
    if case .log = cockpit.view, log?.input != nil {
      log?.type(key, size)
      return (nil, "")
    }
    let rows = treeRows(of: run)
    var context = Cockpit.Context(run: run, rows: rows, hasWatch: hasWatch)
    context.isAttached = controls.detach != nil
    context.canDepart = controls.depart != nil
    context.targets = frame.targets
    context.frameRows = frame.rows.count
    context.helpPages = frame.helpPages
    var effect = cockpit.press(key, context)
    if case .scroll(let action)? = effect {
      log?.perform(action, size)
      effect = nil
    }
    if case .log(let step) = cockpit.view {
      if log?.step != step { log = LogPane(step: step, keepsColours: style.hasColour) }
    } else {
      log = nil
    }
    var text: TerminalSafe = ""
    if !isStreaming { hasStreamed = false }
    if !usesFullScreen, fullScreen.isShown { text += fullScreen.leave() }
    if cockpit.usesMouse != hasMouse {
      hasMouse = cockpit.usesMouse
      text += hasMouse ? "\u{1B}[?1000h\u{1B}[?1006h" : "\u{1B}[?1006l\u{1B}[?1000l"
    }
    return (effect, text)
  }

  /// Returns the paths of the files of the log that is shown, or else of the newest log of a step.
  func newestLog(of step: String, _ run: RunState) -> [String] {
    let log = log?.shown ?? run.run.flatMap { logs?($0, step).last }
    return (log?.files ?? []).map(\.path)
  }

  private mutating func treeRows(of run: RunState) -> [TreeRow] {
    guard let plan = run.plan else { return [] }
    // Comparing with the same outline is fast: it has the same storage.
    if let tree, tree.run == run.run, tree.outline == plan.outline { return tree.rows }
    let rows = RepriseTerminal.treeRows(plan.outline, style)
    tree = (plan.outline, run.run, rows)
    return rows
  }

  // MARK: Drawing

  /// Returns when the window will differ if nothing happens; nil if it will not.
  func nextChange(of run: RunState, after now: Timestamp) -> Duration? {
    if log?.isSearching == true { return .zero }
    // The end of a log may be written a moment after the end of its step.
    if log != nil, run.phase.isActive { return .milliseconds(100) }
    return TreeView.nextChange(of: run, after: now)
  }

  /// Returns the text that brings the window up to date.
  mutating func draw(
    _ run: RunState, _ watch: WatchStatus?, at now: Timestamp, _ size: WindowSize
  ) -> TerminalSafe {
    let isResized = self.size != nil && self.size != size
    defer { self.size = size }
    if run.plan != nil, let rows = pane(run, at: now, size) {
      return fullScreen.update(to: rows, redraws: isResized)
    }
    frame = view(run, watch, at: now).frame(size, treeRows(of: run))
    if usesFullScreen {
      // The cursor is in the row below, as without the alternate screen: clicks are found from there.
      let cursor: TerminalSafe = "\u{1B}[\(frame.rows.count + 1);1H"
      return fullScreen.update(to: frame.rows, redraws: isResized) + cursor
    }
    var text = fullScreen.leave()
    if let screenSize, screenSize != size { text += clearScreen(size) }
    screenSize = size
    return text + screen.update(to: frame.rows)
  }

  private mutating func view(
    _ run: RunState, _ watch: WatchStatus?, at now: Timestamp
  ) -> TreeView {
    var options = TreeView.Options(hasKeys: hasKeys)
    options.showsOutput = cockpit.showsOutput
    options.helpPage = cockpit.helpPage
    options.chosen = cockpit.chosen
    options.question = cockpit.question?.text
    options.notice = cockpit.notice ?? cockpit.searchText
    options.form = cockpit.form?.values
    options.hidesSteps = isStreaming
    options.staysAfterEnd = staysAfterEnd
    options.isFromList = fillsWindow
    options.expectedRest = expectedRest(of: run, at: now)
    var view = TreeView(state: run, now: now, style: style, options: options)
    view.watch = watch.map { WatchRows(status: $0, style: style, offset: localTimeOffset) }
    return view
  }

  /// Returns the estimated rest of a run; the simulation behind it is repeated once a second.
  private mutating func expectedRest(of run: RunState, at now: Timestamp) -> Duration? {
    if estimate.map({ now - $0.at >= .seconds(1) }) ?? true {
      estimate = (now, run.expectedRest(at: now, slotCount: Engine.defaultMaxParallel))
    }
    guard run.phase == .running, let estimate else { return nil }
    return estimate.rest.map { max(.zero, $0 - (now - estimate.at)) }
  }

  /// Returns the rows of the pane; nil if none is shown.
  private mutating func pane(
    _ run: RunState, at now: Timestamp, _ size: WindowSize
  ) -> [TerminalSafe]? {
    guard hasPane else { return nil }
    let columns = size.columns - 1
    let view = view(run, nil, at: now)
    // A pane has at least three rows of its own.
    var below = view.messageRows(columns: columns, room: max(1, size.rows - 3))
    frame.helpPages = 1
    if cockpit.helpPage > 0 {
      var places: [KeyBinding.Place] = [.steps]
      if case .log = cockpit.view { places = [.log] }
      let help = view.helpRows(places, columns: columns, room: size.rows - 3 - below.count)
      below += help.rows
      frame.helpPages = help.pages
    }
    let room = WindowSize(columns: size.columns, rows: max(1, size.rows - below.count))
    var rows: [TerminalSafe] = []
    switch cockpit.view {
    case .tree, .stream: return nil
    case .log(let step):
      guard let state = run[step] else { return nil }
      let found = run.run.flatMap { logs?($0, step) } ?? []
      log?.refresh(found, lines: state.output.lines.map(\.text))
      rows =
        log?.lines(
          room, status: status(state, at: now), isOver: state.phase.isFinal, style: style) ?? []
    case .graph: rows = view.graph(room)
    case .timeline:
      rows = Timeline(history, run, now: now, style: style)
        .window(room, around: cockpit.chosen)
    }
    return rows + below.map { $0.rendered(style, columns: columns) }
  }

  private func status(_ step: StepState, at now: Timestamp) -> TerminalSafe {
    let time = step.startedAt.map { start in
      step.endedAt.map { elapsedText($0 - start) } ?? tickingText(now - start)
    }
    let attempt: TerminalSafe = step.attempt > 1 ? ", attempt \(step.attempt)" : ""
    return "\(step.words)\(attempt)\(time.map { "  \($0)" } ?? "")"
  }

  /// Returns the codes that remove the rows below the scrollback in a window of a size.
  private mutating func clearScreen(_ size: WindowSize) -> TerminalSafe {
    screen.clear(columns: screenSize == size ? nil : size.columns)
  }

  /// Removes the rows, so that other text can be written.
  mutating func clear() -> TerminalSafe { fullScreen.leave() + screen.clear() }

  /// Restores the terminal for another program.
  mutating func suspend(keepsRows: Bool) -> TerminalSafe {
    let rows = keepsRows ? "" : screen.clear()
    return fullScreen.leave() + leaveModes() + "\u{1B}[?2004l" + rows + screen.leave()
  }

  private mutating func leaveModes() -> TerminalSafe {
    defer { hasMouse = false }
    return hasMouse ? "\u{1B}[?1006l\u{1B}[?1000l" : ""
  }

  // MARK: Streaming

  /// Returns events as lines above the other rows.
  mutating func stream(
    _ waiting: (events: [Event], droppedLines: Int), _ size: WindowSize
  ) -> TerminalSafe {
    var text = clearScreen(size)
    screenSize = size
    // What has been written before is not written again line by line: keys would wait for it.
    let room = hasStreamed ? Int.max : max(1, size.rows - 4)
    hasStreamed = true
    let begin = StreamedEvents.beginning(ofLast: room, in: waiting.events)
    let above = waiting.droppedLines + lines.pass(waiting.events[..<begin])
    if above > 0 { text += "… \(countText(above, "line")) above; the logs have them\n" }
    for event in waiting.events[begin...] { text += lines.text(for: event) }
    self.size = size
    return text + screen.update(to: frame.rows)
  }

  // MARK: The end

  /// Returns the text that leaves the last frame in the scrollback, and the report of failures.
  mutating func lastFrame(
    of run: RunState, at now: Timestamp, _ size: WindowSize, _ hasReport: Bool
  ) -> TerminalSafe {
    var text = fullScreen.leave() + clearScreen(size) + leaveModes()
    guard run.plan != nil, !fillsWindow else { return text + screen.leave() }
    (cockpit, staysAfterEnd) = (Cockpit(), false)
    let all = treeRows(of: run)
    // The cursor can move back over no more rows than the window has, and a thousand are too
    // many to read.
    let rows = min(Self.lastRowsMax, max(10, all.count)) + 3
    var view = view(run, nil, at: now)
    view.options.isLast = true
    let frame = view.frame(WindowSize(columns: size.columns, rows: rows), all)
    text += screen.update(to: frame.rows) + screen.leave()
    guard hasReport else { return text }
    let summary = RunSummary(state: run, style: style, isFolded: all.count > Self.lastRowsMax)
    let notices = run.notices.map { style.coloured("notice", .yellow) + ": \($0)" }
    let report = summary.lines + FailureReport(state: run, style: style).lines + notices
    return text + report.map { $0 + "\n" }.joined()
  }
}
