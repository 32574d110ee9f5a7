// Finds and reads the .gitignore files that hold above a folder. Knows no watches.

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The rules of a repository that lie above a watched root.
struct GitignoreFiles: Equatable {
  /// The rules, the nearest first, each with the path from its folder to the root.
  private(set) var layers: [GitignoreLayers.Layer] = []
  /// The folders above the root in which a `.gitignore` counts.
  private(set) var folders: [String] = []
  /// The files with rules, whether they exist or not.
  private(set) var files: [String] = []

  /// The largest file with rules that is read, in bytes.
  static let bytesMax = 16 << 20

  /// No rules.
  init() {}

  /// Reads what holds in a folder.
  ///
  /// - Parameter root: Its absolute path, without symbolic links.
  init(above root: String) {
    var folder = root
    var prefix = ""
    var found: [(folder: String, prefix: String)] = []
    while access(WatchedTree.join(folder, ".git"), F_OK) != 0 {
      // Without a repository there are no rules above the root.
      guard folder != "/", let slash = folder.lastIndex(of: "/") else { return }
      prefix = WatchedTree.join(String(folder[folder.index(after: slash)...]), prefix)
      folder = slash == folder.startIndex ? "/" : String(folder[..<slash])
      found.append((folder, prefix))
    }
    for (folder, prefix) in found {
      folders.append(folder)
      add(WatchedTree.join(folder, ".gitignore"), prefix: prefix)
    }
    let exclude = WatchedTree.join(folder, ".git/info/exclude")
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
  static func rules(ofFile path: String) -> GitignoreRules? {
    let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    var contents: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 16 * 1024)
    while contents.count < bytesMax {
      let count = read(descriptor, &buffer, buffer.count)
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { break }
      contents += buffer[..<count]
    }
    return GitignoreRules(contents)
  }
}
