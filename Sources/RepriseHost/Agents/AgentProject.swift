// The project that agents work on: its folder, its workflows, its journal.

import Platform
import Reprise
package import RepriseJournal
import RepriseTerminal
import Synchronization

/// A project as agents see it: nothing outside of its folder can be named.
///
/// The working directory must be the folder of the project. Thread-safe.
package final class AgentProject: Sendable {
  private struct Opened {
    let journal: Journal
    let started: StartedRuns
  }

  /// Whether agents may answer approvals.
  let allowsApprovals: Bool
  /// The version of the command.
  package let version: String
  private let folder: String
  private let state: StateDirectory
  private let command: String
  private let opened = Mutex(Opened?.none)

  /// Creates the project in the current folder.
  ///
  /// - Parameters:
  ///   - state: Its state directory, which need not exist.
  ///   - command: The path of the command that starts runs.
  ///   - version: The version of the command.
  ///   - allowsApprovals: Whether agents may answer approvals.
  /// - Throws: ``Problem`` if the current folder no longer exists.
  package init(
    _ state: StateDirectory, command: String, version: String, allowsApprovals: Bool
  ) throws(Problem) {
    folder = try currentDirectory()
    self.state = state
    self.command = command
    self.version = version
    self.allowsApprovals = allowsApprovals
  }

  /// Returns the folder in which a project is, for a server that is started in a folder below it.
  ///
  /// - Returns: The nearest folder with workflows; the current one if there is none.
  package static func folder() throws(Problem) -> String {
    let here = try currentDirectory()
    return WorkflowFiles().folder.map { String($0.dropLast("/workflows".count)) } ?? here
  }

  // MARK: Workflows

  /// The paths of the workflow files with a name, relative to the project.
  var workflowPaths: [String] {
    WorkflowFiles.found(in: ProjectFolders.workflows).filter(isInside)
  }

  /// Returns the name by which a workflow file of the project is run.
  static func name(of path: String) -> String {
    WorkflowFiles.shortName(path, in: ProjectFolders.workflows)
  }

  /// Finds a workflow, by the rules of `reprise run`.
  ///
  /// - Parameter name: A name, or a path.
  /// - Returns: The path, relative to the project if the file is there.
  /// - Throws: ``Problem`` if there is none, or if it is outside of the project.
  func path(ofWorkflow name: String) throws(Problem) -> String {
    let outside = Problem(
      """
      error: the workflow "\(abridged(name))" is not in the folder of the project; name one of \
      list_workflows, or a path below it
      """)
    if !WorkflowFiles.isName(name) {
      // Checked before the file is looked for: not even its existence is said.
      let isBelow = !name.hasPrefix("/") || name.hasPrefix(folder == "/" ? "/" : folder + "/")
      guard isBelow, !name.split(separator: "/").contains("..") else { throw outside }
    }
    let path = try WorkflowFiles.path(of: name)
    guard isInside(WorkflowFiles.parts(of: path).file) else { throw outside }
    return path
  }

  /// Whether a file is below the folder of the project, also if it is a link.
  private func isInside(_ path: String) -> Bool {
    guard let root = realPath(folder), let real = realPath(path) else { return false }
    return real.hasPrefix(root == "/" ? "/" : root + "/")
  }

  // MARK: Runs

  /// Returns the journal; nil if nothing has been recorded yet.
  func journal() async throws -> Journal? {
    try await blocking { [self] in try state.exists ? open().journal : nil }
  }

  /// Finds a run by what commands take, such as `@last`.
  ///
  /// - Throws: ``Problem``.
  func find(_ name: String) async throws -> (record: RunRecord, journal: Journal) {
    try await blocking { [self] in
      guard state.exists else {
        throw Problem("error: no run has been recorded in \"\(state.path)\" yet")
      }
      let journal = try open().journal
      do throws(JournalError) {
        return (try journal.run(named: name), journal)
      } catch {
        throw Problem("error: \(error)")
      }
    }
  }

  /// Starts a run of a workflow file.
  ///
  /// - Parameters:
  ///   - path: The path of the file, as ``path(ofWorkflow:)`` returns it.
  ///   - parameters: The values of its parameters.
  /// - Returns: The id of the run, also if the task is cancelled in the meantime.
  /// - Throws: ``Problem`` with the errors of the command.
  func start(_ path: String, _ parameters: [String: String]) async throws -> RunID {
    let file = path.hasPrefix("/") ? path : "./" + path
    let words = parameters.sorted { $0.key < $1.key }.flatMap { ["-p", "\($0.key)=\($0.value)"] }
    return try await started { [folder] started in
      try await started.start(
        ["run", file, "--progress", "none"] + words, in: folder, resuming: nil)
    }
  }

  /// Resumes a run that has ended, also if the task is cancelled in the meantime.
  ///
  /// - Throws: ``Problem`` with the errors of the command.
  func resume(_ record: RunRecord, _ options: [String]) async throws {
    try await started { try await $0.resume(record, options) }
  }

  /// Does something with what starts runs, in a task that is never cancelled: the id of a run that
  /// was started must not be lost.
  private func started<Value: Sendable>(
    _ body: @escaping @Sendable (StartedRuns) async throws -> Value
  ) async throws -> Value {
    try await Task { [self] in
      try await body(try await blocking { try self.open().started })
    }.value
  }

  /// Opens the journal, creates it if it does not exist, and keeps it.
  private func open() throws(Problem) -> Opened {
    try opened.withLock { opened throws(Problem) in
      // It may have been deleted to start afresh.
      if let opened, state.exists { return opened }
      let journal = try state.openJournal(process: Int(processID))
      let new = Opened(journal: journal, started: StartedRuns(command: command, journal))
      opened = new
      return new
    }
  }
}
