// `reprise logs`: prints the output of the steps of a run.

import ArgumentParser
import Platform
import Reprise
import RepriseHost
import RepriseJournal
import RepriseTerminal

struct LogsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "logs",
    abstract: "Print the output of the steps of a run.",
    discussion: """
      With a step: its output, unchanged. Without: the output of all steps, each line prefixed \
      with its step.

      EXAMPLES
        reprise logs @last
        reprise logs @last build | less
        reprise logs @last --follow
      """)

  @OptionGroup var run: RunArgument

  @Argument(help: "The id of a step.")
  var step: String?

  @Flag(name: .shortAndLong, help: "Follow the output until the run ends.")
  var follow = false

  func run() async throws {
    let (record, journal) = try run.find()
    var copy = LogCopy(
      of: record, step: step, in: journal, isTerminal: isTerminal(standardOutput),
      write: { writeAll($0, to: standardOutput) })
    if try copy.copyNew() == .stopped { return }
    guard follow else {
      if !copy.hasBegun, journal.isLive(record.id) {
        printError("run \(record.id) has not started yet; wait for its output with --follow")
      }
      return
    }
    let changes = try FolderChanges(ofLiveRunsIn: journal.directory, andOutputOf: record.id)
    _ = try await changes.first { () -> LogCopy.End? in
      // Check before copying, so that output written in the meantime is copied, too.
      let isLive = journal.isLive(record.id)
      let end = try copy.copyNew()
      return isLive ? end : .stopped
    }
  }
}
