// The record of one watched workflow, as the process that watches it keeps it: which events wait, and what
// has become of the others. Knows nothing of where events come from.

package import Reprise
import SQLite
import Synchronization

/// The record of a watched workflow, which this process holds.
///
/// An event is accepted in one transaction, and it leaves in the transaction that records what becomes of
/// it: that it was dropped, or the run that handles it. So an event that was accepted is neither lost nor
/// handled twice, however the process ends.
///
/// All members may be called from any thread, and block it while they write.
package final class RecordedWatch: Sendable {
  /// The name of the workflow.
  package let workflow: String
  private let number: Int64
  private let lock: FileLock
  private let journal: Journal
  /// What no event and no run is recorded with.
  private let secrets: Secrets

  fileprivate init(
    workflow: String, number: Int64, lock: FileLock, journal: Journal, secrets: Secrets
  ) {
    self.workflow = workflow
    self.number = number
    self.lock = lock
    self.journal = journal
    self.secrets = secrets
  }

  /// The descriptor that holds the watch for this process.
  package var lockDescriptor: Int32 { lock.descriptor }

  /// Has those who watch ``StateDirectory/livePath`` see that the watch can be reached.
  package func announce() { lock.announce() }

  // MARK: Events

  /// Records events that have happened.
  ///
  /// - Parameter events: The events, in their order.
  /// - Returns: The events with their numbers; on the disk by then.
  /// - Throws: ``JournalError``; nothing of them is recorded then.
  package func accept(_ events: [WatchEvent]) throws(JournalError) -> [WatchEvent] {
    try together { transaction throws(JournalError) in try transaction.accept(events) }
  }

  /// The moment up to which a schedule has been dealt with, in seconds since 1970; nil when it is new.
  ///
  /// - Throws: ``JournalError``.
  package func lastMoment(of schedule: String) throws(JournalError) -> Int64? {
    try journal.explaining {
      try journal.database.read { connection in
        try connection.value(
          "SELECT last FROM watch_schedule WHERE watch = ? AND schedule = ?", number, schedule
        ).integer
      }
    }
  }

  /// Records that an event was dropped.
  ///
  /// - Throws: ``JournalError``.
  package func drop(_ event: WatchEvent) throws(JournalError) {
    try together { transaction throws(JournalError) in try transaction.drop(event) }
  }

  /// The events that wait, oldest first.
  ///
  /// - Throws: ``JournalError``.
  package func waiting() throws(JournalError) -> [WatchEvent] {
    try journal.explaining {
      try journal.database.read { connection in
        try connection.rows(
          "SELECT number, json FROM watch_event WHERE watch = ? ORDER BY number", number)
      }
    }.compactMap { row in
      guard let number = row["number"].integer,
        let json = row["json"].text
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
  package func begin(
    _ request: RunRequest, handling event: WatchEvent, isAlone: Bool = false
  ) throws -> RecordedRun {
    try journal.begin(request.hiding(secrets), isAlone: isAlone) { connection in
      try transaction(connection).remove(event, counting: "runs = runs + 1")
    }
  }

  /// Records that a run which is under way handles an event from now on.
  ///
  /// - Parameters:
  ///   - run: The run.
  ///   - request: What it is made from now.
  ///   - event: The event.
  /// - Throws: ``JournalError``; the event waits on then.
  package func restart(
    _ run: RunID, as request: RunRequest, handling event: WatchEvent
  ) throws {
    let options = try request.hiding(secrets).optionsJSON
    try write { connection in
      try connection.execute(
        "UPDATE run SET source = ?, options = ? WHERE id = ?", request.source, options,
        run.description)
      try transaction(connection).remove(event, counting: "restarts = restarts + 1")
    }
  }

  /// Has the events of interrupted runs wait once more, for runs of their own.
  ///
  /// - Parameter runs: The runs, which stay interrupted and do not count as the watch's any more. None may hide
  ///   anything that it was given.
  /// - Throws: ``JournalError``.
  package func handAgain(_ runs: [RunRecord]) throws {
    for run in runs {
      var request = run.request
      request.options[WatchCounts.optionOfRuns] = nil
      let options = try request.optionsJSON
      let trigger = request.options[RunRequest.optionOfTrigger].flatMap(Trigger.init(json:))
      let event = WatchEvent(
        trigger ?? Trigger(.manual, time: run.requestedAt.description),
        parameters: request.parameters)
      try write { connection in
        try connection.execute("UPDATE run SET options = ? WHERE number = ?", options, run.number)
        _ = try transaction(connection).accept([event])
      }
    }
  }

  /// What has become of all events.
  ///
  /// - Throws: ``JournalError``.
  package func counts() throws(JournalError) -> WatchCounts {
    try journal.explaining {
      try journal.database.read { connection in
        try connection.rows("SELECT \(WatchCounts.columns) FROM watch WHERE number = ?", number)
          .first.map(WatchCounts.init) ?? WatchCounts()
      }
    }
  }

  // MARK: The database

  /// Makes one transaction of several records.
  ///
  /// - Parameter records: Is given the transaction, which it must not keep; uses nothing else of the journal.
  /// - Returns: What `records` returns; all is on the disk by then.
  /// - Throws: ``JournalError``; nothing of it is recorded then.
  package func together<Result: Sendable>(
    _ records: (WatchTransaction) throws(JournalError) -> Result
  ) throws(JournalError) -> Result {
    try write { connection in try records(transaction(connection)) }
  }

  private func transaction(_ connection: Connection) -> WatchTransaction {
    WatchTransaction(watch: number, connection: connection, journal: journal, secrets: secrets)
  }

  private func write<Result: Sendable>(
    _ body: (Connection) throws -> Result
  ) throws(JournalError) -> Result {
    try journal.explaining { try journal.database.write(body) }
  }
}

extension Journal {
  /// Holds the watch of a workflow for this process.
  ///
  /// - Parameters:
  ///   - workflow: The name of the workflow.
  ///   - file: The absolute path of its file.
  ///   - secrets: What is not kept of its events and runs.
  /// - Returns: The record, or nil when another process watches the workflow.
  /// - Throws: ``JournalError``.
  package func watch(
    _ workflow: String, file: String, hiding secrets: Secrets = Secrets()
  ) throws(JournalError) -> RecordedWatch? {
    // The watch before may have been killed a moment ago: its lock is free when it has been taken apart.
    let path = directory.watchLockPath(of: workflow)
    guard let lock = try FileLock.take(path, within: .milliseconds(500)) else { return nil }
    let now = SystemClock().now.microseconds
    let number = try explaining {
      try database.write { connection in
        // What succeeded before a workflow was first watched starts nothing.
        try connection.execute(
          """
          INSERT INTO watch (name, file, started_at, last_success)
          VALUES (?1, ?2, ?3, (SELECT coalesce(max(success), 0) FROM run))
          ON CONFLICT (name) DO UPDATE SET file = ?2, started_at = ?3
          """, workflow, file, now)
        return try connection.value("SELECT number FROM watch WHERE name = ?", workflow).integer
      }
    }
    guard let number else { throw JournalError("the watch of \"\(workflow)\" was not recorded") }
    return RecordedWatch(
      workflow: workflow, number: number, lock: lock, journal: self, secrets: secrets)
  }
}
