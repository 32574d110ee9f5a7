// The runs that a program resumes when it starts.

import Reprise
import SQLite

extension Journal {
  /// Returns the runs of a workflow that earlier processes have left before their end, oldest first,
  /// for a program to resume.
  ///
  /// They are interrupted, or cancelled by their own program or by a signal to it. A run that someone
  /// has cancelled by the command, a key or the page is not among them, even if its process died
  /// before the run had ended. Linear in the number of runs.
  ///
  /// - Parameter workflow: The name of the workflow.
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

  private func isUnfinished(_ run: RunRecord) throws(JournalError) -> Bool {
    guard run.status == .interrupted || run.status == .cancelled else { return false }
    // A run that was cancelled before its turn has no event of that.
    guard let cancel = try lastCancel(of: run) else { return run.status == .interrupted }
    return switch cancel.by?.kind {
    case nil, .api, .signal, .retry: true
    case .key, .attach, .command, .program, .watch: false
    }
  }

  /// Returns the last request to cancel a run; nil if the run has begun again since.
  private func lastCancel(of run: RunRecord) throws(JournalError) -> Event? {
    let cancelling = Event.Kind.runCancelling(.request).name
    let resumed = Event.Kind.runResumed(RunPlan(workflow: "", steps: [])).name
    let started = Event.Kind.generationStarted(reset: nil).name
    let rows = try explaining {
      try database.read { connection in
        try connection.rows(
          """
          SELECT \(EventRow.columns) FROM event WHERE run = ? AND kind IN (?, ?, ?)
          ORDER BY number DESC LIMIT 1
          """, run.number, cancelling, resumed, started)
      }
    }
    guard let row = rows.first else { return nil }
    let last = try EventRow(row, of: run.id)
    return last.kind == cancelling ? try last.event(of: run.id) : nil
  }
}
