// Recovers the runs of engines that have died, and kills what is left of them.

import ChildProcesses
import Reprise

extension Journal {
  /// Records the runs of engines that have died as interrupted, and kills their leftover processes.
  ///
  /// A run that was being cancelled ends as cancelled instead, unless steps of it go on: what is
  /// cancelled stays so.
  ///
  /// - Throws: ``JournalError``.
  package func recoverRuns() throws(JournalError) {
    let died = try recover { runs in
      for group in runs.compactMap({ ControlGroup(path: $0.note) }) {
        group.kill()
        group.remove()
      }
      killProcesses(startedWith: Set(runs.map { "REPRISE_RUN_ID=\($0.id)" }))
      TemporaryFiles.removeLeftovers(inheritedEnvironment())
    }
    for id in died { try finishCancel(of: id) }
  }

  /// Records the end of a run whose engine has died while it was cancelling the run.
  ///
  /// - Throws: ``JournalError``.
  private func finishCancel(of id: RunID) throws(JournalError) {
    let record = try run(with: id)
    guard let cancel = try cancel(of: record), let time = record.endedAt else { return }
    do {
      let (recorded, state) = try reopen(id) { record, state in
        guard state.survivingAttempts.isEmpty else { throw StepsGoOn() }
        return record.request
      }
      try recorded.record(state.endAsCancelled(of: id, at: time, by: cancel.by))
    } catch {
      // It stays interrupted: steps of it go on, or another process has taken it in the meantime.
    }
  }

  private struct StepsGoOn: Error {}
}
