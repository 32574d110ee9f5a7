// Remembers for a while which files were told as gone. Pure: the time comes from outside.

import Paths

/// Files that were told as gone a short time ago, by folder.
///
/// Who is told that a file is gone may look in a moment in which its folder was back, only to leave
/// again: of the files in it, nothing is known then that could be told. So all are told once more when
/// something more happens to the folder.
struct GoneFiles {
  private struct Folder {
    var names: Set<FileName>
    var toldAt: UInt32
  }

  private var folders: [FileName: Folder] = [:]
  private var prunedAt: UInt32 = 0

  /// Remembers a file.
  ///
  /// - Parameters:
  ///   - path: Its path.
  ///   - seconds: The time.
  mutating func add(_ path: String, at seconds: UInt32) {
    prune(at: seconds)
    let (folder, name) = Self.split(path)
    folders[folder, default: Folder(names: [], toldAt: seconds)].names.insert(name)
    folders[folder]?.toldAt = seconds
  }

  /// Whether a file is remembered.
  ///
  /// - Parameters:
  ///   - path: Its path.
  ///   - seconds: The time.
  /// - Returns: Whether it was told a short time ago.
  mutating func contains(_ path: String, at seconds: UInt32) -> Bool {
    prune(at: seconds)
    guard !folders.isEmpty else { return false }
    let (folder, name) = Self.split(path)
    return folders[folder]?.names.contains(name) ?? false
  }

  private static func split(_ path: String) -> (folder: FileName, name: FileName) {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else {
      return (FileName(""), FileName(path))
    }
    return (
      FileName(String(path[..<slash])),
      FileName(String(path[path.utf8.index(after: slash)...]))
    )
  }

  /// The files in and below a folder, which are told again now.
  ///
  /// Linear in the folders remembered.
  ///
  /// - Parameters:
  ///   - path: The path of the folder; empty for the root.
  ///   - seconds: The time.
  /// - Returns: Their paths.
  mutating func files(below path: String, at seconds: UInt32) -> [String] {
    prune(at: seconds)
    guard !folders.isEmpty else { return [] }
    let prefix = Array(path.utf8)
    var paths: [String] = []
    for folder in folders.keys.map(\.text) {
      let bytes = folder.utf8
      guard prefix.isEmpty || bytes.starts(with: prefix) else { continue }
      let next = bytes.dropFirst(prefix.count).first
      guard prefix.isEmpty || next == nil || next == UInt8(ascii: "/") else { continue }
      folders[FileName(folder)]?.toldAt = seconds
      paths += folders[FileName(folder)]?.names.map { joinedPath(folder, $0.text) } ?? []
    }
    return paths
  }

  private mutating func prune(at seconds: UInt32) {
    guard seconds != prunedAt, !folders.isEmpty else { return }
    prunedAt = seconds
    folders = folders.filter { seconds < $0.value.toldAt &+ FileStamp.unrestSeconds }
  }
}
