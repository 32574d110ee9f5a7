// The files of a workflow: those on disk, or those that were kept with a run. Knows not what they say.

import Platform

/// Where the files come from that a workflow uses.
public struct SourceFiles: Sendable {
  private let kept: [String: String]?
  /// Files of variables that are not those on disk, by path.
  private let variables: [String: String]

  /// The files on disk.
  public static let disk = SourceFiles(kept: nil, variables: [:])

  /// Files as they were when something was kept; no others are there.
  ///
  /// - Parameter texts: Their texts, by path relative to the folder of the file that is run.
  /// - Returns: The files.
  public static func kept(_ texts: [String: String]) -> SourceFiles {
    kept(texts, variables: [:])
  }

  /// The same, with files of variables as well.
  static func kept(_ texts: [String: String], variables: [String: String]) -> SourceFiles {
    SourceFiles(kept: texts, variables: variables)
  }

  /// The content of a file.
  ///
  /// - Parameters:
  ///   - path: Where it is on disk.
  ///   - key: Its path relative to the folder of the file that is run.
  /// - Returns: Its bytes.
  /// - Throws: ``ReadError``.
  func bytes(_ path: String, keptAs key: String) throws(ReadError) -> [UInt8] {
    guard let kept else { return try Workflow.bytes(ofRegularFile: path) }
    guard let text = kept[key] else { throw .notKept }
    return Array(text.utf8)
  }

  /// The content of a file of variables.
  ///
  /// It is the one on disk, except in examples: what it holds must not be kept.
  ///
  /// - Parameter path: The path of the file.
  /// - Returns: Its bytes, at most one more than a file may have.
  /// - Throws: ``ReadError`` when it is no regular file or cannot be read.
  func dotenv(_ path: String) throws(ReadError) -> [UInt8] {
    if let text = variables[path] { return Array(text.utf8) }
    return try Workflow.bytes(ofRegularFile: path, upTo: Self.dotenvBytesMax)
  }

  /// Whether a file lies in the folder of another one, or below it, also when links are followed.
  func isInside(_ path: String, rootFile: String) -> Bool {
    let folder = Self.folder(of: Self.normalized(rootFile))
    let isBelow =
      folder.isEmpty
      ? !path.hasPrefix("../") && path != ".." && !path.hasPrefix("/")
      : path.hasPrefix(folder + "/")
    guard isBelow, kept == nil, let real = realPath(path),
      let realFolder = realPath(folder.isEmpty ? "." : folder)
    else { return isBelow }
    return real.hasPrefix(realFolder == "/" ? "/" : realFolder + "/")
  }

  /// The folder of a file, empty for the present one.
  static func folder(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "" }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  /// A path relative to a folder, without `.` and with `..` taken away as far as can be.
  static func joined(_ folder: String, _ name: String) -> String {
    normalized(folder.isEmpty ? name : folder + "/" + name)
  }

  static func normalized(_ path: String) -> String {
    var parts: [Substring] = []
    for part in path.split(separator: "/") where part != "." {
      if part == "..", let last = parts.last, last != ".." {
        parts.removeLast()
      } else if part != ".." || !path.hasPrefix("/") {
        parts.append(part)
      }
    }
    return (path.hasPrefix("/") ? "/" : "") + parts.joined(separator: "/")
  }
}
