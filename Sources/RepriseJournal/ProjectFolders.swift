// The folders in which a project is looked up: the current one and its parents, within limits.

import Platform

/// The current folder and its parents, as far as they belong to the same project.
///
/// They end with the first folder that contains `.git` and with the home folder, and before a
/// folder that belongs to another user or that everyone can write to: others could provide the
/// workflows in it.
package struct ProjectFolders: Sendable, Equatable {
  /// The folder with the workflows of a project.
  package static let workflows = "workflows"

  /// The absolute paths of the folders, the current one first.
  package let paths: [String]

  /// Finds the folders.
  ///
  /// - Parameters:
  ///   - here: The absolute path of the current folder; nil if it no longer exists.
  ///   - home: The home folder of the user, if known.
  package init(from here: String?, home: String?) {
    guard let here else {
      paths = []
      return
    }
    let home = home.flatMap(realPath)
    let owner = (try? Stat(at: here))?.userID
    var paths = [here]
    var folder = here
    while folder != "/", folder != home, !mayAccess(folder + "/.git", .existence) {
      folder = Self.parent(of: folder)
      guard let status = try? Stat(at: folder), status.userID == owner,
        !status.permissions.contains(.otherWrite)
      else { break }
      paths.append(folder)
    }
    self.paths = paths
  }

  /// Returns the nearest folder with a subfolder of a name.
  package func nearest(withFolder name: String) -> String? {
    paths.first { (try? Stat(at: $0 + "/" + name))?.type == .directory }
  }

  private static func parent(of folder: String) -> String {
    let parent = folder[..<(folder.lastIndex(of: "/") ?? folder.startIndex)]
    return parent.isEmpty ? "/" : String(parent)
  }
}
