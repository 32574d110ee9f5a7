// `reprise runs`: what has run and what runs now.

import ArgumentParser
import Reprise
package import RepriseJournal
import RepriseTerminal

struct RunsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "runs",
    abstract: "List the runs of this project, newest first.",
    discussion: """
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
      "Only runs that stand so: " + RunStatus.allCases.map(\.rawValue).joined(separator: ", ")
        + ".",
      valueName: "state"))
  var status: RunStatus?

  @Option(help: "How many at most.")
  var limit = 20

  @Flag(help: "Write one JSON object a line.")
  var json = false

  @OptionGroup var state: StateOptions

  func run() async throws {
    guard state.directory.exists else {
      if !json { printLine("No run has been recorded in \"\(state.directory.path)\" yet.") }
      return
    }
    let journal = try state.openExistingJournal()
    let runs: [RunRecord]
    do {
      runs = try journal.runs(workflow: workflow) { printError("warning: \($0)") }
    } catch {
      throw Problem("error: \(error)", status: .cannotGoOn)
    }
    let chosen = runs.filter { status == nil || $0.status == status }.prefix(max(0, limit))
    if json {
      for run in chosen { printLine(jsonLine(RunLine(run))) }
    } else {
      printLine(table(Array(chosen)))
    }
  }

  private func table(_ runs: [RunRecord]) -> TerminalSafe {
    guard !runs.isEmpty else { return "There is no such run." }
    let rows =
      [["RUN", "WORKFLOW", "STATE", "STARTED", "TOOK"]]
      + runs.map { run in
        let took = run.took.map(durationText) ?? ""
        let state =
          run.generation > 1 ? "\(run.status.rawValue) (\(run.generation))" : run.status.rawValue
        return [
          run.id.description, abridged(run.request.workflow), state, localTime(run.requestedAt),
          took,
        ]
      }
    return aligned(rows)
  }
}

extension RunStatus: ExpressibleByArgument {}

/// A run as other programs read it.
private struct RunLine: Encodable {
  let id: String
  let workflow: String
  let file: String
  let directory: String
  let status: RunStatus
  let generation: Int
  let process: Int
  let started: Timestamp
  let ended: Timestamp?

  init(_ run: RunRecord) {
    id = run.id.description
    workflow = run.request.workflow
    file = run.request.file
    directory = run.request.directory
    status = run.status
    generation = run.generation
    process = run.process
    started = run.requestedAt
    ended = run.endedAt
  }
}
