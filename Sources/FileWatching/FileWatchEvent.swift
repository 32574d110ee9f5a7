// The filter of a watch, and its events and errors.

/// Which files are watched, and which folders are searched for them.
///
/// Paths are relative to the root, with `/` as separator. The closures are called often, on the
/// queue of the watch and while it is created. They should be fast, and must always return the
/// same result for the same path.
package struct FileWatchFilter: Sendable {
  /// Returns whether a file is of interest.
  package var wantsFile: @Sendable (_ path: String) -> Bool
  /// Returns whether anything in or below a folder may be of interest.
  ///
  /// If not, the folder is not watched.
  package var entersFolder: @Sendable (_ path: String) -> Bool
  /// Whether to exclude what git ignores.
  ///
  /// The rules are those of the `.gitignore` files from the root of the repository down, and of its
  /// `info/exclude`; without a repository, from the watched root down. The watched root itself is
  /// watched even if a rule ignores it. The user's global rules are not read.
  package var respectsGitignore: Bool
  /// Whether to report a file while it is being written, and not only when its writer closes it.
  package var seesWriting: Bool

  /// Creates a filter; without arguments, it includes all files.
  ///
  /// - Parameters:
  ///   - respectsGitignore: Whether to exclude what git ignores.
  ///   - seesWriting: Whether to report a file while it is being written.
  ///   - entersFolder: Returns whether anything below a folder may be of interest.
  ///   - wantsFile: Returns whether a file is of interest.
  package init(
    respectsGitignore: Bool = false, seesWriting: Bool = false,
    entersFolder: @escaping @Sendable (_ path: String) -> Bool = { _ in true },
    wantsFile: @escaping @Sendable (_ path: String) -> Bool = { _ in true }
  ) {
    self.wantsFile = wantsFile
    self.entersFolder = entersFolder
    self.respectsGitignore = respectsGitignore
    self.seesWriting = seesWriting
  }
}

/// An event of a watch.
package enum FileWatchEvent: Sendable, Equatable {
  /// A matching file was created, written, replaced, removed or moved: its path relative to the
  /// root.
  ///
  /// The event only says that something has changed; read the file to find its current state.
  case changed(path: String)
  /// The root, or a folder or link on the path to it, was removed, moved or replaced.
  ///
  /// Files below it are reported as well. On Linux only.
  case rootChanged
  /// A problem that the user should know about, and how to fix it. The watch continues.
  case problem(String)
}

/// An error that prevents watching.
package enum FileWatchError: Error, Equatable, CustomStringConvertible {
  /// A path that cannot be a folder's path, and why.
  case unusablePath(String, reason: String)
  /// The system does not support watching, or refused it.
  case system(reason: String)

  /// The error message.
  package var description: String {
    switch self {
    case .unusablePath(let path, let reason): "`\(path)` cannot be watched: \(reason)"
    case .system(let reason): "files cannot be watched: \(reason)"
    }
  }
}
