// The watches of a project: listing them, and connecting to one.

import Reprise
package import RepriseControl
package import RepriseJournal
package import RepriseTerminal

/// The workflows that are or were watched, with the counts of their events, and those that could be.
package struct WatchList {
  /// The watches.
  package let lines: [WatchLine]

  /// Reads the records of all watches, asks the live ones for their status, and adds the other workflows of
  /// the project that have triggers.
  ///
  /// - Parameters:
  ///   - journal: The journal of the project; nil if there is none yet.
  ///   - folder: The folder `workflows` of the project; nil if there is none.
  /// - Throws: ``JournalError``.
  package init(of journal: Journal?, _ folder: String?) async throws(JournalError) {
    var lines: [WatchLine] = []
    for watch in try journal?.watches() ?? [] {
      let status = watch.isLive ? await Self.status(of: watch, journal) : nil
      lines.append(WatchLine(watch, status))
    }
    let names = Set(lines.map(\.workflow))
    if let folder {
      let project = await disk.result { WatchedProject(of: folder) }
      lines += project.paths.compactMap { project.entries[$0] }
        .filter { !names.contains($0.name) }.map(WatchLine.init)
    }
    self.lines = lines
  }

  /// Returns the status that a watch reports; nil if it does not answer.
  private static func status(of watch: WatchRecord, _ journal: Journal?) async -> WatchStatus? {
    guard let journal,
      let client = try? ControlClient(journal.directory.watchSocketPath(of: watch.workflow)),
      case .status(let status)? = try? await client.ask(.status, within: .seconds(2))
    else { return nil }
    return status
  }

  /// One JSON object for each watch.
  package var jsonLines: [TerminalSafe] { lines.map { jsonLine($0) } }

  /// The list as a table.
  package var table: TerminalSafe {
    guard !lines.isEmpty else { return "No workflow here has triggers, or has been watched." }
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
  /// Connects to the watch of a workflow; waits at most ten seconds for one that is starting.
  ///
  /// - Parameters:
  ///   - name: The name of the workflow.
  ///   - journal: The journal of the project.
  /// - Returns: The connection.
  /// - Throws: ``Problem`` if the workflow is not being watched, or its watch does not answer.
  package static func client(
    of name: String, in journal: Journal
  ) async throws -> ControlClient {
    let path = journal.directory.watchSocketPath(of: name)
    func live() -> [String] {
      (try? journal.watches())?.filter(\.isLive).map(\.workflow) ?? []
    }
    // A watch scans all files before it listens.
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
        "error: the watch of \"\(name)\" does not answer: it is starting or suspended; try again",
        cause: .internalFailure)
    }
    throw Problem(
      "error: the workflow \"\(name)\" is not being watched; "
        + (names.isEmpty
          ? "watch it with: reprise watch FILE"
          : "watched workflows: \(names.joined(separator: ", "))"))
  }
}

/// A watch in the JSON output.
package struct WatchLine: Encodable, Equatable {
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

  /// Creates the line of a workflow that has triggers, but has never been watched.
  init(_ entry: WatchedEntry) {
    workflow = entry.name
    file = entry.loaded.path
    state = "not watched"
    triggers = entry.triggers.words
    next = nil
    (waiting, accepted, folded, dropped, runs, restarts) = (0, 0, 0, 0, 0, 0)
  }
}
