// `reprise runs`: lists past and live runs.

public import ArgumentParser
import Reprise
import RepriseHost
public import RepriseJournal
import RepriseTerminal

struct RunsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "runs",
    abstract: "List the runs of this project, newest first.",
    discussion: """
      TOOK is the time since the start for a run that has not ended; the steps that it is at, and \
      those that are awaiting approval, follow. Engines that wait in the queue of a cluster (reprise \
      run --submit) are named after the list.

      EXAMPLES
        reprise runs --state failed
        reprise runs --workflow release --limit 3
        reprise runs --json | jq -r 'select(.status == "interrupted").id'
      """)

  @Option(help: ArgumentHelp("Only runs of this workflow.", valueName: "name"))
  var workflow: String?

  @Option(
    name: .customLong("state"),
    help: ArgumentHelp(
      "Only runs in this state: " + RunStatus.allCases.map(\.rawValue).joined(separator: ", ")
        + ".",
      valueName: "state"))
  var status: RunStatus?

  @Option(help: "Maximum number of runs to list.")
  var limit = 20

  @Flag(help: "Print one JSON object per line.")
  var json = false

  @OptionGroup var state: StateOptions

  func run() async throws {
    let directory = try state.directory()
    guard directory.exists else {
      if !json { printLine("No run has been recorded in \"\(directory.path)\" yet.") }
      return
    }
    let journal = try state.openExistingJournal()
    let runs: [RunRecord]
    do {
      runs = try journal.runs(workflow: workflow) { printError("warning: \($0)") }
    } catch {
      throw Problem(error)
    }
    let all = runs.filter { status == nil || $0.status == status }
    let list = RunList(all.prefix(max(0, limit))) { try? journal.state(of: $0) }
    printList(list.jsonLines, table: list.table, json: json)
    if !json {
      for engine in SubmittedEngine.all(in: directory) where engine.status == .waiting {
        printError("run \(engine.run): its engine is \(engine.title), which has not started")
      }
    }
    if all.count > limit {
      printError("\(limit) of \(all.count) runs; all: --limit \(all.count)")
    }
  }
}

extension RunStatus: ExpressibleByArgument {}
