// Recovers the runs of engines that have died, and kills what is left of them.

import ChildProcesses
import Reprise

extension Journal {
  /// Records the runs of engines that have died as interrupted, and kills their leftover processes.
  ///
  /// - Throws: ``JournalError``.
  package func recoverRuns() throws(JournalError) {
    try recover { runs in
      for group in runs.compactMap({ ControlGroup(path: $0.note) }) {
        group.kill()
        group.remove()
      }
      killProcesses(startedWith: Set(runs.map { "REPRISE_RUN_ID=\($0.id)" }))
      TemporaryFiles.removeLeftovers(inheritedEnvironment())
    }
  }
}
