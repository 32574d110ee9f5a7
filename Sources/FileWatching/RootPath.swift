// Resolves the path of a root, name by name.

import Paths
import Platform

/// A resolved path, with the folders and symbolic links along it.
struct RootPath: Equatable {
  /// The end of a path.
  enum End: Equatable {
    /// A folder, with its absolute path without symbolic links.
    case folder(String)
    /// Nothing, or not a folder: the last existing folder on the path, and the missing name.
    case missing(String, name: String)
  }

  /// The folders and symbolic links on the path: each path is absolute and contains no link except
  /// the last name.
  private(set) var places: [String] = ["/"]
  /// The end of the path.
  private(set) var end = End.folder("/")

  /// The maximum number of symbolic links on a path, the same as the system's.
  static let linksMax = 40

  /// Resolves a path.
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

  /// Returns the names in a path, last first.
  private static func names(_ path: String) -> [String] {
    path.split(separator: "/").filter { $0 != "." }.reversed().map(String.init)
  }

  /// Makes a path absolute.
  ///
  /// - Parameter path: An absolute path, or one relative to the working directory of the process.
  /// - Returns: The absolute path.
  /// - Throws: ``FileWatchError`` if it cannot be the path of a folder.
  static func absolute(_ path: String) throws(FileWatchError) -> String {
    if path.isEmpty { throw .unusablePath(path, reason: "it is empty") }
    if path.utf8.contains(0) { throw .unusablePath(path, reason: "it contains a zero byte") }
    if path.hasPrefix("/") { return path }
    guard let here = workingFolder() else {
      throw .unusablePath(
        path, reason: "the working directory no longer exists; use an absolute path")
    }
    return joinedPath(here, path)
  }
}
