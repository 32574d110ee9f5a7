// `reprise logs`: what the steps of a run wrote.

import ArgumentParser
import Platform
import Reprise
import RepriseHost
import RepriseJournal
import RepriseTerminal

struct LogsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "logs",
    abstract: "Print what the steps of a run wrote.",
    discussion: """
      With a step: its output as it is. Without: that of all steps, each line with the name of \
      its step.

      EXAMPLES
        reprise logs @last
        reprise logs @last build | less
        reprise logs @last --follow
      """)

  @OptionGroup var run: RunArgument

  @Argument(help: "The id of a step.")
  var step: String?

  @Flag(name: .shortAndLong, help: "Go on until the run is over.")
  var follow = false

  func run() async throws {
    let (record, journal) = try run.find()
    var copy = LogCopy(
      of: record, step: step, in: journal, isTerminal: isTerminal(standardOutput),
      write: { writeAll($0, to: standardOutput) })
    if try copy.takeNew() == .stopped { return }
    guard follow else {
      if !copy.hasBegun, journal.isLive(record.id) {
        printError("the run \(record.id) has not begun yet; wait for what it writes with --follow")
      }
      return
    }
    let changes = try FolderChanges(ofLiveRunsIn: journal.directory, andOutputOf: record.id)
    _ = try await changes.first { () -> LogCopy.End? in
      // What is written while this looks belongs to it, too.
      let isLive = journal.isLive(record.id)
      let end = try copy.takeNew()
      return isLive ? end : .stopped
    }
  }
}
