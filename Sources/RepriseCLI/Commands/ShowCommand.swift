// `reprise show`: one run with its steps, and what its time was spent on.

import ArgumentParser
import Reprise
import RepriseHost
import RepriseJournal

struct ShowCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract: "Show a run: its steps, how they ended, and which of them held it up.",
    discussion: """
      EXAMPLE
        reprise show @last
      """)

  @OptionGroup var run: RunArgument

  func run() async throws {
    let (record, journal) = try run.find()
    let state: RunState
    do {
      state = try journal.state(of: record)
    } catch {
      throw Problem(error)
    }
    printLine(RunReport(record, state).text)
  }
}
