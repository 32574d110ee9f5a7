// Decides what a key means: the choice of a step, questions before anything is stopped, and the
// requests that follow. Pure.

package import Reprise

/// What the user has chosen and is being asked, and what the next key does.
struct Cockpit {
  /// What the window shows.
  enum View: Sendable, Equatable {
    case tree, stream, graph, timeline
    case log(step: String)
  }

  /// What a key asks for.
  enum Effect: Sendable, Equatable {
    /// Something that is asked of the run, and the key that asks.
    case request(Intervention, key: String)
    case trigger
    case pauseWatch
    /// Show what reading the workflow file again would change, and ask.
    case previewReload
    /// Read the workflow file again and restart the steps that have changed.
    case reload
    /// Edit the workflow file, at a step.
    case edit(step: String?)
    /// Open the log of a step in a pager.
    case page(step: String)
    /// Show the list of runs.
    case openRuns
    /// An action of the log pane.
    case scroll(KeyAction)
    /// Ask the terminal for the row of the cursor, to find the row that was clicked.
    case findCursor
    /// End the display, and let the run go on in the background.
    case depart
    /// End the display, and the program with it.
    case leave(DisplayEnding)
  }

  /// A question that is answered with y or n.
  struct Question: Sendable, Equatable {
    var text: TerminalSafe
    var effect: Effect
  }

  /// What the meaning of a key depends on.
  struct Context {
    var run: RunState
    /// All rows of the tree.
    var rows: [TreeRow]
    /// Whether the run belongs to a watch.
    var hasWatch = false
    /// Whether leaving the display leaves the run alone.
    var isAttached = false
    /// Whether the run can go on in the background.
    var canDepart = false
    /// The rows of the frame that can be clicked, by their number in it.
    var targets: [Int: String] = [:]
    /// The number of rows of the frame.
    var frameRows = 0
    /// The number of pages of the help in the window.
    var helpPages = 1
    /// The number of rows by which PgUp and PgDn move.
    var pageRows: Int { max(1, targets.count - 1) }

    /// Returns the name by which a row is chosen: the id of its step, or that of its group.
    func name(of row: TreeRow) -> String { row.name ?? run.steps[row.step].id }

    var isOver: Bool { if case .ended = run.phase { true } else { false } }
    var isCancelling: Bool { if case .cancelling = run.phase { true } else { false } }
  }

  private(set) var view = View.tree
  /// The id of the chosen step or group; nil if none is chosen.
  var chosen: String?
  /// The values of an approval while they are being given, and its step.
  var form: (step: String, values: ValueForm)?
  /// The name of a step while it is being typed, and the step that was chosen before.
  var search: (text: String, before: String?)?
  /// The last name that was searched for.
  var pattern = ""
  var question: Question?
  /// Why the last key did nothing, or what it has done.
  var notice: TerminalSafe?
  private(set) var showsOutput = true
  /// The page of the help that is shown, from 1; 0 for none.
  private(set) var helpPage = 0
  private(set) var usesMouse = false
  /// The row of a click whose place in the frame is not known yet.
  private var clickedRow: Int?

  /// Forgets what was chosen in a run that is over.
  mutating func beginRun() {
    (view, chosen, question, notice) = (view == .stream ? .stream : .tree, nil, nil, nil)
    (form, search) = (nil, nil)
  }

  /// Handles a key.
  ///
  /// - Returns: What to do, apart from drawing.
  mutating func press(_ key: Key, _ context: Context) -> Effect? {
    notice = nil
    if case .cursor(_, let row) = key {
      chooseClicked(cursorRow: row, context)
      return nil
    }
    if key == .pasted {
      (question, form, search) = (nil, nil, nil)
      notice = "pasted text is not taken for keys"
      return nil
    }
    if form != nil { return fill(key) }
    if search != nil {
      type(key, context)
      return nil
    }
    if let question {
      self.question = nil
      if key == "y" || key == "Y" { return question.effect }
      notice = "nothing was done"
      return nil
    }
    if case .click(_, let row) = key {
      clickedRow = row
      return .findCursor
    }
    if context.run.plan == nil {
      return KeyBinding.action(of: key, in: .watch).flatMap { perform($0, context) }
    }
    if case .log = view, let action = KeyBinding.action(of: key, in: .log) {
      guard action == .back else { return .scroll(action) }
      (view, helpPage) = (.tree, 0)
      return nil
    }
    let places: [KeyBinding.Place] = context.hasWatch ? [.watch, .steps] : [.steps]
    for place in places {
      if let action = KeyBinding.action(of: key, in: place) { return perform(action, context) }
    }
    return nil
  }

  private mutating func perform(_ action: KeyAction, _ context: Context) -> Effect? {
    switch action {
    case .previous: choose(-1, context)
    case .next: choose(1, context)
    case .firstStep: chosen = context.rows.first.map(context.name)
    case .lastStep: chosen = context.rows.last.map(context.name)
    case .pageUp: choose(-context.pageRows, context)
    case .pageDown: choose(context.pageRows, context)
    case .search: search = ("", chosen)
    case .nextMatch: find(1, context)
    case .previousMatch: find(-1, context)
    case .open: openLog(context)
    case .back: back()
    case .output: showsOutput.toggle()
    case .help: helpPage = helpPage < context.helpPages ? helpPage + 1 : 0
    case .mouse:
      usesMouse.toggle()
      notice =
        usesMouse ? "a click chooses a step, until m is pressed again" : "the mouse selects text"
    case .stream: view = view == .stream ? .tree : .stream
    case .graph: view = view == .graph ? .tree : .graph
    case .timeline: view = view == .timeline ? .tree : .timeline
    case .runs: return .openRuns
    case .trigger: return .trigger
    case .pauseWatch: return .pauseWatch
    case .edit: return .edit(step: subject(context))
    case .page: return withStep(context) { .page(step: $0) }
    case .quit: return quit(context)
    case .restartRun, .restartStep, .restartService, .cancelRun, .cancelStep, .approve, .reject,
      .reload, .setDone, .skip, .pauseRun:
      return request(action, context)
    default: break
    }
    return nil
  }

  // MARK: Choosing

  private mutating func choose(_ step: Int, _ context: Context) {
    guard !context.rows.isEmpty else { return }
    let current = subject(context).flatMap { id in
      context.rows.firstIndex { context.name(of: $0) == id }
    }
    // The first key chooses the step that the other keys would act on anyway.
    let next = chosen == nil ? current ?? 0 : (current ?? 0) + step
    chosen = context.name(of: context.rows[min(max(0, next), context.rows.count - 1)])
  }

  private mutating func chooseClicked(cursorRow: Int, _ context: Context) {
    // The cursor is in the row below the frame.
    guard let clickedRow,
      let name = context.targets[clickedRow - (cursorRow - context.frameRows)]
    else { return }
    self.clickedRow = nil
    chosen = name
  }

  /// The step that keys act on: the chosen one, else the one that most likely needs attention.
  func subject(_ context: Context) -> String? {
    if case .log(let step) = view { return step }
    if let chosen { return chosen }
    let run = context.run
    return run.steps.first { $0.approval != nil }?.id
      ?? run.firstFailure.map { run.steps[$0].id }
      ?? run.steps.first { $0.phase == .running }?.id
  }

  /// Returns an effect on the chosen step, unless there is none or a group is chosen.
  private mutating func withStep(_ context: Context, _ effect: (String) -> Effect) -> Effect? {
    guard let step = subject(context) else {
      notice = "choose a step with the arrow keys first"
      return nil
    }
    guard context.run[step] != nil else {
      notice = "\(step) is a group: choose one of its steps"
      return nil
    }
    return effect(step)
  }

  private mutating func openLog(_ context: Context) {
    if case .page(let step)? = withStep(context, { .page(step: $0) }) {
      chosen = step
      view = .log(step: step)
    }
  }

  private mutating func back() {
    if view == .graph || view == .timeline { view = .tree } else { chosen = nil }
    helpPage = 0
  }

  private mutating func quit(_ context: Context) -> Effect? {
    if context.isOver || context.isAttached { return .leave(.quit) }
    if context.canDepart {
      ask("leave the run in the background?", .depart)
    } else {
      notice = "the run goes on: c cancels it"
    }
    return nil
  }

  // MARK: Requests

  private mutating func request(_ action: KeyAction, _ context: Context) -> Effect? {
    if context.isOver { return requestAfterEnd(action, context) }
    switch action {
    case .cancelRun:
      if context.isCancelling {
        ask(
          "kill all processes of the run at once?",
          .request(.cancel(steps: [], now: true), key: "c"))
      } else {
        ask("cancel the run?", .request(.cancel(steps: [], now: false), key: "c"))
      }
      return nil
    default: break
    }
    guard !context.isCancelling else {
      notice = "the run is being cancelled and can no longer be restarted"
      return nil
    }
    switch action {
    case .restartRun: ask("restart the whole run?", .request(.restart(from: []), key: "r"))
    case .restartStep: askAboutRestart(context)
    case .restartService:
      askAboutStep("restart only", context, "; what uses it goes on") {
        .request(.restartServices([$0]), key: "O")
      }
    case .reload: return .previewReload
    case .approve, .reject: askAboutApproval(action == .approve, context)
    case .cancelStep:
      askAboutStep("cancel", context) {
        .request(.cancel(steps: [$0], now: false), key: "C")
      }
    case .setDone:
      askAboutStep("count", context, " as succeeded") {
        .request(.set(steps: [$0], .succeeded([:])), key: "D")
      }
    case .skip:
      askAboutStep("skip", context) { .request(.set(steps: [$0], .skipped), key: "S") }
    case .pauseRun:
      if context.run.isPaused { return .request(.unpause, key: "p") }
      ask("pause the run, so that nothing new starts?", .request(.pause, key: "p"))
    default: break
    }
    return nil
  }

  private mutating func requestAfterEnd(_ action: KeyAction, _ context: Context) -> Effect? {
    switch action {
    case .restartRun:
      if case .ended(.succeeded) = context.run.phase {
        ask("run all steps again?", .leave(.restart(from: nil)))
      } else {
        ask("resume the run?", .leave(.resume))
      }
    case .restartStep:
      guard let step = subject(context) else {
        notice = "choose a step with the arrow keys first"
        return nil
      }
      ask("restart from \(step)?", .leave(.restart(from: step)))
    case .setDone:
      askAboutStep("count", context, " as succeeded and resume the run") {
        .leave(.set(step: $0, .succeeded([:])))
      }
    case .skip:
      askAboutStep("skip", context, " and resume the run") { .leave(.set(step: $0, .skipped)) }
    case .reload:
      guard case .ended(.succeeded) = context.run.phase else { return .previewReload }
      notice = "the run has succeeded: r runs it again, with the file as it is now"
    default: notice = "the run is over"
    }
    return nil
  }

  mutating func ask(_ text: TerminalSafe, _ effect: Effect) {
    question = Question(text: text, effect: effect)
  }

  private mutating func askAboutStep(
    _ verb: TerminalSafe, _ context: Context, _ rest: TerminalSafe = "",
    _ effect: (String) -> Effect
  ) {
    guard let step = subject(context) else {
      notice = "choose a step with the arrow keys first"
      return
    }
    ask("\(verb) \(step)\(rest)?", effect(step))
  }

  private mutating func askAboutRestart(_ context: Context) {
    guard let step = subject(context) else {
      notice = "choose a step with the arrow keys first"
      return
    }
    let dependents = context.run.withDependents(of: step)
      .filter { $0 != step && !$0.hasPrefix(step + "[") }
    let others: TerminalSafe =
      switch dependents.count {
      case 0: ""
      case 1: " and \(dependents[0]), which needs it"
      case let count: " and the \(count) steps that depend on it"
      }
    ask("restart \(step)\(others)?", .request(.restart(from: [step]), key: "R"))
  }

  private mutating func askAboutApproval(_ isApproved: Bool, _ context: Context) {
    let waiting = context.run.steps.filter { $0.approval != nil }
    // With several questions, the user must say which one is meant.
    guard let step = waiting.first(where: { $0.id == chosen }) ?? waiting.first else {
      notice = "no step waits for approval"
      return
    }
    guard waiting.count == 1 || step.id == chosen else {
      notice = "\(waiting.count) steps wait for approval: choose one with the arrow keys first"
      return
    }
    let name = context.run.shortTitle(of: step.id)
    let position = context.run.position(ofStep: step.id)
    let values = position.flatMap { context.run.plan?.steps[$0].approvalValues } ?? []
    guard !isApproved || values.isEmpty else {
      let question: TerminalSafe = "approve \(name): \(step.approval ?? "")"
      form = (step.id, ValueForm(question, for: "approve", fields: values))
      return
    }
    ask(
      "\(isApproved ? "approve" : "reject") \(name): \(step.approval ?? "")",
      .request(
        .approve(step: step.id, isApproved: isApproved), key: isApproved ? "a" : "x"))
  }
}

/// How a display ends.
package enum DisplayEnding: Sendable, Equatable {
  /// The user has seen enough, or there was nothing to wait for.
  case quit
  /// The user has left while the run goes on.
  case departed
  /// The run is to be resumed.
  case resume
  /// The run is to be restarted from a step, or from the top.
  case restart(from: String?)
  /// The run is to be resumed, with this result of a step.
  case set(step: String, HandmadeResult)
}
