// `reprise attach`: the display of a run that another process drives.

import ArgumentParser
import Reprise
import RepriseControl
import RepriseJournal
import RepriseTerminal
import Synchronization

struct AttachCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "attach",
    abstract: "Show a live run of another terminal, keys included.",
    discussion: """
      Ctrl-C leaves; the run goes on. The exit status is that of the run, if one stays to its end.

      EXAMPLES
        reprise attach @last
        reprise attach 3fk --progress json
      """)

  @OptionGroup var run: RunArgument

  @Option(help: "How progress is shown: auto, tree, plain, json or none.")
  var progress = ProgressStyle.auto

  func run() async throws {
    let found = try run.find()
    let client = try connect(to: found)
    try await ask(.attach, of: client)
    let outcome = Mutex(RunOutcome?.none)
    let display = ProgressDisplay(
      style: progress, environment: inheritedEnvironment(),
      controls: DisplayControls(
        restart: { client.post(.restart(from: nil)) },
        cancel: { client.post(.cancel(now: false)) },
        kill: { client.post(.cancel(now: true)) },
        approve: { client.post(.approve(step: $0, isApproved: $1)) },
        outputClosed: { client.close() }))
    let signals = SignalListener(SignalListener.stopping) { _ in client.close() }
    defer { signals.cancel() }
    display.attach(
      to: client.events.handleEvents(receiveOutput: { event in
        if case .runEnded(let ended) = event.kind { outcome.withLock { $0 = ended } }
      }))
    await display.finish()
    guard let ended = outcome.withLock({ $0 }) else { return }
    throw ExitStatus.of(ended, signal: nil, passesThrough: false)
  }
}
