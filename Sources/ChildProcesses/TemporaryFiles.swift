// Files that live as long as an attempt of a step: how they are called, and how those are removed whose
// process was killed before it could.

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The files of one process, told from those of others by their names.
package enum TemporaryFiles {
  /// What the name of a file begins with.
  ///
  /// - Parameters:
  ///   - kind: What it is for.
  ///   - directory: The value of `TMPDIR`, if it has one.
  /// - Returns: A path, to which something that nobody can guess is added.
  package static func prefix(_ kind: String, _ directory: String?) -> String {
    temporaryFolder(directory) + "/reprise-\(getpid())-\(kind)-"
  }

  /// Removes what processes have left that are gone.
  ///
  /// - Parameter environment: Where `TMPDIR` is looked up.
  package static func removeLeftovers(_ environment: [String: String]) {
    let folder = temporaryFolder(environment["TMPDIR"])
    for name in names(in: folder) {
      let parts = name.split(separator: "-", maxSplits: 2)
      guard parts.count == 3, parts[0] == "reprise", let process = Int32(parts[1]), process > 0,
        parts[2].hasPrefix("output-") || parts[2].hasPrefix("report-")
      else { continue }
      if kill(process, 0) != 0 && errno == ESRCH { remove(folder + "/" + name) }
    }
  }

  /// Removes what one process has left, which is gone and had the environment of this one.
  static func removeLeftovers(of process: Int32) {
    let directory = unsafe getenv("TMPDIR").map { unsafe String(cString: $0) }
    let folder = temporaryFolder(directory)
    for name in names(in: folder) where name.hasPrefix("reprise-\(process)-") {
      remove(folder + "/" + name)
    }
  }

  /// Removes a file, or a folder with all that is in it; links are not followed.
  ///
  /// Files of others are not touched, since the system does not let us.
  ///
  /// - Parameter path: The path; nothing happens where there is nothing.
  package static func remove(_ path: String) {
    guard unsafe unlink(path) != 0, errno != ENOENT else { return }
    // A folder: a link or a file would be gone. Its own step may have made it unreadable.
    unsafe chmod(path, 0o700)
    for name in names(in: path) where name != "." && name != ".." { remove(path + "/" + name) }
    unsafe rmdir(path)
  }
}
