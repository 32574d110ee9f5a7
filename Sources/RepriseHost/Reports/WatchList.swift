// The watches of a project: which there are, how to reach one, and how they are listed.

import Reprise
package import RepriseControl
package import RepriseJournal
package import RepriseTerminal

/// The workflows that are or were watched, with what has become of their events.
package struct WatchList {
  private let lines: [WatchLine]

  /// Reads the records of all watches, and asks the live ones for their state.
  ///
  /// - Parameter journal: Where they are recorded.
  /// - Throws: ``JournalError``.
  package init(of journal: Journal) async throws(JournalError) {
    var lines: [WatchLine] = []
    for watch in try journal.watches() {
      lines.append(WatchLine(watch, watch.isLive ? await Self.status(of: watch, journal) : nil))
    }
    self.lines = lines
  }

  /// The state that a watch reports; nil when it does not answer.
  private static func status(of watch: WatchRecord, _ journal: Journal) async -> WatchStatus? {
    guard let client = try? ControlClient(journal.directory.watchSocketPath(of: watch.workflow)),
      case .status(let status)? = try? await client.ask(.status, within: .seconds(2))
    else { return nil }
    return status
  }

  /// A JSON object for each.
  package var jsonLines: [TerminalSafe] { lines.map { jsonLine($0) } }

  /// A table for people.
  package var table: TerminalSafe {
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

extension WatchList {
  /// Connects to the watch of a workflow; waits for one that is only just beginning.
  ///
  /// - Parameters:
  ///   - name: The name of the workflow.
  ///   - journal: Where watches are recorded.
  /// - Returns: The connection.
  /// - Throws: ``Problem`` where there is none, or it does not answer.
  package static func client(
    of name: String, in journal: Journal
  ) async throws -> ControlClient {
    let path = journal.directory.watchSocketPath(of: name)
    func live() -> [String] {
      (try? journal.watches())?.filter(\.isLive).map(\.workflow) ?? []
    }
    // A watch lists all files before it opens its socket.
    let client = try await FolderChanges.first(
      ofLiveRunsIn: journal.directory, within: .seconds(10)
    ) { () -> ControlClient?? in
      if let client = try? ControlClient(path) { return .some(client) }
      return live().contains(name) ? nil : .some(nil)
    }
    if let client = client ?? nil { return client }
    let names = live()
    guard !names.contains(name) else {
      throw Problem(
        "error: the watch of \"\(name)\" does not answer: it is still beginning, or was stopped; try again",
        cause: .cannotGoOn)
    }
    throw Problem(
      "error: nobody watches the workflow \"\(name)\"; "
        + (names.isEmpty
          ? "begin with: reprise watch FILE" : "watched are: \(names.joined(separator: ", "))"))
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
