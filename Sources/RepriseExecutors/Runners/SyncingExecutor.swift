// `SyncingExecutor`: copies the directory of a step to another machine, and its files back.

import Paths
import Reprise

/// An executor that copies files there and back around another one, which has none of its own.
///
/// Before an attempt, the directory of the step is copied to the far side; after its success, files
/// that are newer there are copied back. Nothing is deleted on either side.
struct SyncingExecutor: Executor {
  private let base: RunnerExecutor
  private let far: FarSide
  private let surroundings: RunnerSurroundings

  var environment: [String: String] { surroundings.environment }
  var reportsStart: Bool { true }

  init(_ base: RunnerExecutor, far: FarSide, surroundings: RunnerSurroundings) {
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
    let folder = Self.farFolder(of: directory)
    if !context.isAdopted { try await far.sync(directory, to: folder, back: false) }
    let outputs = try await base.execute(context)
    try await far.sync(directory, to: folder, back: true)
    return outputs
  }
}
