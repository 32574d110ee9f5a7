// Remembers recently removed files. Pure: the time is a parameter.

import Paths

/// Files that were reported as removed a short time ago, by folder.
///
/// After a removal is reported, the folder may be restored for a moment and removed again. A
/// subscriber may then have read the restored files, although this watch never saw them. So all of
/// the removed files are reported again when something else happens to the folder.
struct RemovedFiles {
  private struct Folder {
    var names: Set<FileName>
    var reportedAt: UInt32
  }

  private var folders: [FileName: Folder] = [:]
  private var prunedAt: UInt32 = 0

  /// Adds a removed file.
  ///
  /// - Parameters:
  ///   - path: The path of the file.
  ///   - seconds: The current time.
  mutating func add(_ path: String, at seconds: UInt32) {
    prune(at: seconds)
    let (folder, name) = Self.split(path)
    folders[folder, default: Folder(names: [], reportedAt: seconds)].names.insert(name)
    folders[folder]?.reportedAt = seconds
  }

  /// Returns whether a file was reported as removed a short time ago.
  ///
  /// - Parameters:
  ///   - path: The path of the file.
  ///   - seconds: The current time.
  /// - Returns: Whether it was.
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

  /// Returns the removed files in and below a folder, to be reported again.
  ///
  /// Linear in the number of folders with removed files.
  ///
  /// - Parameters:
  ///   - path: The path of the folder; empty for the root.
  ///   - seconds: The current time.
  /// - Returns: The paths of the files.
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
      folders[FileName(folder)]?.reportedAt = seconds
      paths += folders[FileName(folder)]?.names.map { joinedPath(folder, $0.text) } ?? []
    }
    return paths
  }

  private mutating func prune(at seconds: UInt32) {
    guard seconds != prunedAt, !folders.isEmpty else { return }
    prunedAt = seconds
    folders = folders.filter { seconds < $0.value.reportedAt &+ FileStamp.recentSeconds }
  }
}
