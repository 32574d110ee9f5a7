// Renders the state of a run as rows of text that fit the window. Pure: no terminal, no clock.

import Reprise

/// A frame of the tree display: the state of a run at one moment.
struct TreeView {
  /// What the user has chosen, and what the display has to say.
  struct Options: Sendable, Equatable {
    var showsOutput = true
    /// The page of the help that is shown, from 1; 0 for none.
    var helpPage = 0
    /// Whether the terminal can read keys.
    var hasKeys = true
    /// Whether only the rows below the tree are shown.
    var hidesSteps = false
    /// The id of the chosen step or group.
    var chosen: String?
    /// A question to answer with y or n.
    var question: TerminalSafe?
    /// The form for the values of an approval.
    var form: ValueForm?
    /// Why the last key had no effect, or what it has done.
    var notice: TerminalSafe?
    /// The time until the run probably ends.
    var expectedRest: Duration?
    /// Whether the run is over and the display waits for keys.
    var staysAfterEnd = false
    /// Whether this is the last frame, in which keys have no meaning.
    var isLast = false
    /// Whether leaving the display leads back to the list of runs.
    var isFromList = false
  }

  /// The rows of a window.
  struct Frame {
    var rows: [TerminalSafe]
    /// The ids of steps and groups by the number of their row.
    var targets: [Int: String] = [:]
    /// The number of pages of the help.
    var helpPages = 1
  }

  let state: RunState
  let now: Timestamp
  let style: Style
  var options = Options()
  /// The watch that the run belongs to, if any.
  var watch: WatchRows?

  /// Returns the rows that fit the window.
  func lines(_ size: WindowSize) -> [TerminalSafe] {
    frame(size, state.plan.map { treeRows($0.outline, style) } ?? []).rows
  }

  /// Returns the rows that fit the window, and what can be clicked.
  ///
  /// If space is short, finished steps are folded first, then pending ones; running and failed
  /// steps last. If a step is chosen, the rows around it are shown instead. Linear in the number of
  /// steps; only visible rows are rendered.
  ///
  /// - Parameters:
  ///   - size: The size of the window.
  ///   - tree: The rows of all steps.
  /// - Returns: The rows and what can be clicked.
  func frame(_ size: WindowSize, _ tree: [TreeRow]) -> Frame {
    // Leave the last column empty: some terminals wrap after writing to it.
    let columns = size.columns - 1
    guard state.plan != nil else {
      guard let watch else { return Frame(rows: []) }
      let rows = watch.idle + (options.hasKeys ? [watch.keys] : [])
      return Frame(
        rows: rows.prefix(max(1, size.rows - 1)).map { $0.rendered(style, columns: columns) })
    }
    // The header and a step are always shown, and the cursor needs the row below.
    let room = size.rows - 2
    let isTooLow = size.rows < 4
    var (footer, helpPages) = footer(
      columns: columns, room: options.hidesSteps || isTooLow ? max(1, room + 1) : room - 1,
      isScrolled: options.chosen != nil && tree.count > room - 8)
    if options.hidesSteps || isTooLow {
      return Frame(
        rows: footer.map { $0.rendered(style, columns: columns) }, helpPages: helpPages)
    }
    // In a small window the failure is more than the steps.
    let rest = room - footer.count - (room < 7 ? 0 : 3)
    let failure = failureRows(columns: columns, room: min(max(2, room / 3), rest))
    footer = failure + footer
    let items = visible(tree, room: room - footer.count)
    let body = bodyRows(items, columns: columns)
    var targets: [Int: String] = [:]
    for (number, item) in items.enumerated() {
      if case .step(let row) = item { targets[1 + number] = id(of: row) }
    }
    return Frame(
      rows: ([header(columns)] + body + footer).map { $0.rendered(style, columns: columns) },
      targets: targets, helpPages: helpPages)
  }

  /// Returns when a frame will differ if nothing happens; nil if it will not.
  ///
  /// - Parameters:
  ///   - state: The state of the run.
  ///   - now: The time of the last frame.
  /// - Returns: The time until then.
  static func nextChange(of state: RunState, after now: Timestamp) -> Duration? {
    guard state.phase.isActive else { return nil }
    if state.counts.running > 0 { return .milliseconds(100) }
    // Only the clock of the run and countdowns move.
    let elapsed = max(0, now.microseconds - (state.startedAt ?? now).microseconds)
    return elapsed < 10_000_000
      ? .milliseconds(100) : .microseconds(1_000_000 - elapsed % 1_000_000)
  }

  // MARK: Header

  private func header(_ columns: Int) -> Row {
    let name = TerminalSafe(state.plan?.workflow ?? "")
    let generation: TerminalSafe = state.generation > 1 ? "  generation \(state.generation)" : ""
    let long = waiting(isShort: false).map { "  \($0)" as TerminalSafe } ?? ""
    let waiting =
      name.width + long.width <= columns
      ? long : self.waiting(isShort: true).map { "  \($0)" as TerminalSafe } ?? ""
    let origin = waiting.isEmpty ? origin(state.generationRequester) : ""
    let run: TerminalSafe = options.hasKeys ? state.run.map { "  run \($0)" } ?? "" : ""
    let fits = name.width + generation.width + waiting.width <= columns
    return Row(parts: [
      (name, .bold), (fits ? generation : "", .cyan), (origin, .dim), (waiting, .yellow),
      (run, .dim),
    ])
  }

  /// Returns the steps that a cancel or a restart is waiting for.
  private func waiting(isShort: Bool) -> TerminalSafe? {
    let verb: TerminalSafe
    switch state.phase {
    case .cancelling: verb = "cancelling" + origin(state.phaseRequester)
    case .restarting: verb = "restarting" + origin(state.phaseRequester)
    case .running where state.isPaused:
      return "paused" + origin(state.pauseRequester)
        + ": nothing new starts\(options.hasKeys ? "; p continues" : "")"
    case .notStarted, .running, .ended: return nil
    }
    let names =
      state.steps.lazy.filter { $0.phase.isActive && state.isStopping($0.id) }
      .prefix(4).map { TerminalSafe(state.shortTitle(of: $0.id)) } as [TerminalSafe]
    guard !names.isEmpty else { return verb }
    let since: TerminalSafe = state.phaseChangedAt.map { ", \(tickingText(now - $0))" } ?? ""
    let more: TerminalSafe = names.count > 3 ? ", …" : ""
    let kill = killCountdown.map { "killed in \($0)" as TerminalSafe }
    if isShort {
      // The countdown is not cut, the names may be.
      let until: TerminalSafe = kill.map { ", " + $0 } ?? ""
      return "\(verb)\(until): \(names.prefix(3).joined(separator: ", "))\(more)"
    }
    return "\(verb): waiting for \(names.prefix(3).joined(separator: ", "))\(more)\(since)"
      + (kill.map { "; " + $0 } ?? "")
  }

  /// Returns who asked for something from outside of this terminal, after a space.
  func origin(_ requester: Requester?) -> TerminalSafe {
    guard let requester, requester.kind != .key, requester.kind != .api else { return "" }
    return " by \(requester.description)"
  }

  /// The time until the first step that is being stopped is killed; nil if it is not known.
  ///
  /// Services that are ready are asked to end after all other steps, one after the other.
  private var killCountdown: String? {
    guard let plan = state.plan, let stopped = state.phaseChangedAt else { return nil }
    let running = state.steps.indices.filter {
      state.steps[$0].phase == .running && state.isStopping(state.steps[$0].id)
    }
    var asked = running.filter {
      plan.steps[$0].isService != true || !state.steps[$0].isReady
    }
    var since = stopped
    if asked.isEmpty, running.count == 1 {
      asked = running
      since = max(since, state.steps.lazy.compactMap(\.endedAt).max() ?? since)
    }
    let graces = asked.map {
      plan.steps[$0].graceSeconds.map { .seconds($0) } ?? StepContext.defaultGracePeriod
    }
    guard let grace = graces.min(), grace > now - since else { return nil }
    return countdownText(grace - (now - since))
  }

  // MARK: Steps

  /// Returns the name by which a row is chosen: the id of its step, or that of its group.
  func id(of row: TreeRow) -> String { row.name ?? state.steps[row.step].id }

  private func bodyRows(_ items: [Item], columns: Int) -> [Row] {
    let widths = items.map { item in
      if case .step(let row) = item { row.guide.count + name(of: row).width } else { 0 }
    }
    let width = min(nameWidthMax(columns), widths.max() ?? 0)
    return items.map { item in
      switch item {
      case .step(let row) where row.members.isEmpty: stepRow(row, width: width)
      case .step(let row): groupRow(row, width: width)
      case .fold(let text): Row("  \(text)", .dim)
      }
    }
  }

  /// The maximum number of columns for guides and names; the rest is for times and reasons.
  func nameWidthMax(_ columns: Int) -> Int { min(40, max(16, columns - 44)) }

  /// A row of the body.
  enum Item {
    case step(TreeRow)
    case fold(TerminalSafe)
  }

  /// Returns the phase shown for a row; for a group, the most important phase of its members.
  func phase(of row: TreeRow) -> StepPhase {
    guard !row.members.isEmpty else { return state.steps[row.step].phase }
    let phases = row.members.map { state.steps[$0].phase }
    return phases.max { weight($0) < weight($1) } ?? .pending
  }

  private func weight(_ phase: StepPhase) -> Int {
    switch phase {
    case .skipped: 0
    case .succeeded: 1
    case .cancelled: 2
    case .pending: 3
    case .waiting: 4
    case .running: 5
    case .failed: 6
    }
  }
}
