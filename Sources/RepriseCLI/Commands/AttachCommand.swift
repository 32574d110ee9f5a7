// `reprise attach`: shows a run that another process drives.

import ArgumentParser
import Reprise
import RepriseHost
import RepriseJournal
import RepriseTerminal

struct AttachCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "attach",
    abstract: "Show a live run from another terminal, and control it with the same keys.",
    discussion: """
      A run that has ended is shown as by reprise show; with --progress json, as its events.

      q and Ctrl-C detach; the run continues. The exit status is that of the run; 0 after detaching \
      with q, 130, 143 or 129 with Ctrl-C, SIGTERM or SIGHUP; 4 if the connection was lost while the run \
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
    let attached = AttachedRun(found.record, found.journal, client, progress)
    throw try await attached.exitStatus() ?? showEnded(try run.find())
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
}
