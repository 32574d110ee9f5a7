// `SyncingExecutor`: copies the directory of a step to another machine, and its files back.

import Paths
import Reprise

/// An executor that copies files there and back around another one, which has none of its own.
///
/// Before an attempt, the directory of the step is copied to the far side; after its success, files
/// that the step has changed there are copied back, unless they are newer here. Nothing is deleted
/// on either side, and symbolic links are copied as such. What was deleted here stays deleted,
/// unless the step writes it anew.
struct SyncingExecutor: Executor {
  private let base: RunnerExecutor
  private let far: FarSide
  private let surroundings: RunnerSurroundings
  /// Whether files come back after a failure, too.
  private let fetchesAlways: Bool

  var environment: [String: String] { surroundings.environment }
  var reportsStart: Bool { true }

  init(
    _ base: RunnerExecutor, far: FarSide, surroundings: RunnerSurroundings, fetchesAlways: Bool
  ) {
    self.fetchesAlways = fetchesAlways
    self.base = base
    self.far = far
    self.surroundings = surroundings
  }

  /// The folder on the far side for a directory of this machine, below the user's home there.
  static func farFolder(of directory: String) -> String {
    var hash = SHA256()
    hash.update(directory.utf8)
    return ".cache/reprise/work/" + hash.hexadecimal.prefix(16)
  }

  func execute(_ context: StepContext) async throws -> StepOutputs {
    let directory = try surroundings.absoluteDirectory(of: AttemptSpec(context))
    var step = SHA256()
    step.update("\(context.run) \(context.step.id)".utf8)
    let copy = FarCopy(
      directory: directory, folder: Self.farFolder(of: directory),
      step: String(step.hexadecimal.prefix(16)))
    if !context.isAdopted { try await far.send(copy) }
    let outputs: StepOutputs
    do {
      outputs = try await base.execute(context)
    } catch let reason as FailureReason where fetchesAlways && reason.mayHaveWritten {
      // The failure counts, not what happens to its files.
      try? await far.fetch(copy)
      throw reason
    }
    try await far.fetch(copy)
    return outputs
  }
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
struct FarCopy {
  /// The directory here.
  let directory: String
  /// The folder there, below the user's home.
  let folder: String
  /// A name for the step, since several steps may share the directory.
  let step: String

  /// A file there that is as old as the copy.
  private var mark: String { "\(folder).\(step).since" }
  /// The list there of what has changed since then.
  private var list: String { "\(folder).\(step).changed" }

  /// The words of rsync that copy the directory there.
  ///
  /// Times are compared to the nanosecond: a file may change twice within a second, and keep its size.
  func sending(over shell: String, to host: String) -> [String] {
    [
      "rsync", "--archive", "--compress", "--modify-window=-1", "--rsh", shell, "--rsync-path",
      "mkdir -p \(folder) && touch \(mark) && rsync", "--exclude", "/.reprise/", directory + "/",
      "\(host):\(folder)/",
    ]
  }

  /// The words of rsync that copy back what has changed there.
  func fetching(over shell: String, from host: String) -> [String] {
    // The time of a change of status, unlike that of the content, cannot be set by unpacking an
    // archive. A list of paths makes rsync leave alone what has been deleted here.
    let find = "find . -cnewer $HOME/\(mark) ! -name . ! -path './.reprise*' -print0"
    // Each listed file has changed, so its size and time need no comparison. A window of nanoseconds
    // must not be used with `--update`: rsync would overwrite a file that is up to a second newer here.
    return [
      "rsync", "--archive", "--compress", "--update", "--ignore-times", "--ignore-missing-args",
      "--from0", "--files-from=:\(list)", "--rsh", shell, "--rsync-path",
      "(cd \(folder) && \(find)) > \(list) && rsync", "\(host):\(folder)/", directory + "/",
    ]
  }
}
