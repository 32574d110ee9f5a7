// `reprise show`: shows one run with its generations, its steps and its critical path.

import ArgumentParser
import Platform
import Reprise
import RepriseHost
import RepriseJournal
import RepriseTerminal

struct ShowCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract: "Show a run: its generations, its steps, their results, and its critical path.",
    discussion: """
      The table has the steps of the last generation. --timeline shows all generations as bars; \
      --format trace prints them as a trace for https://ui.perfetto.dev.

      EXAMPLES
        reprise show @last
        reprise show @hello --timeline
        reprise show @failed --json
        reprise show @last --format trace > trace.json
      """)

  /// The format of the report.
  enum Format: String, CaseIterable, ExpressibleByArgument {
    case text, json, timeline, trace
  }

  @OptionGroup var run: RunArgument

  @Option(help: "The format: text, json, timeline or trace.")
  var format: Format?

  @Flag(help: "Print one JSON object: the same as --format json.")
  var json = false

  @Flag(help: "Show a bar for each step: the same as --format timeline.")
  var timeline = false

  func validate() throws {
    guard [format != nil, json, timeline].count(where: { $0 }) <= 1 else {
      throw ValidationError("Choose one of --format, --json and --timeline.")
    }
  }

  func run() async throws {
    let (record, journal) = try run.find()
    let report: RunReport
    do {
      report = try RunReport(record, try journal.events(of: record))
    } catch {
      throw Problem(error)
    }
    switch format ?? (json ? .json : timeline ? .timeline : .text) {
    case .text: printLine(report.text)
    case .json: printLine(report.json)
    case .trace: printLine(report.trace)
    case .timeline:
      printLine(
        report.timeline(
          columns: terminalSize(standardOutput)?.columns ?? 100,
          isTerminal: isTerminal(standardOutput), environment: inheritedEnvironment()))
    }
  }
}
