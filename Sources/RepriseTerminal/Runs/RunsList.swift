// Decides what a key means in the list of runs: the choice of a run, the filter, and questions before
// anything is stopped. Pure.

import Reprise

/// The list of runs: what the user has chosen and is being asked, and what the next key does.
package struct RunsList {
  /// What a key asks for.
  enum Effect: Sendable, Equatable {
    /// Show the run.
    case open(String)
    /// Something that is asked of a live run.
    case request(String, Intervention)
    /// Go on with a run that has ended, or start a succeeded one again from its first step.
    case resume(String, isAgain: Bool)
    /// End the list.
    case leave
  }

  /// What the meaning of a key depends on: the runs, newest first.
  private(set) var entries: [RunEntry] = []
  /// The id of the chosen run; nil before the first one is known.
  private(set) var chosen: String?
  /// What the shown runs contain; empty for all runs.
  private(set) var filter = ""
  /// Whether the filter is being typed.
  private(set) var isTyping = false
  private(set) var question: (text: TerminalSafe, effect: Effect)?
  /// Why the last key did nothing, or what it has done.
  package var notice: TerminalSafe?
  /// The page of the help that is shown, from 1; 0 for none.
  private(set) var helpPage = 0

  /// Creates an empty list.
  package init() {}

  /// The runs that are shown.
  var shown: [RunEntry] { filter.isEmpty ? entries : entries.filter { $0.contains(filter) } }

  /// The chosen run, if it is shown.
  var chosenEntry: RunEntry? { shown.first { $0.id == chosen } }

  /// Replaces the runs; the choice stays with its run.
  mutating func update(_ entries: [RunEntry]) {
    self.entries = entries
    keepChoice()
  }

  /// Handles a key.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - pageRows: The number of rows by which PgUp and PgDn move.
  ///   - helpPages: The number of pages of the help in the window.
  /// - Returns: What to do, apart from drawing.
  mutating func press(_ key: Key, pageRows: Int, helpPages: Int) -> Effect? {
    notice = nil
    if key == .pasted {
      (question, isTyping) = (nil, false)
      notice = "pasted text is not taken for keys"
      return nil
    }
    if let question {
      self.question = nil
      if key == "y" || key == "Y" { return question.effect }
      notice = "nothing was done"
      return nil
    }
    if isTyping, type(key) { return nil }
    guard let action = KeyBinding.action(of: key, in: .runs) else { return nil }
    switch action {
    case .previous: choose(-1)
    case .next: choose(1)
    case .firstStep: choose(-entries.count)
    case .lastStep: choose(entries.count)
    case .pageUp: choose(-pageRows)
    case .pageDown: choose(pageRows)
    case .search: isTyping = true
    case .back: (filter, helpPage) = ("", 0)
    case .help: helpPage = helpPage < helpPages ? helpPage + 1 : 0
    case .quit: return .leave
    case .open: return chosenEntry.map { .open($0.id) }
    case .restartRun, .cancelRun, .pauseRun:
      if let entry = chosenEntry { return request(action, entry) }
      notice = "no run is chosen"
    default: break
    }
    keepChoice()
    return nil
  }

  /// Takes a key of the filter; returns false for one that has another meaning there, such as an arrow.
  private mutating func type(_ key: Key) -> Bool {
    switch key {
    case .character(let character): filter.append(character)
    case .backspace: filter = String(filter.dropLast())
    case .enter: isTyping = false
    case .escape: (filter, isTyping) = ("", false)
    default: return false
    }
    keepChoice()
    if shown.isEmpty, !filter.isEmpty { notice = "no run has \"\(filter)\" in its words" }
    return true
  }

  private mutating func choose(_ step: Int) {
    let shown = shown
    guard !shown.isEmpty else { return }
    let current = shown.firstIndex { $0.id == chosen } ?? 0
    chosen = shown[min(max(0, current + step), shown.count - 1)].id
  }

  /// Chooses the first run that is shown if the chosen one is not.
  private mutating func keepChoice() {
    if chosenEntry == nil { chosen = shown.first?.id }
  }

  private mutating func request(_ action: KeyAction, _ entry: RunEntry) -> Effect? {
    let name: TerminalSafe = "run \(entry.id) of \(entry.workflow)"
    guard entry.isLive else {
      if action == .restartRun {
        let isAgain = entry.standing == .succeeded
        question = (
          "\(isAgain ? "run all steps again" : "resume"): \(name)?",
          .resume(entry.id, isAgain: isAgain)
        )
      } else {
        notice = "\(name) is over"
      }
      return nil
    }
    switch action {
    case .restartRun: ask("restart the whole \(name)?", entry, .restart(from: []))
    case .cancelRun where entry.state == "cancelling":
      ask("kill all processes of \(name) at once?", entry, .cancel(steps: [], now: true))
    case .cancelRun: ask("cancel \(name)?", entry, .cancel(steps: [], now: false))
    case .pauseRun where entry.state == "paused": return .request(entry.id, .unpause)
    default: ask("pause \(name), so that nothing new starts?", entry, .pause)
    }
    return nil
  }

  private mutating func ask(
    _ text: TerminalSafe, _ entry: RunEntry, _ intervention: Intervention
  ) {
    question = (text, .request(entry.id, intervention))
  }
}
