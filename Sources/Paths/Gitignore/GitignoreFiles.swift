// Finds and reads the .gitignore files of the folders above a watched folder.

import Platform

/// The ignore rules of a repository that come from folders above a watched root.
package struct GitignoreFiles: Equatable {
  /// The rules, nearest first, each with the path from its folder to the root.
  package private(set) var layers: [GitignoreLayers.Layer] = []
  /// The folders above the root whose `.gitignore` files apply.
  package private(set) var folders: [String] = []
  /// The paths of the rule files, whether or not they exist.
  package private(set) var files: [String] = []

  /// The maximum size of a rule file, in bytes; the rest is ignored.
  package static let bytesMax = 16 << 20

  /// Creates an empty set of rules.
  package init() {}

  /// Reads the rules that apply to a folder from above.
  ///
  /// - Parameter root: The absolute path of the folder, without symbolic links.
  package init(above root: String) {
    var folder = root
    var prefix = ""
    var found: [(folder: String, prefix: String)] = []
    while !mayAccess(joinedPath(folder, ".git"), .existence) {
      // Without a repository, no rules from above apply.
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

  /// Reads a rule file.
  ///
  /// - Parameter path: The path of the file. As in git, symbolic links are not followed.
  /// - Returns: The rules, or nil if there is no regular file at the path.
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
