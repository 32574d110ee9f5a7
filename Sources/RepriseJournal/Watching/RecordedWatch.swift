// Records one watch: its queued events, and the counts of handled and dropped ones.

package import Reprise
import SQLite
import Synchronization

/// The recorder of a watch whose lock this process holds.
///
/// An event is accepted in one transaction, and removed in the transaction that records its drop or
/// the run that handles it. So an accepted event is neither lost nor handled twice, however the
/// process ends.
///
/// All members are thread-safe, and block the thread while they write.
package final class RecordedWatch: Sendable {
  /// The name of the workflow.
  package let workflow: String
  private let number: Int64
  private let lock: FileLock
  private let journal: Journal
  /// The secrets, which are not recorded.
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

  /// The path of the lock of the watch, by which others find it.
  package var lockPath: String { journal.directory.watchLockPath(of: workflow) }

  /// The descriptor that holds the lock of the watch.
  package var lockDescriptor: Int32 { lock.descriptor }

  /// Releases the lock of the watch, so that another one can take it; nothing may be recorded any more.
  package func release() { lock.release() }

  /// Notifies watchers of ``StateDirectory/livePath`` that the watch can be controlled.
  package func announce() { lock.announce() }

  // MARK: Events

  /// Records new events, which are on disk when this returns.
  ///
  /// - Parameter events: The events, in order.
  /// - Returns: The events with their numbers.
  /// - Throws: ``JournalError``; none of the events is recorded then.
  package func accept(_ events: [WatchEvent]) throws(JournalError) -> [WatchEvent] {
    try together { transaction throws(JournalError) in try transaction.accept(events) }
  }

  /// Returns the time up to which a schedule has been handled; nil for a new schedule.
  ///
  /// In seconds since 1970.
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

  /// Returns the queued events, oldest first.
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
  ///   - request: The request of the run.
  ///   - event: The event.
  ///   - isAlone: Whether to refuse the run while another run of its group is live.
  /// - Returns: The recorder of the run.
  /// - Throws: ``JournalError``, or ``GroupIsBusy``; the event stays queued then.
  package func begin(
    _ request: RunRequest, handling event: WatchEvent, isAlone: Bool = false
  ) throws -> RecordedRun {
    try journal.begin(request.hiding(secrets), isAlone: isAlone) { connection in
      try transaction(connection).remove(event, counting: "runs = runs + 1")
    }
  }

  /// Records that the current run handles an event after a restart.
  ///
  /// - Parameters:
  ///   - run: The id of the run.
  ///   - request: The new request of the run.
  ///   - event: The event.
  /// - Throws: ``JournalError``; the event stays queued then.
  package func restart(
    _ run: RunID, as request: RunRequest, handling event: WatchEvent
  ) throws {
    let options = try request.hiding(secrets).optionsJSON
    try write { connection in
      let number = try connection.value("SELECT number FROM run WHERE id = ?", run.description)
      if let number = number.integer {
        try Journal.replaceDefinition(
          ofRun: number, with: NextDefinition(definition: request.definition), in: connection)
      }
      try connection.execute(
        "UPDATE run SET options = ? WHERE id = ?", options, run.description)
      try transaction(connection).remove(event, counting: "restarts = restarts + 1")
    }
  }

  /// Queues the events of interrupted runs again, to be handled by new runs.
  ///
  /// - Parameter runs: The runs, which stay interrupted and no longer belong to the watch. None may
  ///   have hidden parameters.
  /// - Throws: ``JournalError``.
  package func requeueEvents(_ runs: [RunRecord]) throws {
    for run in runs {
      var request = run.request
      request.options[WatchCounts.optionOfRuns] = nil
      let options = try request.optionsJSON
      let trigger = request.trigger
      let event = WatchEvent(
        trigger ?? Trigger(.manual, time: run.requestedAt.description),
        parameters: request.parameters)
      try write { connection in
        try connection.execute("UPDATE run SET options = ? WHERE number = ?", options, run.number)
        _ = try transaction(connection).accept([event])
      }
    }
  }

  /// Returns the counts of events by result.
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

  // MARK: Transactions

  /// Records several changes in one transaction, which is on disk when this returns.
  ///
  /// - Parameter records: Called with the transaction, which must not escape. Must use the journal
  ///   only through the transaction.
  /// - Returns: The result of `records`.
  /// - Throws: ``JournalError``; nothing is recorded then.
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
  /// Takes the lock of the watch of a workflow, and records the watch.
  ///
  /// - Parameters:
  ///   - workflow: The name of the workflow.
  ///   - file: The absolute path of its file.
  ///   - secrets: The secrets, which are not recorded.
  /// - Returns: The recorder; nil if another process watches the workflow.
  /// - Throws: ``JournalError``.
  package func watch(
    _ workflow: String, file: String, hiding secrets: Secrets = Secrets()
  ) throws(JournalError) -> RecordedWatch? {
    // The previous watch may just have been killed, and its process not be torn down yet.
    let path = directory.watchLockPath(of: workflow)
    guard let lock = try FileLock.take(path, within: .milliseconds(500)) else { return nil }
    let now = SystemClock().now.microseconds
    let number = try explaining {
      try database.write { connection in
        // Runs that succeeded before the first watch of a workflow are not events.
        try connection.execute(
          """
          INSERT INTO watch (name, file, started_at, last_success)
          VALUES (?1, ?2, ?3, (\(JournalSchema.lastSuccess)))
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
