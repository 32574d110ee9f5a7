// Errors from finding and reading files.

package import Platform

/// An error from finding or reading files.
package enum FileError: Error, Equatable, CustomStringConvertible {
  /// A system call failed, or the file is not a regular file.
  case unreadable(path: String, reason: String)
  /// A pattern is invalid.
  case badPattern(GlobError)

  /// Creates the error of a failed system call.
  package static func system(_ path: String, _ error: Errno) -> FileError {
    .unreadable(path: path, reason: "\(error)")
  }

  /// The path of the file, or the pattern.
  package var path: String {
    switch self {
    case .unreadable(let path, _): path
    case .badPattern(let error): error.pattern
    }
  }

  package var description: String {
    switch self {
    case .unreadable(let path, let reason): "cannot read \"\(path)\": \(reason)"
    case .badPattern(let error): error.description
    }
  }
}
