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
      --format trace prints them as a trace for https://ui.perfetto.dev. --format source prints the \
      workflow file by which the last generation ran, or the one of --generation. --format resources \
      shows what steps on runners have used, beside what they had asked for. --html writes the \
      page of the run to a file that can be sent to somebody: graph, timeline, and the ends of logs.

      EXAMPLES
        reprise show @last
        reprise show @hello --timeline
        reprise show @failed --json
        reprise show @last --format resources
        reprise show @last --format trace > trace.json
        reprise show @last --format source --generation 1
        reprise show @failed --html report.html
      """)

  /// The format of the report.
  enum Format: String, CaseIterable, ExpressibleByArgument {
    case text, json, timeline, resources, trace, source
  }

  @OptionGroup var run: RunArgument

  @Option(help: "The format: text, json, timeline, resources, trace or source.")
  var format: Format?

  @Flag(help: "Print one JSON object: the same as --format json.")
  var json = false

  @Flag(help: "Show a bar for each step: the same as --format timeline.")
  var timeline = false

  @Option(
    help: ArgumentHelp("With --format source: the generation.", valueName: "number"))
  var generation: Int?

  @Option(
    help: ArgumentHelp("Write one file of HTML.", valueName: "file"), completion: .file())
  var html: String?

  func validate() throws {
    if let generation, format != .source || generation < 1 {
      throw ValidationError("--generation needs --format source, and is at least 1.")
    }
    guard [format != nil, json, timeline, html != nil].count(where: { $0 }) <= 1 else {
      throw ValidationError("Choose one of --format, --json, --timeline and --html.")
    }
  }

  func run() async throws {
    let (record, journal) = try run.find()
    if let html {
      throw WebProgram.start(
        [
          "--run", record.id.description, "--html",
          html.hasPrefix("/") ? html : (startFolder ?? ".") + "/" + html, "--state-dir",
          journal.directory.path,
        ])
    }
    if format == .source { return try printSource(of: record, in: journal) }
    var report: RunReport
    do {
      report = try RunReport(record, try journal.events(of: record))
      report.files = journal.trace(of: record.id)
    } catch {
      throw Problem(error)
    }
    switch format ?? (json ? .json : timeline ? .timeline : .text) {
    case .text: printLine(report.text)
    case .resources: printLine(report.resources)
    case .json: printLine(report.json)
    case .trace, .source: printLine(report.trace)
    case .timeline:
      printLine(
        report.timeline(
          columns: terminalSize(standardOutput)?.columns ?? 100,
          isTerminal: isTerminal(standardOutput), environment: inheritedEnvironment()))
    }
  }

  private func printSource(of record: RunRecord, in journal: Journal) throws(Problem) {
    if let generation, generation > record.generation {
      throw Problem(
        "error: run \(record.id) has no generation \(generation): the last is \(record.generation)"
      )
    }
    do {
      let definition = try journal.definition(ofGeneration: generation ?? .max, of: record)
      let source = definition.source
      printLine(TerminalSafe(lines: source.hasSuffix("\n") ? String(source.dropLast()) : source))
    } catch {
      throw Problem(error)
    }
  }
}
