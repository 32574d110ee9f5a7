// The folders of runs that are not recorded.

import ChildProcesses
import Platform
import Reprise

/// A folder for the folders of unrecorded runs, until it is removed.
package struct TemporaryRunFolders: Sendable {
  /// The path; nil if it could not be created.
  package let path: String?

  /// Creates a folder that only this user can access.
  package init() {
    let prefix = TemporaryFiles.prefix("output", inheritedEnvironment()["TMPDIR"])
    path = try? makeTemporaryFolder(prefix)
  }

  /// Removes the folder and everything in it.
  package func remove() {
    if let path { TemporaryFiles.remove(path) }
  }
}
