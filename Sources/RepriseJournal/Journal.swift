// The record of a project's runs: begins them, lists them, gives back their states. What is recorded
// while a run goes on is the recorder's business.

package import Reprise
import SQLite

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The record of a project's runs.
///
/// Any number of processes may use one at once. All members may be called from any thread, and block it
/// while they read or write.
package final class Journal: Sendable {
  /// Where it is.
  package let directory: StateDirectory
  /// The process that is recorded to drive the runs that are begun here: the one to send signals to.
  private let process: Int
  let database: Database

  /// Opens the journal of a folder, and makes both where they do not exist.
  ///
  /// - Parameters:
  ///   - directory: The folder.
  ///   - process: The process that one sends signals to when one means the runs that are begun here:
  ///     this one when left out.
  /// - Throws: ``JournalError``.
  package convenience init(
    _ directory: StateDirectory, process: Int? = nil
  ) throws(JournalError) {
    try directory.create()
    self.init(directory, try JournalDatabase.open(directory), process: process)
  }

  init(_ directory: StateDirectory, _ database: Database, process: Int? = nil) {
    self.directory = directory
    self.database = database
    self.process = process ?? Int(ProcessInfo.processInfo.processIdentifier)
  }

  // MARK: Beginning

  /// Records that a run was asked for, and holds it for this process.
  ///
  /// - Parameters:
  ///   - request: What it is made from.
  ///   - id: Its id.
  ///   - isAlone: Whether it is refused while another run of its group is live. Of several that are
  ///     begun at the same time, one is not refused.
  /// - Returns: The run, as this process records it.
  /// - Throws: ``JournalError``, or ``GroupIsBusy`` when it is refused.
  package func begin(
    _ request: RunRequest, id: RunID = RunID(), isAlone: Bool = false
  ) throws -> RecordedRun {
    try begin(request, id: id, isAlone: isAlone, alongside: { _ in })
  }

  /// Records that a run was asked for, and something else in the same transaction.
  func begin(
    _ request: RunRequest, id: RunID = RunID(), isAlone: Bool = false,
    alongside: (Connection) throws -> Void
  ) throws -> RecordedRun {
    // Before there is a record, so that nobody ever sees one that nobody holds.
    guard let lock = try FileLock.take(directory.lockPath(of: id)) else {
      throw JournalError("the id \(id) is taken by another run")
    }
    let options = try request.optionsJSON
    let now = SystemClock().now
    let (number, turn) = try explaining {
      // A write excludes those of all other processes, so of several one is the first.
      try database.write(isSynced: request.durability == .power) {
        connection -> Result<(Int64, Int64), GroupIsBusy> in
        if isAlone, let busy = try busyGroup(of: request, in: connection) { return .failure(busy) }
        let turn = try Self.nextTurn(in: connection)
        try connection.execute(
          """
          INSERT INTO run (id, workflow, file, directory, source, options, concurrency_group,
            process, requested_at, turn) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
          """, id.description, request.workflow, request.file, request.directory, request.source,
          options, request.group, process, now.microseconds, turn)
        let number = connection.lastInsertedRow
        try alongside(connection)
        return .success((number, turn))
      }
    }.get()
    return RecordedRun(
      id: id, number: number, turn: turn, eventCount: 0, durability: request.durability, lock: lock,
      journal: self)
  }

  /// Holds a run for this process that has ended or whose engine has died.
  ///
  /// - Parameters:
  ///   - id: The run.
  ///   - isAlone: Whether it is refused while another run of its group is live.
  ///   - request: Given the record and the state of the run, as they are while this process holds it,
  ///     says what it is made from from now on, or throws when it is not to be taken up.
  /// - Returns: The run, as this process records it, and where it stood.
  /// - Throws: ``JournalError`` when another process drives it, ``GroupIsBusy``, or what `request` throws.
  package func reopen(
    _ id: RunID, isAlone: Bool = false,
    as request: (RunRecord, RunState) throws -> RunRequest
  ) throws -> (RecordedRun, RunState) {
    // The engine of a run gives its lock back some time after its end, when all has been shown.
    let lock = try FileLock.take(directory.lockPath(of: id), within: .seconds(5)) {
      () throws(JournalError) in try run(named: id.description).endedAt != nil
    }
    guard let lock else {
      let process = (try? run(named: id.description))?.process
      throw JournalError("run \(id) is running in process \(process.map(String.init) ?? "?")")
    }
    // Only what is read while the run is held can be relied on: another process may have driven it
    // until a moment ago.
    let record = try run(named: id.description)
    let state = try state(of: record)
    let request = try request(record, state)
    try directory.expectNoLinks(inLogsOf: id)
    let (eventCount, turn) = try explaining {
      try database.write(isSynced: request.durability == .power) {
        connection -> Result<(Int, Int64), GroupIsBusy> in
        if isAlone, let busy = try busyGroup(of: request, in: connection, besides: id) {
          return .failure(busy)
        }
        // Behind all others of its group, as if it had been begun just now.
        let turn = try Self.nextTurn(in: connection)
        try connection.execute(
          """
          UPDATE run SET process = ?, source = ?, concurrency_group = ?, turn = ?, ended_at = NULL,
            outcome = NULL WHERE number = ?
          """, process, request.source, request.group, turn, record.number)
        let count = try connection.value(
          "SELECT max(number) FROM event WHERE run = ?", record.number)
        return .success((Int(count.integer ?? 0), turn))
      }
    }.get()
    let recorded = RecordedRun(
      id: id, number: record.number, turn: turn, eventCount: eventCount,
      durability: request.durability, lock: lock, journal: self)
    return (recorded, state)
  }

  private static func nextTurn(in connection: Connection) throws(SQLiteError) -> Int64 {
    try connection.value("SELECT coalesce(max(turn), 0) + 1 FROM run").integer ?? 1
  }

  private func busyGroup(
    of request: RunRequest, in connection: Connection, besides id: RunID? = nil
  ) throws(SQLiteError) -> GroupIsBusy? {
    guard let group = request.group else { return nil }
    return try liveRuns(of: group, in: connection).last { $0 != id }
      .map { GroupIsBusy(group: group, run: $0) }
  }

  // MARK: Reading

  /// The runs, newest first; those that cannot be read are told of and skipped.
  ///
  /// - Parameters:
  ///   - workflow: Only those of this workflow.
  ///   - onUnreadable: Called with what is wrong with a run that is skipped.
  /// - Returns: The runs, read one by one as they are asked for.
  /// - Throws: ``JournalError``.
  package func runs(
    workflow: String? = nil, onUnreadable: (JournalError) -> Void = { _ in }
  ) throws(JournalError) -> [RunRecord] {
    let rows = try explaining {
      try database.read { connection in
        try connection.rows(
          """
          SELECT \(RunRow.columns) FROM run WHERE workflow = coalesce(?, workflow)
          ORDER BY number DESC
          """, workflow)
      }
    }
    return rows.compactMap { row in
      do throws(JournalError) {
        return try record(row)
      } catch {
        onUnreadable(error)
        return nil
      }
    }
  }

  /// The run that somebody means.
  ///
  /// - Parameter name: An id, a prefix that only one id has, or `@last`.
  /// - Returns: The run.
  /// - Throws: ``JournalError`` that says what there is instead.
  package func run(named name: String) throws(JournalError) -> RunRecord {
    let rows = try explaining {
      try database.read { connection in
        if name == "@last" {
          return try connection.rows(
            "SELECT \(RunRow.columns) FROM run ORDER BY number DESC LIMIT 1")
        }
        return try connection.rows(
          """
          SELECT \(RunRow.columns) FROM run WHERE id = ?1 OR substr(id, 1, length(?1)) = ?1
          ORDER BY id <> ?1, number DESC LIMIT 6
          """, name)
      }
    }
    guard let row = rows.first, !name.isEmpty else {
      throw JournalError(
        name == "@last"
          ? "no run has been recorded in \"\(directory.path)\" yet"
          : "there is no run \"\(name)\"; see reprise runs")
    }
    let ids = rows.compactMap(\.["id"].text)
    guard rows.count == 1 || ids.first == name else {
      throw JournalError(
        "more than one run begins with \"\(name)\": " + ids.joined(separator: ", "))
    }
    return try record(row)
  }

  /// The events of a run, without output, in their order.
  ///
  /// - Throws: ``JournalError`` when one cannot be read.
  package func events(of run: RunRecord) throws(JournalError) -> [Event] {
    let rows = try explaining {
      try database.read { connection in
        try connection.rows(
          """
          SELECT time, generation, kind, step, attempt, json FROM event WHERE run = ? ORDER BY number
          """, run.number)
      }
    }
    var events: [Event] = []
    events.reserveCapacity(rows.count)
    for row in rows {
      guard let time = row["time"].integer,
        let generation = row["generation"].integer.map(Int.init),
        let kind = row["kind"].text
      else { throw JournalError("an event of the run \(run.id) cannot be read") }
      let eventRow = EventRow(
        time: time, generation: generation, kind: kind,
        step: row["step"].text,
        attempt: row["attempt"].integer.map(Int.init),
        json: row["json"].text)
      events.append(try eventRow.event(of: run.id))
    }
    return events
  }

  /// Where a run stands, folded from its events.
  ///
  /// - Throws: ``JournalError`` when an event cannot be read or cannot follow the others.
  package func state(of run: RunRecord) throws(JournalError) -> RunState {
    var state = RunState()
    for event in try events(of: run) {
      do throws(InvalidTransition) {
        try state.apply(event)
      } catch {
        throw JournalError("the record of the run \(run.id) contradicts itself: \(error)")
      }
    }
    return state
  }

  /// Whether a run is held by a process: driven, or waiting to be.
  package func isLive(_ run: RunID) -> Bool {
    FileLock.isHeld(directory.lockPath(of: run))
  }

  /// The ids of the runs of a group that are live and whose turn comes before that of a run.
  ///
  /// - Parameters:
  ///   - group: The group.
  ///   - turn: The turn of the run.
  /// - Returns: Their ids, those whose turn comes first first.
  /// - Throws: ``JournalError``.
  package func liveRuns(of group: String, before turn: Int64) throws(JournalError) -> [RunID] {
    try explaining {
      try database.read { connection in try liveRuns(of: group, in: connection, before: turn) }
    }
  }

  private func liveRuns(
    of group: String, in connection: Connection, before turn: Int64 = .max
  ) throws(SQLiteError) -> [RunID] {
    try connection.rows(
      """
      SELECT id FROM run WHERE concurrency_group = ? AND ended_at IS NULL AND turn < ? ORDER BY turn
      """, group, turn
    ).compactMap { $0[0].text.flatMap { RunID($0) } }.filter(isLive)
  }

  /// Turns what the database throws into what people can read.
  func explaining<Result>(_ body: () throws -> Result) throws(JournalError) -> Result {
    do {
      return try body()
    } catch {
      throw JournalDatabase.explained(error, directory)
    }
  }
}

extension RunRequest {
  /// The options as they are stored.
  var optionsJSON: String {
    get throws { String(decoding: try JSONEncoder().encode(options), as: UTF8.self) }
  }
}

/// A run was refused because another one of its group is live.
package struct GroupIsBusy: Error, Equatable {
  /// The group.
  package let group: String
  /// The other run.
  package let run: RunID
}
