// `reprise attach`: shows a run that another process drives.

import ArgumentParser
import Platform
import Reprise
import RepriseControl
import RepriseHost
import RepriseJournal
import RepriseTerminal
import Synchronization

struct AttachCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "attach",
    abstract: "Show a live run from another terminal, and control it with the same keys.",
    discussion: """
      A run that has ended is shown as by reprise show; with --progress json, as its events.

      Ctrl-C detaches; the run continues. The exit status is that of the run; 130, 143 or 129 \
      after detaching with Ctrl-C, SIGTERM or SIGHUP; 4 if the connection was lost while the run \
      continues, or if its engine died.

      With --progress plain, two lines mark where the replay of earlier events \
      begins and ends.

      EXAMPLES
        reprise attach @last
        reprise attach 3fk --progress json
      """)

  @OptionGroup var run: RunArgument

  @Option(help: "Progress display: auto, tree, plain, github, json or none.")
  var progress = ProgressStyle.auto

  func run() async throws {
    let found = try run.find()
    guard found.record.status.isLive else { throw try showEnded(found) }
    let client = try found.journal.client(of: found.record)
    let joinedAt = SystemClock().now
    try await reply(of: client, to: .attach)
    let outcome = Mutex(RunOutcome?.none)
    let leaving = Mutex(ExitStatus?.none)
    var controls = DisplayControls(
      of: client, socket: found.journal.directory.socketPath(of: found.record.id),
      file: found.record.request.file
    ) {
      leaving.withLock { $0 = .outputClosed }
      client.close()
    }
    controls.openFiles(of: found.journal, workflow: found.record.request.file)
    controls.detach = {
      leaving.withLock { $0 = .stopped(by: SignalNumber.interrupt) }
      client.close()
    }
    let display = ProgressDisplay(
      style: progress, environment: inheritedEnvironment(), joinedAt: joinedAt,
      controls: controls)
    let signals = SignalListener(SignalListener.stopping) { number in
      leaving.withLock { $0 = .stopped(by: number) }
      client.close()
    }
    defer { signals.cancel() }
    display.attach(
      to: client.events.handleEvents(receiveOutput: { event in
        if case .runEnded(let ended) = event.kind { outcome.withLock { $0 = ended } }
      }))
    _ = await display.finish()
    if let ended = outcome.withLock({ $0 }) {
      if ended != .succeeded, progress.isHumanReadable {
        printError(resumeHint(for: found.record.id))
      }
      throw ExitStatus.of(ended, signal: client.stopSignal, passesThrough: false)
    }
    if let left = leaving.withLock({ $0 }) { throw left }
    throw await statusOfLost(found.record.id, found.journal)
  }

  /// Shows a run that has ended.
  ///
  /// - Returns: The exit status of the run.
  private func showEnded(
    _ found: (record: RunRecord, journal: Journal)
  ) throws(Problem) -> ExitStatus {
    do {
      let events = try found.journal.events(of: found.record)
      switch progress {
      case .auto, .tree, .plain, .github: printLine(try RunReport(found.record, events).text)
      case .json: for event in events { printLine(jsonLine(event)) }
      case .none: break
      }
    } catch {
      throw Problem(error)
    }
    return .of(found.record.status)
  }

  /// Returns the exit status after the connection was lost.
  ///
  /// Waits for the run's status first: the end of a run is recorded a moment after the connection
  /// closes.
  private func statusOfLost(_ id: RunID, _ journal: Journal) async -> any Error {
    let status = await journal.statusAfterEnd(of: id)
    switch status {
    case .succeeded, .failed, .timedOut, .cancelled: return ExitStatus.of(status)
    case .abandoned, .interrupted:
      return Problem(
        "error: the connection was lost: run \(id) is \(status.rawValue)", cause: .internalFailure)
    case .queued, .running:
      return Problem(
        "error: the connection was lost; the run continues: reconnect with: reprise attach \(id)",
        cause: .internalFailure)
    }
  }
}
