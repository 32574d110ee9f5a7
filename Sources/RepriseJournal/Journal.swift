// The journal of a project: records new runs, lists runs, and returns their events and states.
// `RecordedRun` records a run in progress.

package import Reprise
import SQLite

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A folder that records runs, so that they survive the process that drives them.
///
///     let journal = try Journal()
///     let run = try await Engine().start(workflow, recordedIn: journal)
///
/// It is the folder of the command `reprise`, which lists and shows the runs of a program in the same
/// way as its own. Any number of processes may use a journal at once. Thread-safe.
public final class Journal: Sendable {
  /// The state directory of the journal.
  package let directory: StateDirectory
  /// The process recorded as the driver of new runs, to which signals for them are sent.
  private let process: Int
  let database: Database
  /// The locks that this journal's runs hold in this process.
  let heldLocks = HeldLocks()

  /// Opens the journal of a state directory; creates both if they do not exist.
  ///
  /// - Parameters:
  ///   - directory: The state directory.
  ///   - process: The process that receives signals for new runs; nil for this one.
  /// - Throws: ``JournalError``.
  package convenience init(_ directory: StateDirectory, process: Int? = nil) throws(JournalError) {
    try directory.create()
    self.init(directory, try JournalDatabase.open(directory), process: process)
  }

  init(_ directory: StateDirectory, _ database: Database, process: Int? = nil) {
    self.directory = directory
    self.database = database
    self.process = process ?? Int(ProcessInfo.processInfo.processIdentifier)
  }

  // MARK: Starting runs

  /// Records a new run, and takes its lock for this process.
  ///
  /// - Parameters:
  ///   - request: The request of the run.
  ///   - id: The id of the run.
  ///   - isAlone: Whether to refuse the run while another run of its group is live. Of several runs
  ///     that start at the same time, one is accepted.
  /// - Returns: The recorder of the run.
  /// - Throws: ``JournalError``, or ``GroupIsBusy`` if the run is refused.
  package func begin(
    _ request: RunRequest, id: RunID = RunID(), isAlone: Bool = false
  ) throws -> RecordedRun {
    try begin(request, id: id, isAlone: isAlone, alongside: { _ in })
  }

  /// Records a new run, and something else in the same transaction.
  func begin(
    _ request: RunRequest, id: RunID = RunID(), isAlone: Bool = false,
    alongside: (Connection) throws -> Void
  ) throws -> RecordedRun {
    // Take the lock first, so that no process ever sees the record of a new run without its lock.
    guard let lock = try FileLock.take(directory.lockPath(of: id)) else {
      throw JournalError.used(id)
    }
    let options = try request.optionsJSON
    let now = SystemClock().now
    let (number, turn) = try explaining {
      // Writes exclude each other across processes, so exactly one of several runs is first.
      try database.write(isSynced: request.durability == .power) {
        connection -> Result<(Int64, Int64), GroupIsBusy> in
        if isAlone, let busy = try busyGroup(of: request, in: connection) { return .failure(busy) }
        let known = try connection.value("SELECT count(*) FROM run WHERE id = ?", id.description)
        if known.integer != 0 { throw JournalError.used(id) }
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
      id: id, number: number, turn: turn, eventCount: 0, durability: request.durability,
      logBytesMax: logBytesMax(of: request), lock: lock, journal: self)
  }

  /// Reopens a run that has ended or whose engine has died, and takes its lock for this process.
  ///
  /// - Parameters:
  ///   - id: The id of the run.
  ///   - isAlone: Whether to refuse the run while another run of its group is live.
  ///   - request: Called with the record and the state of the run while its lock is held; returns
  ///     its new request, or throws if the run must not be resumed.
  /// - Returns: The recorder of the run, and its state.
  /// - Throws: ``JournalError`` if another process drives the run, ``GroupIsBusy``, or the error of
  ///   `request`.
  package func reopen(
    _ id: RunID, isAlone: Bool = false,
    as request: (RunRecord, RunState) throws -> RunRequest
  ) throws -> (RecordedRun, RunState) {
    // An engine releases the lock only after all output has been shown, some time after the end.
    let lock = try FileLock.take(directory.lockPath(of: id), within: .seconds(5)) {
      () throws(JournalError) in try run(with: id).endedAt != nil
    }
    guard let lock else {
      throw JournalError.running(id, in: (try? run(with: id))?.process)
    }
    // Read the record only while holding the lock: another process may have driven the run until
    // just now.
    let record = try run(with: id)
    let state = try state(of: record)
    let request = try request(record, state)
    try directory.expectNoLinks(inLogsOf: id)
    let (eventCount, turn) = try explaining {
      try database.write(isSynced: request.durability == .power) {
        connection -> Result<(Int, Int64), GroupIsBusy> in
        if isAlone, let busy = try busyGroup(of: request, in: connection, besides: id) {
          return .failure(busy)
        }
        return .success(try requeue(record, as: request, in: connection))
      }
    }.get()
    let recorded = RecordedRun(
      id: id, number: record.number, turn: turn, eventCount: eventCount,
      durability: request.durability, logBytesMax: logBytesMax(of: request), lock: lock,
      journal: self)
    return (recorded, state)
  }

  /// Queues a run that goes on after all others of its group, like a new run; but they wait for
  /// steps of it that go on.
  ///
  /// - Returns: The number of its events, and its turn.
  private func requeue(
    _ record: RunRecord, as request: RunRequest, in connection: Connection
  ) throws -> (Int, Int64) {
    let turn =
      hasLiveHosts(record.id)
      ? try connection.value("SELECT turn FROM run WHERE number = ?", record.number).integer ?? 1
      : try Self.nextTurn(in: connection)
    try Self.replaceDefinition(
      ofRun: record.number, with: NextDefinition(definition: request.definition), in: connection)
    try connection.execute(
      """
      UPDATE run SET process = ?, concurrency_group = ?, turn = ?, ended_at = NULL,
        outcome = ? WHERE number = ?
      """, process, request.group, turn, request.group.map { _ in RunStatus.queued.rawValue },
      record.number)
    let count = try connection.value("SELECT max(number) FROM event WHERE run = ?", record.number)
    return (Int(count.integer ?? 0), turn)
  }

  /// Returns the limit of logs, by the workflow or else by the project.
  private func logBytesMax(of request: RunRequest) -> Int64? {
    // A file with errors is reported when the run has ended.
    request.logBytesMax ?? (try? directory.retention())?.logBytes
  }

  private static func nextTurn(in connection: Connection) throws(SQLiteError) -> Int64 {
    try connection.value(JournalSchema.nextTurn).integer ?? 1
  }

  private func busyGroup(
    of request: RunRequest, in connection: Connection, besides id: RunID? = nil
  ) throws(SQLiteError) -> GroupIsBusy? {
    guard let group = request.group else { return nil }
    // One more, as the run itself may be among them.
    return try liveRuns(of: group, in: connection, last: 2).last { $0 != id }
      .map { GroupIsBusy(group: group, run: $0, isInterrupted: !isLive($0)) }
  }

  // MARK: Reading

  /// Returns the runs, newest first; reports and skips runs that cannot be read.
  ///
  /// - Parameters:
  ///   - workflow: The workflow whose runs to return; nil for all.
  ///   - number: The ``RunRecord/number`` before which the runs were requested; nil for the newest.
  ///   - limit: The maximum number of runs; nil for all.
  ///   - onUnreadable: Called with the error of each skipped run.
  /// - Returns: The runs.
  /// - Throws: ``JournalError``.
  package func runs(
    workflow: String? = nil, before number: Int64? = nil, limit: Int? = nil,
    onUnreadable: (JournalError) -> Void = { _ in }
  ) throws(JournalError) -> [RunRecord] {
    let rows = try explaining {
      try database.read { connection in
        try connection.rows(
          """
          SELECT \(RunRow.columns) FROM run
          WHERE workflow = coalesce(?, workflow) AND number < coalesce(?, number + 1)
          ORDER BY number DESC LIMIT coalesce(?, -1)
          """, workflow, number, limit)
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

  /// Returns the events of a run in order, without output.
  ///
  /// Events are numbered from 1 in this order, without gaps.
  ///
  /// - Parameters:
  ///   - run: The run.
  ///   - count: The number of events at the beginning to leave out.
  /// - Returns: The events.
  /// - Throws: ``JournalError`` if an event cannot be read.
  package func events(of run: RunRecord, after count: Int = 0) throws(JournalError) -> [Event] {
    let rows = try explaining {
      try database.read { connection in
        try connection.rows(
          """
          SELECT \(EventRow.columns) FROM event
          WHERE run = ? AND number > ? ORDER BY number
          """, run.number, count)
      }
    }
    var events: [Event] = []
    events.reserveCapacity(rows.count)
    for row in rows { events.append(try EventRow(row, of: run.id).event(of: run.id)) }
    return events
  }

  /// Returns the state of a run, folded from its events.
  ///
  /// - Throws: ``JournalError`` if an event cannot be read, or is an invalid transition.
  package func state(of run: RunRecord) throws(JournalError) -> RunState {
    try RunState(try events(of: run), of: run.id)
  }

  /// Returns whether a process holds the lock of a run: it drives the run, or waits for its turn.
  package func isLive(_ run: RunID) -> Bool {
    heldLocks.contains(run) || heldLocks.probe(directory.lockPath(of: run))
  }

  /// The number of locks that were opened to find out which runs are live.
  package var probedLockCount: Int { heldLocks.probeCount }

  /// Returns whether steps of a run may go on although its engine has died, because hosts on this
  /// machine hold the lock of the run for hosts.
  package func hasLiveHosts(_ run: RunID) -> Bool {
    heldLocks.probe(directory.hostsLockPath(of: run))
  }

  /// Removes the lock of a run for hosts, of which none is left.
  package func removeHostsLock(of run: RunID) {
    if !hasLiveHosts(run) {
      try? FileManager.default.removeItem(atPath: directory.hostsLockPath(of: run))
    }
  }

  /// Runs a closure, and converts errors of the database to readable messages.
  func explaining<Result>(_ body: () throws -> Result) throws(JournalError) -> Result {
    do {
      return try body()
    } catch {
      throw JournalDatabase.explained(error, directory)
    }
  }
}

extension RunRequest {
  /// The options as stored JSON.
  var optionsJSON: String {
    get throws { String(decoding: try JSONEncoder().encode(options), as: UTF8.self) }
  }
}

/// The error of a run that was refused because another run of its group is live.
package struct GroupIsBusy: Error, Equatable, CustomStringConvertible {
  /// The group.
  package let group: String
  /// The other run.
  package let run: RunID
  /// Whether its engine has died, and steps of it go on.
  package var isInterrupted = false

  /// The reason as a clause for error messages.
  package var description: String {
    isInterrupted
      ? "steps of run \(run) of the group \"\(group)\" go on without their engine; resume or cancel it"
      : "run \(run) of the group \"\(group)\" is live"
  }
}

extension RunState {
  /// Folds the recorded events of a run.
  ///
  /// - Parameters:
  ///   - events: The events.
  ///   - run: The id of the run.
  /// - Throws: ``JournalError`` if an event is an invalid transition.
  package init(_ events: [Event], of run: RunID) throws(JournalError) {
    self.init()
    try fold(events, of: run)
  }

  /// Folds further recorded events of a run.
  ///
  /// - Parameters:
  ///   - events: The events after those so far.
  ///   - run: The id of the run.
  /// - Throws: ``JournalError`` if an event is an invalid transition.
  package mutating func fold(_ events: [Event], of run: RunID) throws(JournalError) {
    for event in events {
      do throws(InvalidTransition) {
        try apply(event)
      } catch {
        throw JournalError("the record of run \(run) is inconsistent: \(error)")
      }
    }
  }
}
