// The runs that a program resumes when it starts.

import Reprise
import SQLite

extension Journal {
  /// Returns the runs of a workflow that earlier processes have left before their end, oldest first,
  /// for a program to resume.
  ///
  /// They are interrupted: their process has died, or their program has stopped them with
  /// `run.interrupt()`. A run that was cancelled, by whom ever, is not among them, even if its process
  /// died before the run had ended. Linear in the number of runs.
  ///
  /// - Parameter workflow: The name of the workflow, which may also be one of another program.
  /// - Returns: The runs.
  /// - Throws: ``JournalError`` if the journal cannot be read.
  public func unfinishedRuns(of workflow: String) async throws(JournalError) -> [RunRecord] {
    try await asynchronously { [self] () throws(JournalError) in
      var unfinished: [RunRecord] = []
      for run in try runs(workflow: workflow).reversed() where try isUnfinished(run) {
        unfinished.append(run)
      }
      return unfinished
    }
  }

  /// Returns whether a program that starts should resume a run: see ``unfinishedRuns(of:)``.
  ///
  /// - Throws: ``JournalError`` if an event cannot be read.
  func isUnfinished(_ run: RunRecord) throws(JournalError) -> Bool {
    guard run.status == .interrupted else { return false }
    return try cancel(of: run) == nil
  }

  /// Returns the event with which a run that has not ended was cancelled; nil if it goes on.
  ///
  /// - Throws: ``JournalError`` if an event cannot be read.
  func cancel(of run: RunRecord) throws(JournalError) -> Event? {
    let change = try lastChange(of: run)
    guard case .runCancelling(.request)? = change?.kind else { return nil }
    return change
  }

  /// Returns the last event with which a run has begun again, was cancelled or has ended.
  private func lastChange(of run: RunRecord) throws(JournalError) -> Event? {
    let kinds: [Event.Kind] = [
      .runCancelling(.request), .runEnded(.cancelled), .generationStarted(reset: nil),
      .runResumed(RunPlan(workflow: "", steps: [])),
    ]
    let row = try explaining {
      try database.read { connection in
        try connection.rows(
          """
          SELECT \(EventRow.columns) FROM event WHERE run = ? AND kind IN (?, ?, ?, ?)
          ORDER BY number DESC LIMIT 1
          """, run.number, kinds[0].name, kinds[1].name, kinds[2].name, kinds[3].name)
      }
    }.first
    return try row.map { row throws(JournalError) in try EventRow(row, of: run.id).event(of: run.id)
    }
  }
}
