// Names temporary files that live as long as an attempt of a step, and removes those of killed
// processes.

import Platform

/// The temporary files of a process, identified by their names.
package enum TemporaryFiles {
  /// Returns the beginning of the path of a temporary file.
  ///
  /// - Parameters:
  ///   - kind: The purpose of the file.
  ///   - directory: The value of `TMPDIR`, if it is set.
  /// - Returns: A path, to which the caller appends something unpredictable.
  package static func prefix(_ kind: String, _ directory: String?) -> String {
    temporaryFolder(directory) + "/reprise-\(processID)-\(kind)-"
  }

  /// Removes the files of processes that no longer exist.
  ///
  /// - Parameter environment: The environment in which `TMPDIR` is looked up.
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

  /// Removes the files of an ended process that had the environment of this process.
  static func removeLeftovers(of process: Int32) {
    let folder = temporaryFolder(environmentVariable("TMPDIR"))
    for name in FolderReader.names(in: folder) where name.hasPrefix("reprise-\(process)-") {
      remove(folder + "/" + name)
    }
  }

  /// Removes a file, or a folder with everything in it; does not follow links.
  ///
  /// The system does not permit removing files of other users.
  ///
  /// - Parameter path: The path; nothing happens if it does not exist.
  package static func remove(_ path: String) {
    do throws(Errno) {
      return try removeFile(path)
    } catch {
      if error == .noSuchFileOrDirectory { return }
    }
    // It is a folder: `removeFile` would have removed anything else. The step may have made it
    // unreadable.
    try? changePermissions(of: path, to: .ownerReadWriteExecute)
    for name in FolderReader.names(in: path) { remove(path + "/" + name) }
    removeFolder(path)
  }
}
