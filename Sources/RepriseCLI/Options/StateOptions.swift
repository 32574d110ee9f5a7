// The options that say where runs are kept, and how that place is opened.

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
      "Where runs are kept: .reprise in this folder or one above when neither this nor "
        + "REPRISE_STATE_DIR is given.", valueName: "dir"),
    completion: .directory)
  var stateDir: String?

  /// The place.
  ///
  /// - Throws: ``Problem`` when the current folder is gone.
  func directory() throws(Problem) -> StateDirectory {
    StateDirectory(
      explicit: stateDir, environment: inheritedEnvironment(), in: try currentDirectory())
  }

  /// Opens the journal to record something; the runs of engines that have died are recorded as
  /// interrupted, and what they left is ended.
  func openJournal() throws(Problem) -> Journal {
    try directory().openJournal(process: signalledProcess())
  }

  /// Opens the journal to read it; there must be one.
  func openExistingJournal() throws(Problem) -> Journal {
    try directory().openExistingJournal(process: signalledProcess(), warn: { printError($0) })
  }
}

/// A run that is named on the command line.
struct RunArgument: ParsableArguments {
  @Argument(help: "The run: its id, a beginning of it that no other has, or @last.")
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

  /// Finds the run, which must be live, and connects to it.
  ///
  /// - Throws: ``Problem``.
  func client() throws(Problem) -> ControlClient {
    let found = try find()
    return try found.journal.client(of: found.record)
  }
}

/// The process that one sends signals to: the guardian where there is one, which passes them on.
private func signalledProcess() -> Int {
  let hasGuardian = ProcessLinks.current.withLock { $0.guardian != nil }
  return Int(hasGuardian ? parentProcessID : processID)
}
