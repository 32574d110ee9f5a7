// The options that select the state directory and a run in it, and functions that open its journal.

import ArgumentParser
import ChildProcesses
import Platform
import Reprise
import RepriseControl
import RepriseHost
import RepriseJournal
import RepriseTerminal
import Synchronization

struct StateOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The state directory, where runs are recorded. Default: REPRISE_STATE_DIR, else .reprise of "
        + "the project.", valueName: "dir"),
    completion: .directory)
  var stateDir: String?

  /// Returns the state directory.
  ///
  /// - Throws: ``Problem`` if the current folder no longer exists.
  func directory() throws(Problem) -> StateDirectory {
    StateDirectory(
      explicit: stateDir, environment: inheritedEnvironment(), in: try currentDirectory(),
      startedIn: startFolder)
  }

  /// Opens the journal for recording.
  ///
  /// Runs whose engine has died are recorded as interrupted, and their leftover processes are
  /// stopped.
  func openJournal() throws(Problem) -> Journal {
    try directory().openJournal(process: signalledProcess())
  }

  /// Opens an existing journal for reading.
  func openExistingJournal() throws(Problem) -> Journal {
    try directory().openExistingJournal(process: signalledProcess(), warn: { printError($0) })
  }
}

/// The argument that selects a run.
struct RunArgument: ParsableArguments {
  @Argument(
    help: """
      The run: its id, a unique prefix of it, @last, @failed (the last that failed), or @NAME (the \
      last of the workflow NAME).
      """, completion: .run)
  var run: String

  @OptionGroup var state: StateOptions

  /// Finds the run.
  ///
  /// - Throws: ``Problem``.
  func find() throws(Problem) -> (record: RunRecord, journal: Journal) {
    let journal = try state.openExistingJournal()
    do {
      return (try journal.run(named: run), journal)
    } catch {
      throw Problem("error: \(error)")
    }
  }

  /// Connects to the run, which must be live.
  ///
  /// - Throws: ``Problem``.
  func client() throws(Problem) -> ControlClient {
    let found = try find()
    return try found.journal.client(of: found.record)
  }
}

/// Returns the process that receives signals: the guardian, which forwards them, if there is one.
private func signalledProcess() -> Int {
  let hasGuardian = ProcessLinks.current.withLock { $0.guardian != nil }
  return Int(hasGuardian ? parentProcessID : processID)
}

/// Changes to the folder of a run, also if it was moved together with the state directory in it.
///
/// - Parameters:
///   - record: The run.
///   - journal: The journal of the run.
/// - Returns: The run, with the paths of its folder and file after the move.
/// - Throws: ``Problem`` if the folder does not exist.
func enterFolder(of record: RunRecord, in journal: Journal) throws(Problem) -> RunRecord {
  let moved = record.moved(to: journal.directory)
  guard changeDirectory(to: moved.request.directory) else {
    throw Problem(
      "error: the folder of the run no longer exists: \"\(record.request.directory)\"")
  }
  return moved
}
