// What the key `T` does in the display of a run.

import Platform
import RepriseHost
import RepriseJournal
import RepriseTerminal

/// Returns what `T` does in the display of a run: the list of runs on the same terminal.
///
/// - Parameter journal: The journal of the run.
/// - Returns: What `T` does.
func runsAccess(in journal: Journal) -> RunsAccess {
  .opened {
    let words = [executablePath ?? CommandLine.arguments[0], "top"]
    do {
      // A program of its own, as an editor is: this one goes on with its run.
      _ = try await blocking {
        try runInForeground(
          words + ["--state-dir", journal.directory.path], ofTerminal: standardInput)
      }
      return nil
    } catch {
      return "cannot show the list of runs: \(error)"
    }
  }
}
