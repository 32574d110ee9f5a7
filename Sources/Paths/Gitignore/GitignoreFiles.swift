// Finds and reads the .gitignore files that hold above a folder. Knows no watches.

import Platform

/// The rules of a repository that lie above a watched root.
package struct GitignoreFiles: Equatable {
  /// The rules, the nearest first, each with the path from its folder to the root.
  package private(set) var layers: [GitignoreLayers.Layer] = []
  /// The folders above the root in which a `.gitignore` counts.
  package private(set) var folders: [String] = []
  /// The files with rules, whether they exist or not.
  package private(set) var files: [String] = []

  /// The largest file with rules that is read, in bytes.
  package static let bytesMax = 16 << 20

  /// No rules.
  package init() {}

  /// Reads what holds in a folder.
  ///
  /// - Parameter root: Its absolute path, without symbolic links.
  package init(above root: String) {
    var folder = root
    var prefix = ""
    var found: [(folder: String, prefix: String)] = []
    while !mayAccess(joinedPath(folder, ".git"), .existence) {
      // Without a repository there are no rules above the root.
      guard folder != "/", let slash = folder.lastIndex(of: "/") else { return }
      prefix = joinedPath(String(folder[folder.index(after: slash)...]), prefix)
      folder = slash == folder.startIndex ? "/" : String(folder[..<slash])
      found.append((folder, prefix))
    }
    for (folder, prefix) in found {
      folders.append(folder)
      add(joinedPath(folder, ".gitignore"), prefix: prefix)
    }
    let exclude = joinedPath(folder, ".git/info/exclude")
    add(exclude, prefix: prefix)
  }

  private mutating func add(_ file: String, prefix: String) {
    files.append(file)
    guard let rules = Self.rules(ofFile: file), !rules.isEmpty else { return }
    layers.append(GitignoreLayers.Layer(rules: rules, prefix: prefix))
  }

  /// Reads a file with rules.
  ///
  /// - Parameter path: Its path. As for git, a symbolic link is none.
  /// - Returns: nil where there is no such regular file.
  package static func rules(ofFile path: String) -> GitignoreRules? {
    do throws(Errno) {
      let file = try OpenFile(path, options: [.noFollow, .nonBlocking])
      guard try file.status().type == .regular else { return nil }
      return GitignoreRules((try? file.readAll(upTo: bytesMax)) ?? [])
    } catch {
      return nil
    }
  }
}
