// `reprise compare`: what differs between two runs.

import ArgumentParser
import Reprise
import RepriseHost
import RepriseJournal
import RepriseTerminal

struct CompareCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "compare",
    abstract: "Show what differs between two runs: steps, times, parameters, outputs and the file.",
    discussion: """
      Without arguments, the last run is compared with the one before it of the same workflow; with \
      one, that run with the one before it. Each of them as it was at its end.

      EXAMPLES
        reprise compare
        reprise compare @build
        reprise compare @build~3 @build
        reprise compare 3fk 8xj --json | jq .steps
      """)

  @Argument(help: "The run, or the first of two: see reprise show --help.", completion: .run)
  var first: String?

  @Argument(help: "The second run.", completion: .run)
  var second: String?

  @Flag(help: "Print one JSON object.")
  var json = false

  @OptionGroup var state: StateOptions

  func run() async throws {
    let journal = try state.openExistingJournal()
    let comparison: Comparison
    do throws(JournalError) {
      let later = try journal.run(named: second ?? first ?? "@last")
      let earlier =
        second == nil ? try journal.run(before: later) : try journal.run(named: first ?? "@last")
      comparison = Comparison(
        try subject(earlier, in: journal), try subject(later, in: journal))
    } catch {
      throw Problem("error: \(error)")
    }
    printLine(json ? jsonLine(comparison) : comparison.text)
  }

  private func subject(
    _ run: RunRecord, in journal: Journal
  ) throws(JournalError) -> Comparison.Subject {
    Comparison.Subject(
      try RunReport(run, try journal.events(of: run)), generation: run.generation,
      source: try journal.definition(ofGeneration: run.generation, of: run).source)
  }
}
