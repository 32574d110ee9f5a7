// `reprise trigger` and `reprise triggers`: start a run of a watched workflow, and list watches.

import ArgumentParser
import Reprise
import RepriseControl
import RepriseHost
import RepriseJournal
import RepriseTerminal

struct TriggerCommand: DrivingCommand {
  static let configuration = CommandConfiguration(
    commandName: "trigger",
    abstract: "Start a run of a workflow that is being watched, or runs for past times.",
    discussion: """
      The command returns once the event is on disk: it is handled exactly once, even if the watch \
      is killed. With --wait, it names the run that handles the event, and waits for its end.

      With --for, the command runs the workflow itself, once for each time of its schedule in the \
      range, one after the other, as if it had been watched: trigger.time is that time. Times with a \
      run that has succeeded or is live are left out, so that the same command goes on where one was \
      stopped.

      EXAMPLES
        reprise trigger deploy
        reprise trigger deploy -p target=production --wait
        reprise trigger nightly --for 2026-11-01..2026-11-07

      EXIT STATUS
        0: the event is on disk. With --wait, as of the run, like reprise run; 2 if the event was \
        dropped. With --for, 1 if a run has failed.
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

  @Option(
    name: .customLong("for"),
    help: ArgumentHelp(
      "Run the workflow for the times of its schedule in these days or minutes.",
      valueName: "from..to"))
  var range: String?

  @Flag(help: "With --for: print the times without running the workflow.")
  var dryRun = false

  @Flag(help: "With --for: run the workflow also for times with a run that has succeeded.")
  var again = false

  @Option(help: "With --for: progress display: auto, tree, plain, github, json or none.")
  var progress = ProgressStyle.auto

  @OptionGroup var state: StateOptions

  var drivesRun: Bool { range != nil && !dryRun }
  var isDetached: Bool { false }

  func validate() throws {
    try ParameterOptions.check(parameters)
    guard range == nil else {
      if wait { throw ValidationError("--for waits for each run; leave out --wait.") }
      return
    }
    if dryRun || again { throw ValidationError("--dry-run and --again need --for.") }
  }

  func run() async throws {
    if let range { throw try await backfill(range) }
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

extension TriggerCommand {
  /// Runs the workflow for past times, and returns the exit status.
  private func backfill(_ range: String) async throws -> ExitStatus {
    let path = try enterFolder(ofWorkflow: name)
    let source = try LoadedWorkflow.parse(path)
    var arguments = Arguments(ParameterOptions.texts(of: parameters))
    let first = try LoadedWorkflow(source, arguments)
    let backfill = try Backfill(over: range, of: first.workflow, now: SystemClock().now)
    guard !backfill.moments.isEmpty else {
      throw Problem("error: \(first.workflow.name) has no times in \(range) until now")
    }
    let journal = dryRun ? nil : try state.openJournal()
    let existing = try dryRun && state.directory().exists ? state.openExistingJournal() : journal
    let covered =
      try again
      ? [:] : existing.map { try backfill.covered(by: first.workflow.name, in: $0) } ?? [:]
    guard let journal else {
      for moment in backfill.moments {
        printLine(covered[moment].map { "\(moment)  \($0.rawValue)" } ?? "\(moment)")
      }
      return .succeeded
    }
    let secrets = try await Secrets.gathered(for: first.workflow)
    var failed: [Timestamp] = []
    for moment in backfill.moments where covered[moment] == nil {
      arguments.trigger = Trigger(.schedule, time: moment.description)
      let loaded = try LoadedWorkflow(source, arguments)
      let request = try loaded.request([:], hiding: secrets)
      if progress.isHumanReadable { printError("\(first.workflow.name) for \(moment)") }
      let run = DrivenRun(progress: progress, secrets, passesThrough: false)
      let status = try await run.exitStatus(of: loaded, in: journal) {
        (try journal.begin(request, isAlone: loaded.workflow.concurrency?.policy == .reject), nil)
      }
      switch status {
      case .succeeded: break
      case .stepFailed: failed.append(moment)
      default: return status
      }
    }
    if progress.isHumanReadable {
      let count = backfill.moments.count - covered.count
      let others = covered.isEmpty ? "" : "; \(covered.count) had a run before"
      let list = failed.map(\.description).joined(separator: ", ")
      let runs = countText(count, "run")
      printError(
        "\(runs), \(failed.count) failed\(others)\(failed.isEmpty ? "" : ": \(list)")")
    }
    return failed.isEmpty ? .succeeded : .stepFailed
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
