// Starts and resumes recorded runs of programs that embed the engine.

public import Reprise

extension Engine {
  /// Starts a run that is recorded in a journal.
  ///
  /// By the time a step starts, the successes of the steps that it needs are recorded, so a run that
  /// is resumed after a crash does not run them again; see `resume(_:from:with:secrets:)`. The journal replaces a recorder of the engine.
  ///
  /// The runs of a journal share pools, also those of other processes, and have folders in it: see
  /// `Engine.poolFolder` and `Engine.runFolders`. Concurrency groups are not obeyed, and other processes
  /// can show the run but not control it: for both, start it by `RunHost` of the product `RepriseHost`.
  ///
  /// - Parameters:
  ///   - workflow: The workflow to run.
  ///   - journal: The journal.
  ///   - id: The id of the run; by default a new one.
  ///   - secrets: The values of its secrets, which are not recorded.
  /// - Returns: The run. Retain it: releasing the last reference cancels the run.
  /// - Throws: ``JournalError`` if the run cannot be recorded, or if the id is in use.
  public func start(
    _ workflow: Workflow, recordedIn journal: Journal, id: RunID = RunID(),
    secrets: Secrets = Secrets()
  ) async throws(JournalError) -> Run {
    let recorded = try await journal.asynchronously { () throws(JournalError) in
      try journal.begin(workflow, id: id, hiding: secrets)
    }
    return recording(by: recorded, in: journal).start(workflow, id: id, secrets: secrets)
  }

  /// Resumes a recorded run that has ended without success, or whose process has died.
  ///
  /// Steps that are recorded as succeeded keep their outputs and do not run again; all others run in
  /// a new generation of the same run, except those of an interrupted run that were refused or cancelled
  /// alone. What is left of processes of a program that has died is killed
  /// first.
  ///
  /// - Parameters:
  ///   - id: The id of the run.
  ///   - journal: The journal.
  ///   - workflow: The workflow, given again: steps with Swift code are not recorded. Steps are
  ///     matched by their ids.
  ///   - secrets: The values of its secrets.
  /// - Returns: The run, under its existing id. Retain it.
  /// - Throws: ``JournalError`` if there is no such run, it is in progress, it has succeeded, it was
  ///   cancelled (``JournalError/isOfCancelledRun``), or the workflow does not fit it: it has another
  ///   name, or lacks a step that has succeeded.
  public func resume(
    _ id: RunID, from journal: Journal, with workflow: Workflow, secrets: Secrets = Secrets()
  ) async throws(JournalError) -> Run {
    let (recorded, state, usual) = try await journal.asynchronously { () throws(JournalError) in
      let (recorded, state) = try journal.reopen(id, for: workflow, hiding: secrets)
      // Only for displays, so ignore records that cannot be read.
      return (recorded, state, (try? journal.usualDurations(like: id)) ?? [:])
    }
    return try recording(by: recorded, in: journal).continued(
      recorded, state, workflow, secrets: secrets, usualDurations: usual)
  }

  /// Returns this engine for a run in a journal, in whose folder is what has no other place.
  package func recording(by recorded: RecordedRun, in journal: Journal) -> Engine {
    let directory = journal.directory
    var engine = recording(by: recorded)
    engine.poolFolder = poolFolder ?? directory.poolsPath
    engine.runFolders = runFolders ?? directory.filesPath
    engine.surroundings.attempts = surroundings.attempts ?? directory.attemptsPath
    engine.surroundings.locks = directory.livePath
    return engine
  }

  /// Resumes a run whose record this process holds, or starts it if it has no event.
  package func continued(
    _ recorded: RecordedRun, _ state: RunState, _ workflow: Workflow, secrets: Secrets,
    usualDurations: [String: Duration]
  ) throws(JournalError) -> Run {
    // A run that was interrupted while it waited for its turn has no state.
    guard state.phase != .notStarted else {
      return start(
        workflow, id: recorded.id, secrets: secrets, usualDurations: usualDurations)
    }
    do throws(ResumeError) {
      return try resume(state, with: workflow, secrets: secrets, usualDurations: usualDurations)
    } catch {
      throw JournalError(error.description)
    }
  }
}

extension Journal {
  /// Records a new run of a workflow of this program.
  ///
  /// - Parameters:
  ///   - workflow: The workflow.
  ///   - id: The id of the run.
  ///   - secrets: The secrets, which are not recorded.
  /// - Returns: The recorder of the run.
  /// - Throws: ``JournalError``.
  func begin(
    _ workflow: Workflow, id: RunID, hiding secrets: Secrets
  ) throws(JournalError) -> RecordedRun {
    do {
      return try begin(try RunRequest(of: workflow, hiding: secrets), id: id)
    } catch {
      throw JournalError(of: error)
    }
  }

  /// Takes the record of a run, so that this process resumes it.
  ///
  /// - Parameters:
  ///   - id: The id of the run.
  ///   - workflow: The workflow.
  ///   - secrets: The secrets, which are not recorded.
  ///   - isGrouped: Whether the run obeys its concurrency group.
  /// - Returns: The record and the state.
  /// - Throws: ``JournalError`` if the run must not be resumed.
  package func reopen(
    _ id: RunID, for workflow: Workflow, hiding secrets: Secrets, isGrouped: Bool = false
  ) throws(JournalError) -> (RecordedRun, RunState) {
    do {
      // The process that recorded the end has killed what was left of its process.
      if try run(with: id).endedAt == nil { try recoverRuns() }
      let request = try RunRequest(of: workflow, hiding: secrets, isGrouped: isGrouped)
      let isAlone = isGrouped && workflow.concurrency?.policy == .reject
      return try reopen(id, isAlone: isAlone) { record, state in
        // No other process can cancel it from now on: that needs the lock of the run.
        guard try record.status != .cancelled && cancel(of: record) == nil else {
          throw JournalError.cancelled(id)
        }
        try record.expectFit(of: workflow, state, hiding: secrets)
        var request = request
        // What started the run stays what it was.
        request.options.merge(record.request.options) { $1 }
        return request
      }
    } catch {
      throw JournalError(of: error)
    }
  }
}

extension JournalError {
  /// The error for programs that embed the engine.
  fileprivate init(of error: any Error) {
    switch error {
    case let error as JournalError: self = error
    default: self.init("\(error)")
    }
  }
}
