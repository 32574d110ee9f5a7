// `SyncingExecutor`: copies the files of a step to another machine, and back.

import Paths
import Reprise

/// What is copied to another machine for a step, and back.
protocol CopiedFiles: Sendable {
  /// Copies the files to the far side.
  func send(to far: FarSide) async throws(FailureReason)

  /// Copies back what the step has made or changed there.
  ///
  /// - Parameters:
  ///   - far: The far side.
  ///   - hasFailed: Whether the step has failed, so that files may be missing.
  /// - Throws: ``FailureReason``.
  func fetch(from far: FarSide, afterFailure hasFailed: Bool) async throws(FailureReason)
}

/// An executor that copies files there and back around another one, which has none of its own.
struct SyncingExecutor: Executor {
  private let base: RunnerExecutor
  private let far: FarSide
  /// Whether files come back after a failure, too.
  private let fetchesAlways: Bool
  private let files: @Sendable (StepContext) throws(FailureReason) -> any CopiedFiles

  var environment: [String: String] { base.environment }
  var reportsStart: Bool { true }

  /// Creates an executor.
  ///
  /// - Parameters:
  ///   - base: Runs the steps.
  ///   - far: Where they run.
  ///   - fetchesAlways: Whether files come back after a failure, too.
  ///   - files: Returns what is copied for a step.
  init(
    _ base: RunnerExecutor, far: FarSide, fetchesAlways: Bool,
    files: @escaping @Sendable (StepContext) throws(FailureReason) -> any CopiedFiles
  ) {
    self.base = base
    self.far = far
    self.fetchesAlways = fetchesAlways
    self.files = files
  }

  func execute(_ context: StepContext) async throws -> StepOutputs {
    let files = try files(context)
    if !context.isAdopted { try await files.send(to: far) }
    let outputs: StepOutputs
    do {
      outputs = try await base.execute(context)
    } catch let reason as FailureReason where fetchesAlways && reason.mayHaveWritten {
      // The failure counts, not what happens to its files.
      try? await files.fetch(from: far, afterFailure: true)
      throw reason
    }
    try await files.fetch(from: far, afterFailure: false)
    return outputs
  }
}

extension SyncingExecutor: LastingExecutor {
  func begin(
    _ spec: AttemptSpec, token: AttemptToken
  ) async throws(RunnerFailure) -> String? { try await base.begin(spec, token: token) }

  func stop(_ token: AttemptToken, grace: Duration) async throws {
    try await base.stop(token, grace: grace)
  }

  func release(_ run: RunID) async -> String? { await base.release(run) }
}

extension FailureReason {
  /// Whether the program of the step has run, so that it may have written files.
  fileprivate var mayHaveWritten: Bool {
    switch self {
    case .exited, .signalled, .timedOut, .badOutputs: true
    case .notStarted, .badValue, .rejected, .threw, .lost, .unmet: false
    }
  }
}

/// A directory of this machine with its copy on the far side, for one step.
///
/// Before an attempt, the directory is copied to the far side; after its success, files that the step has
/// changed there are copied back, unless they are newer here. Nothing is deleted on either side, and
/// symbolic links are copied as such. What was deleted here stays deleted, unless the step writes it anew.
struct FarCopy: CopiedFiles {
  /// The directory here.
  private let directory: String
  /// A name for the step, since several steps may share the directory.
  private let step: String

  /// The folder there, below the user's home.
  private var folder: String { Self.folder(of: directory) }

  init(of directory: String, for context: StepContext) {
    self.directory = directory
    var step = SHA256()
    step.update("\(context.run) \(context.step.id)".utf8)
    self.step = String(step.hexadecimal.prefix(16))
  }

  /// The folder on the far side for a directory of this machine, below the user's home there.
  static func folder(of directory: String) -> String {
    var hash = SHA256()
    hash.update(directory.utf8)
    return ".cache/reprise/work/" + hash.hexadecimal.prefix(16)
  }

  /// A file there that is as old as the copy.
  private var mark: String { "\(folder).\(step).since" }
  /// The list there of what has changed since then.
  private var list: String { "\(folder).\(step).changed" }

  /// Copies the directory there.
  ///
  /// Times are compared to the nanosecond: a file may change twice within a second, and keep its size.
  func send(to far: FarSide) async throws(FailureReason) {
    try await far.send([
      "--archive", "--compress", "--modify-window=-1", "--rsync-path",
      "mkdir -p \(folder) && touch \(mark) && rsync", "--exclude", "/.reprise/", directory + "/",
      "\(far.host):\(folder)/",
    ])
  }

  /// Copies back what has changed there.
  func fetch(from far: FarSide, afterFailure hasFailed: Bool) async throws(FailureReason) {
    // The time of a change of status, unlike that of the content, cannot be set by unpacking an
    // archive. A list of paths makes rsync leave alone what has been deleted here.
    let find = "find . -cnewer $HOME/\(mark) ! -name . ! -path './.reprise*' -print0"
    // Each listed file has changed, so its size and time need no comparison. A window of nanoseconds
    // must not be used with `--update`: rsync would overwrite a file that is up to a second newer here.
    try await far.fetch([
      "--archive", "--compress", "--update", "--ignore-times", "--ignore-missing-args",
      "--from0", "--files-from=:\(list)", "--rsync-path",
      "(cd \(folder) && \(find)) > \(list) && rsync", "\(far.host):\(folder)/", directory + "/",
    ])
  }
}
