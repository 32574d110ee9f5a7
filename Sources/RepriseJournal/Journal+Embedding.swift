// The journal for programs that embed the engine: opening it, and reading recorded runs.

import Dispatch
import Platform
public import Reprise

extension Journal {
  /// Opens the journal that the command `reprise` uses in the working directory.
  ///
  /// Its folder is that of the variable `REPRISE_STATE_DIR`; else the nearest `.reprise` of the
  /// project; else `.reprise` next to the nearest folder `workflows`, or in the working directory.
  /// See ``init(at:)``.
  ///
  /// - Throws: ``JournalError`` if it cannot be opened.
  public convenience init() throws(JournalError) {
    let directory = StateDirectory(
      explicit: nil, environment: inheritedEnvironment(), in: workingFolder() ?? "/")
    try self.init(directory)
    try recoverRuns()
  }

  /// Opens the journal in a folder; creates it if it does not exist.
  ///
  /// Runs whose process has died are recorded as interrupted, and what is left of their processes is
  /// killed. Blocks the thread while it does so; call it once, when the program starts.
  ///
  /// - Parameter folder: The path of the state folder itself, not of its parent, relative to the
  ///   working directory. The command `reprise` finds it by `--state-dir`, or by the variable
  ///   `REPRISE_STATE_DIR`.
  /// - Throws: ``JournalError`` if it cannot be opened.
  public convenience init(at folder: String) throws(JournalError) {
    try self.init(StateDirectory(path: folder, in: workingFolder() ?? "/"))
    try recoverRuns()
  }

  /// The recorded runs, newest first, including those of other processes.
  ///
  /// Leaves out runs that cannot be read.
  public var runs: [RunRecord] {
    get async throws(JournalError) {
      try await asynchronously { [self] () throws(JournalError) in try runs(limit: nil) }
    }
  }

  /// Returns the record of a run.
  ///
  /// - Parameter id: The id of the run.
  /// - Returns: The record.
  /// - Throws: ``JournalError`` if there is no such run.
  public func run(_ id: RunID) async throws(JournalError) -> RunRecord {
    try await asynchronously { [self] () throws(JournalError) in try run(with: id) }
  }

  /// Returns the state of a run, folded from its recorded events.
  ///
  /// It does not include output, which is in files.
  ///
  /// - Parameter id: The id of the run.
  /// - Returns: The state; `notStarted` if no event was recorded.
  /// - Throws: ``JournalError`` if there is no such run, or if it cannot be read.
  public func state(of id: RunID) async throws(JournalError) -> RunState {
    try await asynchronously { [self] () throws(JournalError) in
      try state(of: try run(with: id))
    }
  }

  /// Returns the recorded events of a run in order, without output.
  ///
  /// - Parameter id: The id of the run.
  /// - Returns: The events.
  /// - Throws: ``JournalError`` if there is no such run, or if it cannot be read.
  public func events(of id: RunID) async throws(JournalError) -> [Event] {
    try await asynchronously { [self] () throws(JournalError) in
      try events(of: try run(with: id))
    }
  }

  /// Removes the record and the output of a run that is not in progress.
  ///
  /// Directly after the end of a run, its engine may still show output: this waits for it, for at most
  /// five seconds.
  ///
  /// - Parameter id: The id of the run.
  /// - Returns: Whether it was removed; false if it is in progress, or if steps of it go on elsewhere.
  /// - Throws: ``JournalError`` if there is no such run, or if it cannot be removed.
  @discardableResult
  public func remove(_ id: RunID) async throws(JournalError) -> Bool {
    try await asynchronously { [self] () throws(JournalError) in
      try remove(try run(with: id), within: .seconds(5))
    }
  }

  /// Returns a memory of up-to-date steps, for `Engine(memory:)`.
  ///
  /// - Parameter name: The name under which steps are remembered, such as that of the program. Steps
  ///   of workflows with the same name must have different ids.
  /// - Returns: The memory.
  public func memory(for name: String) -> any StepMemory { JournalMemory(self, file: name) }

  /// Runs a closure that blocks off the cooperative threads.
  func asynchronously<Value: Sendable>(
    _ body: @escaping @Sendable () throws(JournalError) -> Value
  ) async throws(JournalError) -> Value {
    try await Self.disk.result(of: { () -> Result<Value, JournalError> in
      Result { () throws(JournalError) in try body() }
    }).get()
  }

  private static let disk = DispatchQueue(label: "reprise.journal", attributes: .concurrent)
}
