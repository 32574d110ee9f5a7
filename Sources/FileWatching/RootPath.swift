// Follows the path of a root name by name. Knows no watches.

import Paths
import Platform

/// Where a path leads, and all that it leads through.
struct RootPath: Equatable {
  /// Where the path ends.
  enum End: Equatable {
    /// A folder, with its absolute path without symbolic links.
    case folder(String)
    /// Nothing, or no folder: the folder that is the last on the way, and the name that is missing.
    case missing(String, name: String)
  }

  /// Folders and symbolic links: each path is absolute and no link leads to it.
  private(set) var places: [String] = ["/"]
  /// Where it ends.
  private(set) var end = End.folder("/")

  /// How many symbolic links may be on the way, as for the system.
  static let linksMax = 40

  /// Follows a path.
  ///
  /// - Parameter path: An absolute path.
  init(following path: String) {
    var folder = "/"
    var names = Self.names(path)
    var linksCount = 0
    while let name = names.popLast() {
      if name == ".." {
        let parent = folder.lastIndex(of: "/").map { String(folder[..<$0]) } ?? ""
        folder = parent.isEmpty ? "/" : parent
        continue
      }
      let place = joinedPath(folder, name)
      let type = (try? Stat(at: place, followsLink: false))?.type
      if type != nil { places.append(place) }
      if type == .directory {
        folder = place
      } else if type == .symbolicLink, linksCount < Self.linksMax, let target = linkTarget(place) {
        linksCount += 1
        if target.hasPrefix("/") { folder = "/" }
        names += Self.names(target)
      } else {
        end = .missing(folder, name: name)
        return
      }
    }
    end = .folder(folder)
  }

  /// The names of a path, the last first.
  private static func names(_ path: String) -> [String] {
    path.split(separator: "/").filter { $0 != "." }.reversed().map(String.init)
  }

  /// Makes a path absolute.
  ///
  /// - Parameter path: A path, relative to the working folder of the process or absolute.
  /// - Returns: The same path from `/` on.
  /// - Throws: ``FileWatchError`` where it can be no path of a folder.
  static func absolute(_ path: String) throws(FileWatchError) -> String {
    if path.isEmpty { throw .unusablePath(path, reason: "it is empty") }
    if path.utf8.contains(0) { throw .unusablePath(path, reason: "it contains a zero byte") }
    if path.hasPrefix("/") { return path }
    guard let here = workingFolder() else {
      throw .unusablePath(path, reason: "the working folder is gone; give an absolute path")
    }
    return joinedPath(here, path)
  }
}
