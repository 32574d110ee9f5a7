// `RunFolder`: the folder of a run for the files of its steps.

import Platform

/// The folder of a run, which its steps share and which every generation of the run keeps.
struct RunFolder: Sendable {
  /// The name of the variable with its path.
  static let variable = "REPRISE_RUN_DIR"

  /// The absolute path.
  let path: String
  /// The reason why it could not be created.
  let problem: String?

  /// Creates the folder, if it does not exist.
  ///
  /// - Parameters:
  ///   - run: The run.
  ///   - parent: The folder for the folders of runs, which is created, too.
  init(of run: RunID, in parent: String) {
    path = parent + "/\(run)"
    var problem: String?
    for folder in [parent, path] {
      do throws(Errno) {
        try makeFolder(folder, permissions: .ownerReadWriteExecute)
      } catch {
        if error != .fileExists { problem = problem ?? "\"\(folder)\": \(error)" }
      }
    }
    self.problem = (try? Stat(at: path))?.type == .directory ? nil : problem ?? "\"\(path)\""
  }
}
