// `reprise attach`: the display of a run that another process drives.

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
    abstract: "Show a live run of another terminal, keys included.",
    discussion: """
      Ctrl-C leaves; the run goes on. The exit status is that of the run; 130, 143 or 129 for whoever leaves by Ctrl-C,
      SIGTERM or SIGHUP; 4 when the connection is lost while the run goes on, or its engine has died.

      With --progress plain, lines mark the beginning and the end of what has happened before.

      EXAMPLES
        reprise attach @last
        reprise attach 3fk --progress json
      """)

  @OptionGroup var run: RunArgument

  @Option(help: "How progress is shown: auto, tree, plain, json or none.")
  var progress = ProgressStyle.auto

  func run() async throws {
    let found = try run.find()
    let client = try found.journal.client(of: found.record)
    let joinedAt = SystemClock().now
    try await ask(.attach, of: client)
    let outcome = Mutex(RunOutcome?.none)
    let leaving = Mutex(ExitStatus?.none)
    let display = ProgressDisplay(
      style: progress, environment: inheritedEnvironment(), joinedAt: joinedAt,
      controls: DisplayControls(
        restart: { client.post(.restart(from: nil)) },
        cancel: { client.post(.cancel(now: false)) },
        kill: { client.post(.cancel(now: true)) },
        approve: { client.post(.approve(step: $0, isApproved: $1)) },
        outputClosed: {
          leaving.withLock { $0 = .outputClosed }
          client.close()
        }))
    let signals = SignalListener(SignalListener.stopping) { number in
      leaving.withLock { $0 = .stopped(by: number) }
      client.close()
    }
    defer { signals.cancel() }
    display.attach(
      to: client.events.handleEvents(receiveOutput: { event in
        if case .runEnded(let ended) = event.kind { outcome.withLock { $0 = ended } }
      }))
    await display.finish()
    if let ended = outcome.withLock({ $0 }) {
      if ended != .succeeded, progress.isForPeople {
        printError(resumeHint(for: found.record.id))
      }
      throw ExitStatus.of(ended, signal: client.stopSignal, passesThrough: false)
    }
    if let left = leaving.withLock({ $0 }) { throw left }
    throw await statusOfLost(found.record.id, found.journal)
  }

  /// How to end when the connection has ended and nobody wanted that.
  ///
  /// The end of a run is told a moment before it is recorded.
  private func statusOfLost(_ id: RunID, _ journal: Journal) async -> any Error {
    let status = await journal.statusAfterEnd(of: id)
    switch status {
    case .succeeded: return ExitStatus.succeeded
    case .failed: return ExitStatus.stepFailed
    case .timedOut: return ExitStatus.timedOut
    case .cancelled: return ExitStatus.stopped(by: SignalNumber.interrupt)
    case .abandoned, .interrupted:
      return Problem(
        "error: the connection was lost: the run \(id) is \(status.rawValue)", cause: .cannotGoOn)
    case .queued, .running:
      return Problem(
        "error: the connection was lost, and the run goes on; see it with: reprise attach \(id)",
        cause: .cannotGoOn)
    }
  }
}
