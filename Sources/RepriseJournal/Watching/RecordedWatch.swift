// The record of one watched workflow, as the process that watches it keeps it: which events wait, and what
// has become of the others. Knows nothing of where events come from.

import GRDB
public import Reprise
import Synchronization

/// The record of a watched workflow, which this process holds.
///
/// An event is accepted in one transaction, and it leaves in the transaction that records what becomes of
/// it: that it was dropped, or the run that handles it. So an event that was accepted is neither lost nor
/// handled twice, however the process ends.
///
/// All members may be called from any thread, and block it while they write.
public final class RecordedWatch: Sendable {
  /// The name of the workflow.
  public let workflow: String
  private let number: Int64
  private let lock: FileLock
  private let journal: Journal

  fileprivate init(workflow: String, number: Int64, lock: FileLock, journal: Journal) {
    self.workflow = workflow
    self.number = number
    self.lock = lock
    self.journal = journal
  }

  /// The descriptor that holds the watch for this process.
  public var lockDescriptor: Int32 { lock.descriptor }

  // MARK: Events

  /// Records events that have happened.
  ///
  /// - Parameter events: The events, in their order.
  /// - Returns: The events with their numbers; on the disk by then.
  /// - Throws: ``JournalError``; nothing of them is recorded then.
  public func accept(_ events: [WatchEvent]) throws(JournalError) -> [WatchEvent] {
    try write { try insert(events, in: $0) }
  }

  /// Records an event of the clock, with the moment up to which the schedule has been dealt with.
  ///
  /// - Parameters:
  ///   - event: The event; nil where there is nothing to be made up for.
  ///   - schedule: The text of the schedule.
  ///   - moment: In seconds since 1970.
  /// - Returns: The event with its number.
  /// - Throws: ``JournalError``.
  public func accept(
    _ event: WatchEvent?, of schedule: String, dealtWithUntil moment: Int64
  ) throws(JournalError) -> WatchEvent? {
    try write { database in
      try database.execute(
        sql: "INSERT OR REPLACE INTO watch_schedule (watch, schedule, last) VALUES (?, ?, ?)",
        arguments: [number, schedule, moment])
      return try event.map { try insert([$0], in: database)[0] }
    }
  }

  /// The moment up to which a schedule has been dealt with, in seconds since 1970; nil when it is new.
  ///
  /// - Throws: ``JournalError``.
  public func lastMoment(of schedule: String) throws(JournalError) -> Int64? {
    try journal.explaining {
      try journal.database.read { database in
        try Int64.fetchOne(
          database, sql: "SELECT last FROM watch_schedule WHERE watch = ? AND schedule = ?",
          arguments: [number, schedule])
      }
    }
  }

  /// Records an event for each run of other workflows that has succeeded since the last call.
  ///
  /// - Parameters:
  ///   - workflows: The names of the workflows.
  ///   - event: Makes the event of a run.
  /// - Returns: The events, in the order in which the runs ended.
  /// - Throws: ``JournalError``.
  public func acceptSuccesses(
    of workflows: [String], as event: (_ workflow: String, _ run: String) -> WatchEvent
  ) throws(JournalError) -> [WatchEvent] {
    try write { database in
      let last =
        try Int64.fetchOne(
          database, sql: "SELECT last_success FROM watch WHERE number = ?", arguments: [number])
        ?? 0
      let rows = try Row.fetchAll(
        database,
        sql: "SELECT success, workflow, id FROM run WHERE success > ? ORDER BY success",
        arguments: [last])
      guard let newest = rows.last.flatMap({ Int64.fromDatabaseValue($0["success"]) }) else {
        return []
      }
      try database.execute(
        sql: "UPDATE watch SET last_success = ? WHERE number = ?", arguments: [newest, number])
      let events = rows.compactMap { row -> WatchEvent? in
        guard let workflow = String.fromDatabaseValue(row["workflow"]),
          workflows.contains(workflow), let id = String.fromDatabaseValue(row["id"])
        else { return nil }
        return event(workflow, id)
      }
      return try insert(events, in: database)
    }
  }

  /// Records that an event was dropped.
  ///
  /// - Throws: ``JournalError``.
  public func drop(_ event: WatchEvent) throws(JournalError) {
    try write { database in
      try remove(event, counting: "dropped = dropped + 1", in: database)
    }
  }

  /// The events that wait, oldest first.
  ///
  /// - Throws: ``JournalError``.
  public func waiting() throws(JournalError) -> [WatchEvent] {
    try journal.explaining {
      try journal.database.read { database in
        try Row.fetchAll(
          database, sql: "SELECT number, json FROM watch_event WHERE watch = ? ORDER BY number",
          arguments: [number])
      }
    }.compactMap { row in
      guard let number = Int64.fromDatabaseValue(row["number"]),
        let json = String.fromDatabaseValue(row["json"])
      else { return nil }
      return WatchEvent(json: json, number: number)
    }
  }

  // MARK: Runs

  /// Records a run that handles an event.
  ///
  /// - Parameters:
  ///   - request: What the run is made from.
  ///   - event: The event.
  ///   - isAlone: Whether it is refused while another run of its group is live.
  /// - Returns: The run, as this process records it.
  /// - Throws: ``JournalError``, or ``GroupIsBusy``; the event waits on then.
  public func begin(
    _ request: RunRequest, handling event: WatchEvent, isAlone: Bool = false
  ) throws -> RecordedRun {
    try journal.begin(request, isAlone: isAlone) { database in
      try remove(event, counting: "runs = runs + 1", in: database)
    }
  }

  /// Records that a run which is under way handles an event from now on.
  ///
  /// - Parameters:
  ///   - run: The run.
  ///   - request: What it is made from now.
  ///   - event: The event.
  /// - Throws: ``JournalError``; the event waits on then.
  public func restart(
    _ run: RunID, as request: RunRequest, handling event: WatchEvent
  ) throws {
    let options = try request.optionsJSON
    try write { database in
      try database.execute(
        sql: "UPDATE run SET source = ?, options = ? WHERE id = ?",
        arguments: [request.source, options, run.description])
      try remove(event, counting: "restarts = restarts + 1", in: database)
    }
  }

  /// Has the events of interrupted runs wait once more, for runs of their own.
  ///
  /// - Parameter runs: The runs, which stay interrupted and do not count as the watch's any more.
  /// - Throws: ``JournalError``.
  public func handAgain(_ runs: [RunRecord]) throws {
    for run in runs {
      var request = run.request
      request.options[WatchCounts.optionOfRuns] = nil
      let options = try request.optionsJSON
      let trigger = request.options["trigger"].flatMap(Trigger.init(json:))
      let event = WatchEvent(
        trigger ?? Trigger(kind: .manual, time: run.requestedAt.description),
        parameters: request.parameters)
      try write { database in
        try database.execute(
          sql: "UPDATE run SET options = ? WHERE number = ?", arguments: [options, run.number])
        _ = try insert([event], in: database)
      }
    }
  }

  /// What has become of all events.
  ///
  /// - Throws: ``JournalError``.
  public func counts() throws(JournalError) -> WatchCounts {
    try journal.explaining {
      try journal.database.read { database in
        try Row.fetchOne(
          database, sql: "SELECT * FROM watch WHERE number = ?", arguments: [number]
        ).map(WatchCounts.init) ?? WatchCounts()
      }
    }
  }

  // MARK: The database

  /// Makes one transaction of several changes.
  ///
  /// - Parameter changes: Calls members of this record, on the thread that it is called on.
  /// - Returns: What `changes` returns.
  /// - Throws: ``JournalError``; nothing of the changes is recorded then.
  public func together<Result>(
    _ changes: () throws(JournalError) -> Result
  ) throws(JournalError) -> Result {
    try journal.explaining { try journal.database.write { _ in try changes() } }
  }

  private func write<Result>(
    _ body: (Database) throws -> Result
  ) throws(JournalError) -> Result {
    try journal.explaining {
      try journal.database.unsafeReentrantWrite { database in
        if database.isInsideTransaction { return try body(database) }
        var result: Result?
        try database.inTransaction {
          result = try body(database)
          return .commit
        }
        guard let result else { preconditionFailure("BUG: a transaction without its result") }
        return result
      }
    }
  }

  private func insert(_ events: [WatchEvent], in database: Database) throws -> [WatchEvent] {
    var recorded = events
    for index in recorded.indices {
      try database.execute(
        sql: "INSERT INTO watch_event (watch, json) VALUES (?, ?)",
        arguments: [number, recorded[index].json])
      recorded[index].numbers = [database.lastInsertedRowID]
    }
    let count = events.reduce(0) { $0 + $1.trigger.count }
    try database.execute(
      sql: "UPDATE watch SET accepted = accepted + ?, folded = folded + ? WHERE number = ?",
      arguments: [count, count - events.count, number])
    return recorded
  }

  /// Removes an event from those that wait; those that were folded into it go with it.
  private func remove(
    _ event: WatchEvent, counting change: String, in database: Database
  ) throws {
    for number in event.numbers {
      try database.execute(
        sql: "DELETE FROM watch_event WHERE number = ?", arguments: [number])
    }
    try database.execute(
      sql: "UPDATE watch SET \(change), folded = folded + ? WHERE number = ?",
      arguments: [max(0, event.numbers.count - 1), number])
  }
}

extension Journal {
  /// Holds the watch of a workflow for this process.
  ///
  /// - Parameters:
  ///   - workflow: The name of the workflow.
  ///   - file: The absolute path of its file.
  /// - Returns: The record, or nil when another process watches the workflow.
  /// - Throws: ``JournalError``.
  public func watch(
    _ workflow: String, file: String
  ) throws(JournalError) -> RecordedWatch? {
    guard let lock = try FileLock.take(directory.watchLockPath(of: workflow)) else {
      return nil
    }
    let now = SystemClock().now.microseconds
    let number = try explaining {
      try database.write { database in
        // What succeeded before a workflow was first watched starts nothing.
        try database.execute(
          sql: """
            INSERT INTO watch (name, file, started_at, last_success)
            VALUES (?1, ?2, ?3, (SELECT coalesce(max(success), 0) FROM run))
            ON CONFLICT (name) DO UPDATE SET file = ?2, started_at = ?3
            """, arguments: [workflow, file, now])
        return try Int64.fetchOne(
          database, sql: "SELECT number FROM watch WHERE name = ?", arguments: [workflow])
      }
    }
    guard let number else { throw JournalError("the watch of \"\(workflow)\" was not recorded") }
    return RecordedWatch(workflow: workflow, number: number, lock: lock, journal: self)
  }
}
