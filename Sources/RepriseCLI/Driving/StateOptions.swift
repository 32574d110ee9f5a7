// The options that say where runs are kept, and how that place is opened.

import ArgumentParser
import ChildProcesses
import Reprise
import RepriseJournal

struct StateOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Where runs are kept; .reprise in this folder or one above when left out.",
      discussion: "REPRISE_STATE_DIR says the same.", valueName: "dir"),
    completion: .directory)
  var stateDir: String?

  var directory: StateDirectory {
    StateDirectory(explicit: stateDir, environment: inheritedEnvironment())
  }

  /// Opens the journal; the runs of engines that have died are recorded as interrupted, and what they
  /// left behind is ended.
  ///
  /// - Throws: ``Problem``.
  func openJournal() throws(Problem) -> Journal {
    do throws(JournalError) {
      let journal = try Journal(directory)
      try journal.recover { ids in
        killProcesses(startedWith: Set(ids.map { "REPRISE_RUN_ID=\($0)" }))
      }
      return journal
    } catch {
      throw Problem("error: \(error)", status: .cannotGoOn)
    }
  }

  /// Opens the journal to read it; there must be one.
  ///
  /// - Throws: ``Problem``.
  func openExistingJournal() throws(Problem) -> Journal {
    guard directory.exists else {
      throw Problem("error: no run has been recorded in \"\(directory.path)\" yet")
    }
    return try openJournal()
  }
}

/// A run that somebody names.
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
}
