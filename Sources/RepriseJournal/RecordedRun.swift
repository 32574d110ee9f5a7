// One run as the process that drives it records it: its events into the database, its output into
// files. Knows nothing of how it is driven.

package import Reprise
import SQLite
import Synchronization

/// A run that this process holds and records.
package final class RecordedRun: Recorder {
  /// The id of the run.
  package let id: RunID
  /// Its place among the runs of its group: it comes after all with smaller turns.
  package let turn: Int64
  private let number: Int64
  /// Held until the end of the run has been recorded.
  private let lock: Mutex<FileLock?>
  private let journal: Journal
  private let durability: Durability
  private let logs: LogWriter
  private let logSync: LogSync
  private let eventCount: Mutex<Int>
  private let isFrozen = Mutex(false)
  private let lostOutput = Mutex(JournalError?.none)

  init(
    id: RunID, number: Int64, turn: Int64, eventCount: Int, durability: Durability, lock: FileLock,
    journal: Journal
  ) {
    self.id = id
    self.number = number
    self.turn = turn
    self.lock = Mutex(lock)
    self.journal = journal
    self.durability = durability
    logs = LogWriter(directory: journal.directory)
    logSync = LogSync(path: journal.directory.logPath)
    self.eventCount = Mutex(eventCount)
  }

  /// The descriptor that holds the run for this process: whoever has a copy of it holds the run as well.
  ///
  /// Nil once the end of the run has been recorded.
  package var lockDescriptor: Int32? { lock.withLock { $0?.descriptor } }

  /// Keeps a text for whoever has to clear up after this process if it dies: where its steps are.
  ///
  /// - Parameter text: At most 4 KiB.
  package func noteForClearingUp(_ text: String) {
    lock.withLock { $0?.note(text) }
  }

  /// Has those who watch ``StateDirectory/livePath`` see that the run can be reached.
  package func announce() {
    lock.withLock { $0?.announce() }
  }

  /// Records events in one transaction.
  ///
  /// The end of the run is on the disk when this returns. Everything else is there as well where the run
  /// has to survive the loss of power; otherwise the kernel has it, and the disk soon.
  ///
  /// - Parameter events: The next events.
  /// - Throws: ``JournalError``; nothing of them is recorded then.
  package func record(_ events: [Event]) throws {
    guard !isFrozen.withLock({ $0 }) else { throw JournalError("this process is being killed") }
    // Called by one thread at a time.
    let count = eventCount.withLock { $0 }
    let isEnd = if case .runEnded = events.last?.kind { true } else { false }
    let isSynced = isEnd || durability == .power
    try journal.explaining {
      try journal.database.write(isSynced: isSynced) { connection in
        for (offset, event) in events.enumerated() {
          let row = try EventRow(event)
          try connection.execute(
            """
            INSERT INTO event (run, number, time, generation, kind, step, attempt, json)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            """, number, count + offset + 1, row.time, row.generation, row.kind, row.step,
            row.attempt, row.json)
          try updateRun(with: event, in: connection)
        }
      }
    }
    eventCount.withLock { $0 += events.count }
    if !isSynced { logSync.schedule() }
    if isEnd { letGo() }
  }

  /// Lets others have the run: nothing of it is left.
  ///
  /// Those who wait for it are woken, since the guardian may hold the lock for longer.
  private func letGo() {
    lock.withLock { lock in
      lock?.announce()
      lock = nil
    }
  }

  /// Records nothing any more: what happens from now on to the run is the doing of whoever kills this
  /// process, and it is to be taken up from where it stood.
  package func freeze() {
    isFrozen.withLock { $0 = true }
  }

  /// Appends output to the log of its attempt.
  ///
  /// - Parameter output: An event of output.
  /// - Throws: ``JournalError``.
  package func keep(_ output: Event) throws {
    do throws(JournalError) {
      try logs.write(output)
    } catch {
      lostOutput.withLock { $0 = $0 ?? error }
      throw error
    }
  }

  /// Why output could not be kept, if any could not: also when the run was over by then.
  package var outputProblem: JournalError? { lostOutput.withLock { $0 } }

  /// Records that the run ended before any event: it was still waiting, or could not be begun.
  ///
  /// - Parameter status: How it ended.
  /// - Throws: ``JournalError``.
  package func end(as status: RunStatus) throws(JournalError) {
    // It may belong to another process once it has ended.
    guard lockDescriptor != nil else { return }
    let now = SystemClock().now.microseconds
    try journal.explaining {
      try journal.database.write { connection in
        try connection.execute(
          "UPDATE run SET ended_at = ?, outcome = ? WHERE number = ?", now, status.rawValue, number)
      }
    }
    letGo()
  }

  private func updateRun(with event: Event, in connection: Connection) throws(SQLiteError) {
    switch event.kind {
    case .runStarted, .generationStarted:
      try connection.execute(
        "UPDATE run SET generation = ? WHERE number = ?", event.generation, number)
    case .runEnded(let outcome):
      try connection.execute(
        "UPDATE run SET ended_at = ?, outcome = ? WHERE number = ?", event.time.microseconds,
        outcome.name, number)
      if outcome == .succeeded {
        // Numbered in the order in which they end, for those that wait for successes.
        try connection.execute(
          """
          UPDATE run SET success = (SELECT coalesce(max(success), 0) + 1 FROM run) WHERE number = ?
          """, number)
      }
    default: break
    }
  }
}
