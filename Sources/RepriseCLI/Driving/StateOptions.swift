// The options that say where runs are kept, and how that place is opened.

import ArgumentParser
import ChildProcesses
import Platform
import Reprise
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
  var place: StatePlace { StatePlace(given: stateDir) }

  var directory: StateDirectory { place.directory }

  /// Opens the journal to record something; see ``StatePlace/openJournal()``.
  func openJournal() throws(Problem) -> Journal { try place.openJournal() }

  /// Opens the journal to read it; see ``StatePlace/openExistingJournal()``.
  func openExistingJournal() throws(Problem) -> Journal { try place.openExistingJournal() }
}

/// Where runs are kept.
struct StatePlace: Equatable {
  /// What was asked for; looked for when nil.
  var given: String?

  var directory: StateDirectory {
    StateDirectory(
      explicit: given, environment: inheritedEnvironment(), in: currentDirectory())
  }

  /// Opens the journal; the runs of engines that have died are recorded as interrupted, and what they
  /// left behind is ended.
  ///
  /// - Throws: ``Problem``.
  func openJournal() throws(Problem) -> Journal {
    let journal = try open()
    try recover(journal)
    return journal
  }

  /// Records the runs of engines that have died as interrupted, and ends what they left behind.
  ///
  /// - Throws: ``Problem``.
  func recover(_ journal: Journal) throws(Problem) {
    do throws(JournalError) {
      try takeOver(journal)
    } catch {
      throw Problem("error: \(error)", status: .cannotGoOn)
    }
  }

  private func open() throws(Problem) -> Journal {
    do throws(JournalError) {
      return try Journal(directory, process: signalledProcess())
    } catch {
      throw Problem("error: \(error)", status: .cannotGoOn)
    }
  }

  private func takeOver(_ journal: Journal) throws(JournalError) {
    try journal.recover { runs in
      for group in runs.compactMap({ ControlGroup(path: $0.note) }) {
        group.kill()
        group.remove()
      }
      killProcesses(startedWith: Set(runs.map { "REPRISE_RUN_ID=\($0.id)" }))
      TemporaryFiles.removeLeftovers(inheritedEnvironment())
    }
  }

  /// Opens the journal to read it; there must be one.
  ///
  /// - Throws: ``Problem``.
  func openExistingJournal() throws(Problem) -> Journal {
    guard directory.exists else {
      throw Problem("error: no run has been recorded in \"\(directory.path)\" yet")
    }
    let journal = try open()
    do throws(JournalError) {
      try takeOver(journal)
    } catch {
      // Reading goes on where nothing can be written.
      printError("warning: \(error)")
    }
    return journal
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

/// The process that one sends signals to: the guardian where there is one, which passes them on.
private func signalledProcess() -> Int {
  let hasGuardian = ProcessLinks.current.withLock { $0.guardian != nil }
  return Int(hasGuardian ? parentProcessID : processID)
}
