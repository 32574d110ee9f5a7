// Opens the journal of a project, recovers interrupted runs, and connects to live ones.

package import Reprise
package import RepriseControl
package import RepriseJournal
package import RepriseTerminal

extension StateDirectory {
  /// Opens the journal, creates it if it does not exist, and recovers interrupted runs.
  ///
  /// - Parameter process: The id of the process that receives signals for new runs.
  /// - Returns: The journal.
  /// - Throws: ``Problem``.
  package func openJournal(process: Int) throws(Problem) -> Journal {
    do throws(JournalError) {
      let journal = try Journal(self, process: process)
      try journal.recoverRuns()
      return journal
    } catch {
      throw Problem(error)
    }
  }

  /// Opens an existing journal for reading, and recovers interrupted runs if possible.
  ///
  /// - Parameters:
  ///   - process: The id of the process that receives signals for new runs.
  ///   - warn: Called with a warning if the journal can be read but not written.
  /// - Returns: The journal.
  /// - Throws: ``Problem``.
  package func openExistingJournal(
    process: Int, warn: (TerminalSafe) -> Void
  ) throws(Problem) -> Journal {
    guard exists else { throw Problem("error: no run has been recorded in \"\(path)\" yet") }
    do throws(JournalError) {
      let journal = try Journal(self, process: process)
      do throws(JournalError) { try journal.recoverRuns() } catch { warn("warning: \(error)") }
      return journal
    } catch {
      throw Problem(error)
    }
  }
}

extension Journal {
  /// Takes the lock of the watch of a workflow.
  ///
  /// Waits at most five seconds for a watch that was just killed: its guardian holds the lock until
  /// all processes of its steps have ended.
  ///
  /// - Parameters:
  ///   - loaded: The workflow.
  ///   - secrets: The secrets, which are not recorded.
  /// - Returns: The recorder of the watch.
  /// - Throws: ``Problem`` if another process watches the workflow; ``JournalError``.
  package func heldWatch(
    of loaded: LoadedWorkflow, hiding secrets: Secrets
  ) async throws -> RecordedWatch {
    let name = loaded.workflow.name
    let held = try await FolderChanges.first(ofLiveRunsIn: directory, within: .seconds(5)) {
      () -> RecordedWatch?? in
      let held = try await blocking { [self] in
        try watch(name, file: loaded.path, hiding: secrets)
      }
      if let held { return .some(held) }
      let isServed = (try? ControlClient(directory.watchSocketPath(of: name))) != nil
      return isServed ? .some(nil) : nil
    }
    guard let held = held ?? nil else {
      throw Problem(
        "error: another process is watching the workflow \"\(name)\"; see: reprise triggers",
        cause: .internalFailure)
    }
    // The runs of an earlier watch may have become interrupted only during the wait.
    try await blocking { [self] in try recoverRuns() }
    return held
  }

  /// Connects to a live run.
  ///
  /// - Throws: ``Problem`` if the run is not live, or its engine is out of reach on another machine.
  package func client(of run: RunRecord) throws(Problem) -> ControlClient {
    guard run.status.isLive else {
      throw Problem("error: run \(run.id) has ended: \(run.status.rawValue)")
    }
    do throws(ControlError) {
      return try ControlClient(directory.socketPath(of: run.id))
    } catch {
      if let reason = SubmittedEngine(of: run.id, in: directory)?.reasonForNoConnection {
        throw Problem("error: \(reason)", cause: .internalFailure)
      }
      throw Problem(error)
    }
  }

  /// Waits until the end of a run is recorded.
  ///
  /// - Parameters:
  ///   - run: The run.
  ///   - patience: The timeout; nil to wait forever.
  /// - Returns: The final status; `running` if the run has not ended.
  package func statusAfterEnd(
    of run: RunID, within patience: Duration? = .seconds(2)
  ) async -> RunStatus {
    let ended = try? await FolderChanges.first(ofLiveRunsIn: directory, within: patience) {
      () -> RunStatus? in
      let status = try? self.run(named: run.description).status
      return status.flatMap { $0.isLive ? nil : $0 }
    }
    return ended ?? .running
  }
}
