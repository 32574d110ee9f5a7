// Why files cannot be found or read. Knows not what they are wanted for.

package import Platform

/// What stands between us and a file.
package enum FileError: Error, Equatable, CustomStringConvertible {
  /// The system refuses, or there is something of another kind.
  case unreadable(path: String, reason: String)
  /// The files were named by a pattern that makes no sense.
  case badPattern(GlobError)

  /// A system call failed.
  package static func system(_ path: String, _ error: Errno) -> FileError {
    .unreadable(path: path, reason: "\(error)")
  }

  /// The path at which it happened, or the pattern.
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
