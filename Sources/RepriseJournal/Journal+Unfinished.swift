// The runs that a program resumes when it starts.

import Reprise
import SQLite

extension Journal {
  /// Returns the runs of a workflow that earlier processes have left before their end, oldest first,
  /// for a program to resume.
  ///
  /// They are interrupted, or cancelled by the program that ran them or by a signal to it. A run that
  /// someone has cancelled by the command, a key or the page is not among them, even if its process
  /// died before the run had ended. A program that cancels a run for someone says so:
  /// `run.perform(.cancel(steps: [], now: false), by: Requester(.program))`. Linear in the number of
  /// runs.
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
  package func isUnfinished(_ run: RunRecord) throws(JournalError) -> Bool {
    guard run.status == .interrupted || run.status == .cancelled else { return false }
    var events = try lastChanges(of: run)[...]
    if run.status == .cancelled {
      // A cancel while the run waited for its turn is no event, so its time is not that of one.
      guard case .runEnded? = events.first?.kind, events.popFirst()?.time == run.endedAt else {
        return false
      }
    }
    guard let last = events.first, case .runCancelling = last.kind else {
      return run.status == .interrupted
    }
    return switch last.by?.kind {
    case nil, .api, .signal, .retry: true
    case .key, .attach, .command, .program, .watch: false
    }
  }

  /// Returns the last two events with which a run has begun again, was cancelled or has ended, the
  /// last one first.
  private func lastChanges(of run: RunRecord) throws(JournalError) -> [Event] {
    let kinds: [Event.Kind] = [
      .runCancelling(.request), .runEnded(.cancelled), .generationStarted(reset: nil),
      .runResumed(RunPlan(workflow: "", steps: [])),
    ]
    let rows = try explaining {
      try database.read { connection in
        try connection.rows(
          """
          SELECT \(EventRow.columns) FROM event WHERE run = ? AND kind IN (?, ?, ?, ?)
          ORDER BY number DESC LIMIT 2
          """, run.number, kinds[0].name, kinds[1].name, kinds[2].name, kinds[3].name)
      }
    }
    var events: [Event] = []
    for row in rows { events.append(try EventRow(row, of: run.id).event(of: run.id)) }
    return events
  }
}
