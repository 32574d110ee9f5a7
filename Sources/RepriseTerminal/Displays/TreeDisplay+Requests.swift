// What the keys of a tree display ask for: of the run, of other programs, and at the end.

import Dispatch
import Reprise
import Synchronization

extension TreeDisplay {
  func perform(_ effect: Cockpit.Effect) {
    switch effect {
    case .request(let intervention, let key): request(intervention, key)
    case .trigger: controls.fire()
    case .pauseWatch: controls.pause()
    case .edit(let step): useTerminal { await $0.edit(step) }
    case .page(let step):
      let run = state.withLock { $0.run }
      let paths = window.withLock { $0.newestLog(of: step, run) }
      guard !paths.isEmpty else { return notify("there is no log of \(step) to open") }
      useTerminal { await $0.page(paths) }
    case .openRuns: openRuns()
    case .depart: if let depart = controls.depart { end(.departed) { _ in depart() } }
    case .leave(let ending): leave(as: ending)
    case .findCursor: write("\u{1B}[6n")
    case .previewReload:
      state.withLock({ $0.onLeave == nil }) ? reload(isDryRun: true) : previewResume()
    case .reload: reload(isDryRun: false)
    case .scroll: break
    }
  }

  /// Leaves the display, if what is to follow is possible.
  func leave(as ending: DisplayEnding) {
    let (run, stays) = state.withLock { ($0.run.run, $0.onLeave != nil) }
    guard let run, stays else {
      controls.detach?()
      return
    }
    Task {
      if let problem = await controls.prepareToLeave(run, ending) {
        return notify(TerminalSafe(lines: problem))
      }
      if let leave = state.withLock({ $0.takeLeave() }) { end(ending, leave) }
    }
  }

  /// Shows the list of runs, from which the user comes back.
  private func openRuns() {
    switch controls.runs {
    case .none: notify("the run is not recorded: there is no list of runs")
    case .opened(let open): useTerminal { _ in await open() }
    case .left(let leave): leave()
    }
  }

  /// Asks the run for something, and says why it refuses.
  ///
  /// What it does is seen by its events.
  func request(_ intervention: Intervention, _ key: String) {
    Task {
      let (text, isAccepted) = await controls.request(intervention, key)
      if !isAccepted { notify(TerminalSafe(lines: text)) }
    }
  }

  /// Reads the workflow file again; a dry run asks whether to go on.
  func reload(isDryRun: Bool) {
    Task {
      let (text, isAccepted) = await controls.reload(isDryRun)
      let answer = TerminalSafe(lines: text)
      if isDryRun && isAccepted {
        window.withLock { $0.ask(answer + "\nreload?", .reload) }
        schedule()
      } else {
        notify(answer)
      }
    }
  }

  /// Shows what the file would change if the run, which is over, were resumed, and asks.
  func previewResume() {
    guard let run = state.withLock({ $0.run.run }) else { return }
    Task {
      let (text, isPossible) = await controls.previewResume(run)
      let answer = TerminalSafe(lines: text)
      guard isPossible else { return notify(answer) }
      window.withLock { $0.ask(answer + "\nresume the run?", .leave(.resume)) }
      schedule()
    }
  }

  /// Says that the workflow file has changed, if it was changed by someone else.
  ///
  /// Looks at it at most once a second, elsewhere: the file may be on a slow disk.
  func lookAtFile(at now: Timestamp) {
    let isTime = state.withLock { state in
      let isTime = state.lookedAt.map { now - $0 >= .seconds(1) } ?? true
      if isTime { state.lookedAt = now }
      return isTime
    }
    guard isTime else { return }
    DispatchQueue.global(qos: .utility).async { [weak self, controls] in
      if let text = controls.fileChange() { self?.notify(TerminalSafe(lines: text)) }
    }
  }

  /// Shows a message until the next key.
  func notify(_ text: TerminalSafe) {
    window.withLock { $0.notify(text) }
    schedule()
  }

  /// Lets another program use the terminal.
  ///
  /// - Parameter use: Returns when the program has ended; may return a message.
  func useTerminal(_ use: @escaping @Sendable (DisplayControls) async -> String?) {
    // A step may have got the terminal a moment ago.
    guard LentTerminal.shared.holdIfFree() else { return }
    state.withLock { $0.isInUse = true }
    suspend(keepsRows: false)
    keyboard.pauseReading()
    Task {
      let message = await use(controls)
      keyboard.continueReading()
      if let message { notify(TerminalSafe(message)) }
      resumeDrawing()
      LentTerminal.shared.release()
      let afterUse = state.withLock { state in
        defer { (state.isInUse, state.afterUse) = (false, nil) }
        return state.afterUse
      }
      afterUse?()
    }
  }
}
