// `ValueFile`: a value that is too long for a variable, as a file in the folder of the run.

import Paths
import Platform

/// A file with a value, named by its content: writing the same value again changes nothing.
enum ValueFile {
  /// The folder of such files, in the folder of the run.
  private static let folder = "values"

  /// Writes a value.
  ///
  /// - Parameters:
  ///   - text: The value.
  ///   - directory: The folder of the run.
  ///   - secrets: The secrets, which must not be stored.
  /// - Returns: The path of the file.
  /// - Throws: ``FailureReason`` for a secret, or the system error.
  static func write(_ text: String, in directory: String, _ secrets: Secrets) throws -> String {
    guard secrets.hidden(in: text) == text else {
      throw FailureReason.badValue("toFile would store a secret; pass it in a variable of env")
    }
    var hash = SHA256()
    hash.update(text.utf8)
    let folder = directory + "/" + folder
    let path = folder + "/" + hash.hexadecimal
    guard !mayAccess(path, .existence) else { return path }
    try makeFolderTree(folder)
    // For the users of images; outside of containers, a folder above is private to this user.
    try changePermissions(of: folder, to: FilePermissions(rawValue: 0o755))
    // Renamed once it is complete, since another step may need the same value.
    let new = try makeTemporaryFile(folder + "/new-")
    do {
      try writeFile(Array(text.utf8), to: new, overwriting: true)
      try changePermissions(of: new, to: FilePermissions(rawValue: 0o644))
      try renameFile(new, to: path)
    } catch {
      try? removeFile(new)
      throw error
    }
    return path
  }
}
