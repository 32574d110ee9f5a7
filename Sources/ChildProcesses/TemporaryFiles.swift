// Files that live as long as an attempt of a step: how they are called, and how those are removed whose
// process was killed before it could.

import Platform

/// The files of one process, told from those of others by their names.
package enum TemporaryFiles {
  /// What the name of a file begins with.
  ///
  /// - Parameters:
  ///   - kind: What it is for.
  ///   - directory: The value of `TMPDIR`, if it has one.
  /// - Returns: A path, to which something that nobody can guess is added.
  package static func prefix(_ kind: String, _ directory: String?) -> String {
    temporaryFolder(directory) + "/reprise-\(processID)-\(kind)-"
  }

  /// Removes what processes have left that are gone.
  ///
  /// - Parameter environment: Where `TMPDIR` is looked up.
  package static func removeLeftovers(_ environment: [String: String]) {
    let folder = temporaryFolder(environment["TMPDIR"])
    for name in FolderReader.names(in: folder) {
      let parts = name.split(separator: "-", maxSplits: 2)
      guard parts.count == 3, parts[0] == "reprise", let process = Int32(parts[1]), process > 0,
        parts[2].hasPrefix("output-") || parts[2].hasPrefix("report-")
      else { continue }
      if !processExists(process) { remove(folder + "/" + name) }
    }
  }

  /// Removes what one process has left, which is gone and had the environment of this one.
  static func removeLeftovers(of process: Int32) {
    let folder = temporaryFolder(environmentVariable("TMPDIR"))
    for name in FolderReader.names(in: folder) where name.hasPrefix("reprise-\(process)-") {
      remove(folder + "/" + name)
    }
  }

  /// Removes a file, or a folder with all that is in it; links are not followed.
  ///
  /// Files of others are not touched, since the system does not let us.
  ///
  /// - Parameter path: The path; nothing happens where there is nothing.
  package static func remove(_ path: String) {
    do throws(Errno) {
      return try removeFile(path)
    } catch {
      if error == .noSuchFileOrDirectory { return }
    }
    // A folder: a link or a file would be gone. Its own step may have made it unreadable.
    try? changePermissions(of: path, to: .ownerReadWriteExecute)
    for name in FolderReader.names(in: path) { remove(path + "/" + name) }
    removeFolder(path)
  }
}
