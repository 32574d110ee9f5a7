// `reprise trigger` and `reprise triggers`: start a run of a watched workflow, and see what is watched.

import ArgumentParser
import Reprise
import RepriseControl
import RepriseJournal
import RepriseTerminal

struct TriggerCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "trigger",
    abstract: "Start a run of a workflow that is being watched.",
    discussion: """
      When this ends with 0, the event is on the disk: it is handled once, also when the watch is \
      killed. What its run does is seen with reprise runs.

      EXAMPLES
        reprise trigger deploy
        reprise trigger deploy -p target=production
      """)

  @Argument(help: "The name of the workflow.")
  var name: String

  @Option(
    name: [.customShort("p"), .customLong("param")], parsing: .unconditionalSingleValue,
    help: ArgumentHelp(
      "Give a parameter of the workflow its value. Can be repeated.", valueName: "name=value"))
  var parameters: [String] = []

  @OptionGroup var state: StateOptions

  func validate() throws {
    try ParameterOptions.check(parameters)
  }

  func run() async throws {
    let journal = try state.openExistingJournal()
    let path = journal.directory.watchSocketPath(of: name)
    let end = ContinuousClock.now.advanced(by: .seconds(10))
    var client = try? ControlClient(path)
    // A watch that is beginning looks at all files first.
    while client == nil, liveWatches(journal).contains(name), ContinuousClock.now < end {
      try await Task.sleep(for: .milliseconds(20))
      client = try? ControlClient(path)
    }
    guard let client else {
      let live = liveWatches(journal)
      guard !live.contains(name) else {
        throw Problem(
          "error: the watch of \"\(name)\" does not answer: it is still beginning, or was stopped; try again",
          status: .cannotGoOn)
      }
      throw Problem(
        "error: nobody watches the workflow \"\(name)\"; "
          + (live.isEmpty
            ? "begin with: reprise watch FILE" : "watched are: \(live.joined(separator: ", "))"))
    }
    try await ask(.trigger(parameters: ParameterOptions.texts(of: parameters)), of: client)
  }

  private func liveWatches(_ journal: Journal) -> [String] {
    (try? journal.watches())?.filter(\.isLive).map(\.workflow) ?? []
  }
}

struct TriggersCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "triggers",
    abstract: "List the workflows that are or were watched, and what has become of their events.",
    discussion: """
      EXAMPLES
        reprise triggers
        reprise triggers --json | jq 'select(.dropped > 0)'

      STATE
        watching        what comes starts runs
        paused          what comes waits, until p is pressed in its display
        not answering   it is just beginning or ending, or stopped
        ended           start it again with: reprise watch FILE
      """)

  @Flag(help: "Write one JSON object a line.")
  var json = false

  @OptionGroup var state: StateOptions

  func run() async throws {
    guard state.directory.exists else {
      if !json { printLine("No workflow has been watched in \"\(state.directory.path)\" yet.") }
      return
    }
    let journal = try state.openExistingJournal()
    let watches: [WatchRecord]
    do throws(JournalError) {
      watches = try journal.watches()
    } catch {
      throw Problem("error: \(error)", status: .cannotGoOn)
    }
    var lines: [WatchLine] = []
    for watch in watches {
      lines.append(WatchLine(watch, watch.isLive ? await status(of: watch, journal) : nil))
    }
    if json {
      for line in lines { printLine(jsonLine(line)) }
    } else {
      printLine(table(lines))
    }
  }

  /// What the watch says of itself; nil when it does not answer.
  private func status(of watch: WatchRecord, _ journal: Journal) async -> WatchStatus? {
    guard let client = try? ControlClient(journal.directory.watchSocketPath(of: watch.workflow)),
      case .status(let status)? = try? await client.ask(.status, within: .seconds(2))
    else { return nil }
    return status
  }

  private func table(_ lines: [WatchLine]) -> TerminalSafe {
    guard !lines.isEmpty else { return "No workflow has been watched here yet." }
    let rows = lines.map { line in
      [
        line.workflow, line.state, String(line.waiting), line.next.map(localTime) ?? "",
        String(line.runs), String(line.restarts), String(line.folded), String(line.dropped),
        line.triggers.joined(separator: "; "),
      ]
    }
    return aligned(
      [["WORKFLOW", "STATE", "WAITING", "NEXT", "RUNS", "RESTARTS", "FOLDED", "DROPPED", "ON"]]
        + rows)
  }
}

/// A watch as other programs read it.
private struct WatchLine: Encodable {
  let workflow: String
  let file: String
  let state: String
  let triggers: [String]
  let waiting: Int
  let next: Timestamp?
  let accepted: Int
  let folded: Int
  let dropped: Int
  let runs: Int
  let restarts: Int

  init(_ record: WatchRecord, _ status: WatchStatus?) {
    workflow = record.workflow
    file = record.file
    state =
      !record.isLive
      ? "ended" : status.map { $0.isPaused ? "paused" : "watching" } ?? "not answering"
    triggers = status?.triggers ?? []
    waiting = status?.waiting ?? record.waiting
    next = status?.next
    let counts = status?.counts ?? record.counts
    accepted = counts.accepted
    folded = counts.folded
    dropped = counts.dropped
    runs = counts.runs
    restarts = counts.restarts
  }
}
