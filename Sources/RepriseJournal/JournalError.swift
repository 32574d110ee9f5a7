// What can go wrong with the record of runs, in words that say what to do. Knows no database.

import Platform

/// Why runs cannot be recorded or read.
package struct JournalError: Error, Equatable, CustomStringConvertible {
  /// A complete message: what, where, and how to mend it.
  package let description: String

  init(_ description: String) {
    self.description = description
  }

  /// A system call failed.
  static func system(_ what: String, _ path: String, _ error: Errno) -> JournalError {
    var text = "\(what) \"\(path)\": \(error)"
    switch error {
    case .noSpace, .diskQuotaExceeded: text += "; make room there" + freeSpace(path)
    case .permissionDenied, .readOnlyFileSystem, .notPermitted:
      text += "; choose another place with --state-dir, or use --no-journal where a run is not kept"
    case .tooManyOpenFiles, .tooManyOpenFilesInSystem:
      text += "; raise the limit of open files (ulimit -n)"
    default: break
    }
    return JournalError(text)
  }

  /// How much room is left, for a message about a full disk.
  static func freeSpace(_ path: String) -> String {
    let folder = path.split(separator: "/", omittingEmptySubsequences: false).dropLast()
      .joined(separator: "/")
    guard let bytes = freeBytes(inFolder: folder.isEmpty ? "." : folder) else { return "" }
    return " (\(bytes / 1024) KiB are free)"
  }
}
