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
      The command returns once the event is on disk: it is handled exactly once, even if the watch \
      is killed. With --wait, it names the run that handles the event, and waits for its end.

      EXAMPLES
        reprise trigger deploy
        reprise trigger deploy -p target=production --wait

      EXIT STATUS
        0: the event is on disk. With --wait, as of the run, like reprise run; 2 if the event was \
        dropped.
      """)

  @Argument(help: "The name of the workflow.", completion: .workflow)
  var name: String

  @Option(
    name: [.customShort("p"), .customLong("param")], parsing: .unconditionalSingleValue,
    help: ArgumentHelp(
      "Set a parameter of the workflow. Can be repeated.", valueName: "name=value"),
    completion: .parameter)
  var parameters: [String] = []

  @Flag(help: "Wait for the end of the run that handles the event.")
  var wait = false

  @OptionGroup var state: StateOptions

  func validate() throws {
    try ParameterOptions.check(parameters)
  }

  func run() async throws {
    guard try state.directory().exists else {
      throw Problem(
        "error: the workflow \"\(name)\" is not being watched; watch it with: reprise watch FILE"
      )
    }
    let journal = try state.openExistingJournal()
    let client = try await WatchList.client(of: name, in: journal)
    let answer = try await reply(
      of: client,
      to: .trigger(
        parameters: ParameterOptions.texts(of: parameters), waits: wait,
        within: wait ? CallingSteps().runs : []))
    guard case .handled(let run) = answer else {
      return printLine("the event for \(name) is recorded; see its run with: reprise runs")
    }
    printLine("run \(run.description) handles the event")
    let status = await journal.statusAfterEnd(of: run, within: nil)
    printLine("run \(run.description) has ended: \(status.rawValue)")
    if status != .succeeded && status != .skipped { throw ExitStatus.of(status) }
  }
}

struct TriggersCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "triggers",
    abstract: "List the workflows with triggers, their watches, and the counts of their events.",
    discussion: """
      EXAMPLES
        reprise triggers
        reprise triggers --json | jq 'select(.dropped > 0)'

      STATE
        watching        events start runs
        paused          events are queued until P is pressed in its display
        not answering   the watch is starting, shutting down or suspended
        ended           watch the workflow again with: reprise watch NAME, or all with: reprise watch
        not watched     the workflow has triggers, and has never been watched
      """)

  @Flag(help: "Print one JSON object per line.")
  var json = false

  @OptionGroup var state: StateOptions

  func run() async throws {
    let journal = try state.directory().exists ? state.openExistingJournal() : nil
    let watches: WatchList
    do throws(JournalError) {
      watches = try await WatchList(of: journal, WorkflowFiles().folder)
    } catch {
      throw Problem(error)
    }
    printList(watches.jsonLines, table: watches.table, json: json)
  }
}
