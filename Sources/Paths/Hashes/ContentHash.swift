// Hashes of file contents.

import Platform

/// Returns a hash of the contents of a file and its owner's execute permission.
///
/// The SHA-256 of `x` for an executable file or `-` for any other, followed by the contents.
/// Symbolic links are followed.
///
/// - Parameter path: The path of the file.
/// - Returns: 64 hexadecimal digits, or nil if the file does not exist.
/// - Throws: ``FileError`` if the file cannot be read or is not a regular file.
package func contentHash(ofFile path: String) throws(FileError) -> String? {
  let content: HashedContent
  do throws(Errno) {
    content = try HashedContent(ofFile: path)
  } catch {
    guard error == .noSuchFileOrDirectory || error == .notDirectory else {
      throw .system(path, error)
    }
    return nil
  }
  switch content {
  case .file(let hash): return hash
  case .noFile(let reason): throw .unreadable(path: path, reason: reason)
  }
}

/// Returns the hash that ``contentHash(ofFile:)`` has for a file with some contents.
package func contentHash(of contents: [UInt8], isExecutable: Bool) -> String {
  var hash = SHA256()
  hash.update([UInt8(ascii: isExecutable ? "x" : "-")])
  hash.update(contents)
  return hash.hexadecimal
}

/// The hash of a file, or the reason why it cannot be hashed.
private enum HashedContent {
  case file(hash: String)
  case noFile(reason: String)

  init(ofFile path: String) throws(Errno) {
    // Check before opening: opening a pipe blocks, and opening a device can have side effects.
    if let reason = Self.rejectionReason(try Stat(at: path)) {
      self = .noFile(reason: reason)
      return
    }
    let file = try OpenFile(path, options: [.nonBlocking, .noControllingTerminal])
    // Check again: the file may have been replaced.
    let status = try file.status()
    if let reason = Self.rejectionReason(status) {
      self = .noFile(reason: reason)
      return
    }
    var hash = SHA256()
    hash.update([UInt8(ascii: status.permissions.contains(.ownerExecute) ? "x" : "-")])
    try file.readPieces { piece in
      hash.update(piece)
      return true
    }
    self = .file(hash: hash.hexadecimal)
  }

  /// Returns the reason why a file is not a regular file; nil if it is one.
  private static func rejectionReason(_ status: Stat) -> String? {
    switch status.type {
    case .regular: nil
    case .directory: "it is a folder, not a file"
    default: "it is a pipe, a socket or a device, not a file"
    }
  }
}

/// Returns a hash of the contents of what a search has found.
///
/// That of a link depends on its target text, and on the contents of the file behind it.
///
/// - Parameters:
///   - file: What was found.
///   - folder: The path of the folder of the search.
/// - Returns: 64 hexadecimal digits, or nil if it no longer exists.
/// - Throws: ``FileError`` if it cannot be read.
package func contentHash(of file: FoundFile, in folder: String) throws(FileError) -> String? {
  let path = joinedPath(folder, file.path)
  var hash = SHA256()
  switch file.kind {
  case .file: return try contentHash(ofFile: path)
  case .link:
    let isFile = (try? Stat(at: path))?.type == .regular
    let contents = isFile ? try contentHash(ofFile: path) : nil
    guard let target = linkTarget(path) else { return contents }
    hash.update("link \(target)\0\(contents ?? "")".utf8)
  case .folder: hash.update("folder".utf8)
  }
  return hash.hexadecimal
}

/// Returns a hash of the names and contents of all files that match patterns.
///
/// The SHA-256 of the following for each file and symbolic link, in the order of ``FileSearch``: its
/// relative path, a zero byte, its ``contentHash(of:in:)`` and a line feed. Those deleted during the
/// search are skipped.
///
/// - Parameters:
///   - patterns: The patterns, as in ``FileSearch``.
///   - folder: The path of the folder to which the patterns are relative.
///   - searches: A cache of parsed searches.
/// - Returns: 64 hexadecimal digits, or an empty text if no file matches.
/// - Throws: ``FileError`` if a pattern is invalid or a file cannot be read.
package func contentHash(
  ofFiles patterns: [String], in folder: String, _ searches: FileSearches = FileSearches()
) throws(FileError) -> String {
  let search: FileSearch
  do throws(GlobError) {
    search = try searches.search(for: patterns)
  } catch {
    throw .badPattern(error)
  }
  var hash = SHA256()
  var isEmpty = true
  for file in try search.contents(in: folder) where file.kind != .folder {
    guard let content = try contentHash(of: file, in: folder) else { continue }
    isEmpty = false
    hash.update("\(file.path)\0\(content)\n".utf8)
  }
  return isEmpty ? "" : hash.hexadecimal
}
