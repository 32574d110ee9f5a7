// What stands between two slashes of a pattern, and which names it matches. Knows no folders.

/// One component of a pattern.
package enum GlobComponent: Sendable, Equatable {
  /// A name that is written out.
  case name([UInt8])
  /// A name with wildcards.
  case wildcard([GlobToken])
  /// Any number of names, also none: `**`.
  case anyFolders

  /// Whether a single name fits.
  ///
  /// - Parameter name: The bytes of a name, which need not be well-formed UTF-8.
  /// - Returns: Whether it is matched; any name is by ``anyFolders``.
  package func matches(_ name: [UInt8]) -> Bool {
    switch self {
    case .name(let bytes): bytes == name
    case .wildcard(let tokens): GlobMatch(tokens, of: .characters).matches(name[...])
    case .anyFolders: true
    }
  }
}
