// A component of a pattern: the part between two slashes.

/// A component of a pattern.
package enum GlobComponent: Sendable, Equatable {
  /// A literal name.
  case name([UInt8])
  /// A name with wildcards.
  case wildcard([GlobToken])
  /// Any number of names, including none: `**`.
  case anyFolders

  /// Returns whether the component matches a single name.
  ///
  /// - Parameter name: The bytes of a name, which need not be valid UTF-8.
  /// - Returns: Whether it matches; always true for ``anyFolders``.
  package func matches(_ name: [UInt8]) -> Bool {
    switch self {
    case .name(let bytes): bytes == name
    case .wildcard(let tokens): GlobMatch(tokens, of: .characters).matches(name[...])
    case .anyFolders: true
    }
  }
}
