// What a search finds: files, symbolic links and empty folders.

/// A file, a symbolic link or an empty folder that a search has found.
package struct FoundFile: Sendable, Equatable {
  /// The kind of what was found.
  package enum Kind: Sendable {
    /// A regular file.
    case file
    /// A symbolic link, to a file, a folder or nothing.
    case link
    /// A folder: one without entries, or one that a pattern selects.
    case folder
  }

  /// The path, relative to the folder of the search.
  package let path: String
  /// The kind.
  package let kind: Kind

  /// The path; that of a folder ends with a slash.
  package var name: String { kind == .folder ? path + "/" : path }
}
