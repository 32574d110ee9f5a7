// Records one run: its events in the database, its output in files.

import Platform
package import Reprise
import SQLite
import Synchronization

/// The recorder of a run whose lock this process holds.
package final class RecordedRun: Recorder {
  /// The id of the run.
  package let id: RunID
  /// The position of the run in its group: it runs after all runs with smaller turns.
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
  /// The definition of the next generation, if it differs from that of the current one.
  private let nextDefinition = Mutex(NextDefinition?.none)
  private let lostOutput = Mutex(JournalError?.none)

  init(
    id: RunID, number: Int64, turn: Int64, eventCount: Int, durability: Durability,
    logBytesMax: Int64?, lock: FileLock, journal: Journal
  ) {
    self.id = id
    self.number = number
    self.turn = turn
    self.lock = Mutex(lock)
    self.journal = journal
    self.durability = durability
    logs = LogWriter(directory: journal.directory, bytesMax: logBytesMax)
    logSync = LogSync(path: journal.directory.logPath)
    self.eventCount = Mutex(eventCount)
    journal.heldLocks.insert(id)
  }

  deinit {
    if lockDescriptor != nil { journal.heldLocks.remove(id) }
  }

  /// The descriptor that holds the lock of the run, as does each copy of it in another process.
  ///
  /// Nil once the end of the run has been recorded.
  package var lockDescriptor: Int32? { lock.withLock { $0?.descriptor } }

  /// Stores a note for the process that cleans up if this one dies: the control group of its steps.
  ///
  /// - Parameter text: The note, at most 4 KiB.
  package func setCleanupNote(_ text: String) {
    lock.withLock { $0?.note(text) }
  }

  /// Notifies watchers of ``StateDirectory/livePath`` that the run can be controlled.
  package func announce() {
    lock.withLock { $0?.announce() }
  }

  /// Records events in one transaction.
  ///
  /// When this returns, the end of the run is on disk, as are all other events if the run must
  /// survive a power loss. Otherwise the kernel has them, and they are synced to disk soon after.
  ///
  /// - Parameter events: The next events.
  /// - Throws: ``JournalError``; none of the events is recorded then.
  package func record(_ events: [Event]) throws {
    guard !isFrozen.withLock({ $0 }) else { throw JournalError("this process is being killed") }
    // This method is called on one thread at a time.
    let count = eventCount.withLock { $0 }
    let isEnd = if case .runEnded = events.last?.kind { true } else { false }
    let isSynced = isEnd || durability == .power
    let next = nextDefinition.withLock { $0 }
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
          if case .generationStarted = event.kind, let next {
            // In the transaction that starts the generation, so that a run is resumed by the text
            // of its last generation, whenever its engine dies.
            try Journal.replaceDefinition(ofRun: number, with: next, in: connection)
          }
          try updateRun(with: event, in: connection)
        }
      }
    }
    eventCount.withLock { $0 += events.count }
    if next != nil, events.contains(where: \.startsGeneration) {
      nextDefinition.withLock { $0 = nil }
    }
    if !isSynced { logSync.schedule() }
    guard isEnd else { return }
    // Most runs leave nothing there. Not later: another process may resume the run from now on, and
    // creates it again, as it does the socket.
    removeFolder(journal.directory.filesFolder(of: id))
    try? removeFile(journal.directory.socketPath(of: id))
    releaseLock()
  }

  /// Sets the definition of the next generation, which is recorded together with its start.
  package func setDefinitionOfNextGeneration(_ definition: WorkflowDefinition) {
    nextDefinition.withLock { $0 = NextDefinition(definition: definition) }
  }

  /// Takes the workflow of the next generation of a run of this program, with its values of parameters.
  ///
  /// Those of the command set the text that they have read.
  package func workflowWillChange(to workflow: Workflow, hiding secrets: Secrets) throws {
    let recorded = try journal.run(with: id).request
    guard recorded.program != nil || recorded.isText else { return }
    let request = try RunRequest(of: workflow, hiding: secrets)
    nextDefinition.withLock {
      $0 = NextDefinition(definition: request.definition, options: request.optionsOfWorkflow)
    }
  }

  /// Releases the lock, after all processes of the run have ended, or if this process does not drive the
  /// run any longer: unless its end is recorded, the run is interrupted.
  ///
  /// Wakes waiting processes, since the guardian may hold the lock for longer.
  package func releaseLock() {
    lock.withLock { lock in
      // First, so that the runs that are woken ask the kernel.
      if lock != nil { journal.heldLocks.remove(id) }
      lock?.announce()
      lock = nil
    }
  }

  /// Stops recording.
  ///
  /// Called when this process is being killed. Later events of its steps must not be recorded, so
  /// that the run can be resumed from its current state.
  package func freeze() {
    isFrozen.withLock { $0 = true }
  }

  /// Appends output to the log of its attempt.
  ///
  /// - Parameter output: An output event.
  /// - Throws: ``JournalError``.
  package func keep(_ output: Event) throws {
    do throws(JournalError) {
      try logs.write(output)
    } catch {
      lostOutput.withLock { $0 = $0 ?? error }
      throw error
    }
  }

  /// The first error of writing output, if any; may occur after the end of the run.
  package var outputProblem: JournalError? { lostOutput.withLock { $0 } }

  /// Records the end of a run that has no events: it was waiting for its turn, or could not start.
  ///
  /// - Parameter status: The final status.
  /// - Throws: ``JournalError``.
  package func end(as status: RunStatus) throws(JournalError) {
    // After the end, another process may own the run.
    guard lockDescriptor != nil else { return }
    let now = SystemClock().now.microseconds
    try journal.explaining {
      try journal.database.write { connection in
        try connection.execute(
          "UPDATE run SET ended_at = ?, outcome = ? WHERE number = ?", now, status.rawValue, number)
      }
    }
    // Not later: another process may resume the run from now on, with a socket of its own there.
    try? removeFile(journal.directory.socketPath(of: id))
    releaseLock()
  }

  private func updateRun(with event: Event, in connection: Connection) throws(SQLiteError) {
    switch event.kind {
    case .runStarted, .runResumed, .generationStarted:
      // A run that is resumed has waited for its turn until now.
      try connection.execute(
        "UPDATE run SET generation = ?, outcome = NULL WHERE number = ?", event.generation, number)
    case .runEnded(let outcome):
      try connection.execute(
        "UPDATE run SET ended_at = ?, outcome = ? WHERE number = ?", event.time.microseconds,
        outcome.name, number)
      if outcome == .succeeded {
        // Number successes in the order of their ends, for watches with `after` triggers. Do not
        // reuse the number of a deleted run, which a watch may have seen.
        try connection.execute(
          """
          UPDATE run SET success = 1 + max(
            (\(JournalSchema.lastSuccess)),
            (SELECT coalesce(max(last_success), 0) FROM watch)) WHERE number = ?
          """, number)
      }
    default: break
    }
  }
}

extension Event {
  fileprivate var startsGeneration: Bool {
    if case .generationStarted = kind { true } else { false }
  }
}
