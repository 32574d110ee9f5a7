// `reprise top`: all runs of the project in one screen.

import ArgumentParser
import Platform
import Reprise
import RepriseControl
import RepriseHost
import RepriseJournal
import RepriseTerminal
import Synchronization

struct TopCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "top",
    abstract: "Show all runs of the project in one screen, and open, control and resume them.",
    discussion: """
      The newest runs are listed with what they are doing. Enter opens a run: a live one as by \
      reprise attach, with the same keys, and one that has ended as it was, so that it can be resumed \
      from any step. From the run, q leads back to the list. / shows only runs with a text, ? lists \
      the keys.

      Runs that are resumed here go on in the background, also after the end of this command.

      EXAMPLE
        reprise top
      """)

  @OptionGroup var state: StateOptions

  func run() async throws {
    guard RunsDisplay.isPossible else {
      throw Problem("error: reprise top needs a terminal; reprise runs prints the runs as a list")
    }
    let directory = try state.directory()
    guard directory.exists else {
      return printLine("No run has been recorded in \"\(directory.path)\" yet.")
    }
    let signal = Mutex(Int32?.none)
    let top = Top(try state.openExistingJournal())
    let shown = Task { try await top.show() }
    let signals = SignalListener(SignalListener.stopping) { number in
      signal.withLock { $0 = number }
      shown.cancel()
    }
    defer { signals.cancel() }
    try await shown.value
    if let number = signal.withLock({ $0 }) { throw ExitStatus.stopped(by: number) }
  }
}

/// The list of runs, and the run that is open.
private struct Top {
  private let journal: Journal
  private let started: StartedRuns

  init(_ journal: Journal) {
    self.journal = journal
    started = StartedRuns(command: executablePath ?? CommandLine.arguments[0], journal)
  }

  /// Shows the list, and the runs that are opened from it, until the user leaves the list or the task is
  /// cancelled.
  func show() async throws {
    let feed = RunsFeed(journal)
    let display = RunsDisplay(
      environment: inheritedEnvironment(),
      controls: .init(
        request: { run, intervention in await request(intervention, of: run) },
        resume: { run, isAgain in await resume(run, isAgain: isAgain) }))
    var list = RunsList()
    while !Task.isCancelled {
      guard case .opened(let run) = await display.show(&list, feed.updates()) else { return }
      do {
        try await open(run)
      } catch {
        list.notice = Problem(error).text
      }
    }
  }

  private func request(_ intervention: Intervention, of run: String) async -> KeyAnswer {
    do {
      let record = try await blocking { try journal.run(named: run) }
      let request = ControlRequest.run(intervention, by: .command("top"))
      return (try await LiveRequest(request, of: record, in: journal).answer().description, true)
    } catch {
      return (Problem(error).text.string, false)
    }
  }

  private func resume(_ run: String, isAgain: Bool) async -> KeyAnswer {
    do {
      let record = try await blocking { try journal.run(named: run) }
      guard isAgain else {
        try await started.resume(record)
        return ("run \(run) goes on in the background", true)
      }
      return ("run \(try await started.startAgain(record)) has started in the background", true)
    } catch {
      return (Problem(error).text.string, false)
    }
  }

  // MARK: A run

  /// Shows a run until the user goes back to the list; it may end, be resumed and end again.
  private func open(_ run: String) async throws {
    var name = run
    while !Task.isCancelled {
      let record = try await blocking { [name] in try journal.run(named: name) }
      guard record.status != .queued else {
        throw Problem("run \(name) waits for its turn: it has nothing to show yet")
      }
      // A run that is started again is another one.
      let next = Mutex(name)
      let wish = try await shown(record) { wish in
        let run = try await go(on: record, wish)
        next.withLock { $0 = run }
      }
      if wish == .quit { return }
      name = next.withLock { $0 }
    }
  }

  /// Goes on with a run that has ended, as its user wishes.
  ///
  /// - Returns: The id of the run that is live then.
  private func go(on record: RunRecord, _ wish: DisplayEnding) async throws -> String {
    switch wish {
    case .quit, .departed: break
    case .resume: try await started.resume(record)
    case .restart(from: nil): return try await started.startAgain(record).description
    case .restart(from: let step?): try await started.resume(record, ["--from", step])
    case .set(let step, let result):
      let word = result == .skipped ? "skipped" : "success"
      try await started.resume(record, ["--set", "\(step)=\(word)"])
    }
    return record.id.description
  }

  /// Shows a run, live or ended, until its user leaves it.
  ///
  /// - Parameters:
  ///   - record: The run.
  ///   - prepare: Does what the user wishes after the end.
  /// - Returns: What the user wants next.
  /// - Throws: ``Problem`` if the run cannot be shown.
  private func shown(
    _ record: RunRecord, _ prepare: @escaping @Sendable (DisplayEnding) async throws -> Void
  ) async throws -> DisplayEnding {
    @Sendable func adapt(_ controls: inout DisplayControls, _ leave: @escaping @Sendable () -> Void)
    {
      controls.fillsWindow = true
      controls.staysAfter = { if case .ended = $0 { true } else { false } }
      controls.runs = .left(leave)
      controls.prepareToLeave = { _, wish in
        do {
          try await prepare(wish)
          return nil
        } catch {
          return Problem(error).text.string
        }
      }
    }
    guard record.status.isLive else { return try await EndedRun(record, journal).show(adapt) }
    let attached = AttachedRun(record, journal, try journal.client(of: record), .tree)
    guard try await attached.join() else {
      let ended = try await blocking { try journal.run(named: record.id.description) }
      return try await EndedRun(ended, journal).show(adapt)
    }
    let ending = await attached.show(adapting: adapt)
    // A lost connection is the end of an engine, or a run whose end is recorded in a moment.
    if ending.outcome == nil, ending.left == nil { _ = try await attached.statusAfterLoss() }
    return ending.wish
  }
}
