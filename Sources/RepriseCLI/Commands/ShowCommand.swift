// `reprise show`: shows one run with its steps and its critical path.

import ArgumentParser
import Reprise
import RepriseHost
import RepriseJournal

struct ShowCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract: "Show a run: its steps, their results, and its critical path.",
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
