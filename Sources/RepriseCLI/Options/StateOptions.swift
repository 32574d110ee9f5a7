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

/// The state directory that a command line selects.
protocol StateChoice {
  /// The folder that is given; nil for that of the project.
  var stateDir: String? { get }
}

struct StateOptions: ParsableArguments, StateChoice {
  @Option(
    help: ArgumentHelp(
      "The state directory, where runs are recorded. Default: REPRISE_STATE_DIR, else .reprise of "
        + "the project.", valueName: "dir"),
    completion: .directory)
  var stateDir: String?
}

extension StateChoice {
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
  /// What a command does with the run, which decides which one is meant if none is named.
  enum Purpose {
    /// Shows it: the newest live run, else the last.
    case show
    /// Asks something of it: the live run, which must be the only one.
    case control
    /// Goes on with it: the last run.
    case resume
  }

  @Argument(
    help: """
      The run: its id, a unique prefix of it, @last, @failed (the last that failed), or @NAME (the \
      last of the workflow NAME); ~2 after these: two before. Default: the live run, else the last.
      """, completion: .run)
  var run: String?

  @OptionGroup var state: StateOptions

  /// Finds the run.
  ///
  /// - Parameter purpose: What the command does with it.
  /// - Returns: The run and its journal.
  /// - Throws: ``Problem``.
  func find(
    to purpose: Purpose = .show
  ) throws(Problem) -> (record: RunRecord, journal: Journal) {
    let journal = try state.openExistingJournal()
    let found: (run: RunRecord, others: [RunRecord])
    do throws(JournalError) {
      let name = run ?? (purpose == .resume ? "@last" : nil)
      if let name {
        found = (try journal.run(named: name), [])
      } else {
        found = try journal.obviousRun()
      }
    } catch {
      if let run, let engine = SubmittedEngine.named(run, in: journal.directory) {
        throw Problem("error: \(engine.reasonForNoRecord)")
      }
      throw Problem("error: \(error)")
    }
    if run == nil, purpose == .control { try Self.expectMeant(found.run, found.others) }
    if !found.others.isEmpty {
      printError("run \(Self.list([found.run])); live as well: \(Self.list(found.others))")
    }
    return (found.run, journal)
  }

  /// Finds the run and a step of it, if a command has been given the step alone.
  ///
  /// - Parameters:
  ///   - step: The argument after the run.
  ///   - purpose: What the command does with the run.
  /// - Returns: The run, its journal, and the step.
  /// - Throws: ``Problem``.
  func find(
    withStep step: String?, to purpose: Purpose = .show
  ) throws(Problem) -> (record: RunRecord, journal: Journal, step: String?) {
    if step == nil, let word = run, !word.hasPrefix("@") {
      let journal = try state.openExistingJournal()
      let isRun = (try? journal.run(named: word)) != nil
      if !isRun, let obvious = try? journal.obviousRun().run,
        (try? journal.state(of: obvious))?[word] != nil
      {
        var whole = self
        whole.run = nil
        let found = try whole.find(to: purpose)
        return (found.record, found.journal, word)
      }
    }
    let found = try find(to: purpose)
    return (found.record, found.journal, step)
  }

  private static func expectMeant(_ record: RunRecord, _ others: [RunRecord]) throws(Problem) {
    guard record.status.isLive else {
      throw Problem(
        """
        error: no run is live; the last one is \(list([record])): \(record.status.rawValue)
        """)
    }
    guard others.isEmpty else {
      throw Problem("error: more than one run is live; name one: \(list([record] + others))")
    }
  }

  private static func list(_ runs: [RunRecord]) -> String {
    let some = runs.prefix(5).map { "\($0.id) of \($0.request.workflow)" }.joined(separator: ", ")
    return some + (runs.count > 5 ? " and \(runs.count - 5) more" : "")
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
