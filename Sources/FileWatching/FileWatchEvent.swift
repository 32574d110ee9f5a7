// What a watch is asked for and what it tells. Knows no system calls.

/// Which files are watched, and in which folders they are looked for.
///
/// Paths are relative to the root, their names are separated by `/`. The closures are called on the
/// queue of the watch and while it is made, often: they should be fast and always say the same.
package struct FileWatchFilter: Sendable {
  /// Whether a file is of interest.
  package var wantsFile: @Sendable (_ path: String) -> Bool
  /// Whether something in or below a folder may be of interest.
  ///
  /// Where it is false, nothing is watched.
  package var entersFolder: @Sendable (_ path: String) -> Bool
  /// Whether what git ignores is left out.
  ///
  /// The rules are those of the `.gitignore` files from the root of the repository down, and of its
  /// `info/exclude`; without a repository, of the watched root down. The watched root itself has been
  /// named and is watched also where a rule ignores it. The user's own global rules are not read.
  package var honoursGitignore: Bool
  /// Whether a file counts while it is being written, and not only when its writer closes it.
  package var seesWriting: Bool

  /// Makes a filter; without arguments, one that wants all files.
  ///
  /// - Parameters:
  ///   - honoursGitignore: Whether what git ignores is left out.
  ///   - seesWriting: Whether a file counts while it is being written.
  ///   - entersFolder: Whether something below a folder may be of interest.
  ///   - wantsFile: Whether a file is of interest.
  package init(
    honoursGitignore: Bool = false, seesWriting: Bool = false,
    entersFolder: @escaping @Sendable (_ path: String) -> Bool = { _ in true },
    wantsFile: @escaping @Sendable (_ path: String) -> Bool = { _ in true }
  ) {
    self.wantsFile = wantsFile
    self.entersFolder = entersFolder
    self.honoursGitignore = honoursGitignore
    self.seesWriting = seesWriting
  }
}

/// What a watch tells.
package enum FileWatchEvent: Sendable, Equatable {
  /// A file that is wanted was made, written, replaced, removed or moved: its path from the root.
  ///
  /// The state to act on is the one that is found when the file is looked at; nothing else is promised.
  case changed(path: String)
  /// Something that a person should know, and how to mend it. The watch goes on.
  case problem(String)
}

/// Why nothing can be watched.
package enum FileWatchError: Error, Equatable, CustomStringConvertible {
  /// A path that cannot be that of a folder, and why.
  case unusablePath(String, reason: String)
  /// The system refused its service.
  case system(reason: String)

  /// The error in words.
  package var description: String {
    switch self {
    case .unusablePath(let path, let reason): "`\(path)` cannot be watched: \(reason)"
    case .system(let reason): "files cannot be watched: \(reason)"
    }
  }
}
