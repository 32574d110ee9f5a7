// `reprise trigger` and `reprise triggers`: start a run of a watched workflow, and list watches.

import ArgumentParser
import Reprise
import RepriseControl
import RepriseHost
import RepriseJournal
import RepriseTerminal

struct TriggerCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "trigger",
    abstract: "Start a run of a workflow that is being watched.",
    discussion: """
      Exit status 0 means that the event is on disk: it is handled exactly once, even if the \
      watch is killed. To see its run, use reprise runs.

      EXAMPLES
        reprise trigger deploy
        reprise trigger deploy -p target=production
      """)

  @Argument(help: "The name of the workflow.", completion: .workflow)
  var name: String

  @Option(
    name: [.customShort("p"), .customLong("param")], parsing: .unconditionalSingleValue,
    help: ArgumentHelp(
      "Set a parameter of the workflow. Can be repeated.", valueName: "name=value"),
    completion: .parameter)
  var parameters: [String] = []

  @OptionGroup var state: StateOptions

  func validate() throws {
    try ParameterOptions.check(parameters)
  }

  func run() async throws {
    let journal = try state.openExistingJournal()
    let client = try await WatchList.client(of: name, in: journal)
    try await reply(
      of: client, to: .trigger(parameters: ParameterOptions.texts(of: parameters)))
    printLine("the event for \(name) is recorded; see its run with: reprise runs")
  }
}

struct TriggersCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "triggers",
    abstract: "List the workflows that are or were watched, with counts of their events.",
    discussion: """
      EXAMPLES
        reprise triggers
        reprise triggers --json | jq 'select(.dropped > 0)'

      STATE
        watching        events start runs
        paused          events are queued until P is pressed in its display
        not answering   the watch is starting, shutting down or suspended
        ended           watch the workflow again with: reprise watch FILE
      """)

  @Flag(help: "Print one JSON object per line.")
  var json = false

  @OptionGroup var state: StateOptions

  func run() async throws {
    let directory = try state.directory()
    guard directory.exists else {
      if !json { printLine("No workflow has been watched in \"\(directory.path)\" yet.") }
      return
    }
    let journal = try state.openExistingJournal()
    let watches: WatchList
    do throws(JournalError) {
      watches = try await WatchList(of: journal)
    } catch {
      throw Problem(error)
    }
    printList(watches.jsonLines, table: watches.table, json: json)
  }
}
