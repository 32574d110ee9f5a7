// Hashes of what files contain. Knows not what they are compared with.

import Platform

/// A hash of what a file contains and of whether its owner may execute it.
///
/// It is the SHA-256 of an `x` or, for what is not executable, a `-`, and of the content. Of a
/// symbolic link the file counts to which it points.
///
/// - Parameter path: The path of the file.
/// - Returns: 64 hexadecimal digits, or nil where there is no such file.
/// - Throws: ``FileError`` when it cannot be read, or is no regular file.
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

/// What has been found at a path.
private enum HashedContent {
  case file(hash: String)
  case noFile(reason: String)

  init(ofFile path: String) throws(Errno) {
    // A pipe waits for a writer when it is opened, and a device may do anything.
    if let reason = Self.reasonAgainst(try Stat(at: path)) {
      self = .noFile(reason: reason)
      return
    }
    let file = try OpenFile(path, options: [.nonBlocking, .noControllingTerminal])
    // By now there may be something else.
    let status = try file.status()
    if let reason = Self.reasonAgainst(status) {
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

  /// Why there is no regular file; nil where there is one.
  private static func reasonAgainst(_ status: Stat) -> String? {
    switch status.type {
    case .regular: nil
    case .directory: "it is a folder, not a file"
    default: "it is a pipe, a socket or a device, not a file"
    }
  }
}

/// A hash of the names and contents of all files that patterns mean.
///
/// It is the SHA-256 of, for each file in the order of ``FileSearch``, its relative path, a zero
/// byte, its ``contentHash(ofFile:)`` and a line feed. A file that vanishes meanwhile is left out.
///
/// - Parameters:
///   - patterns: The patterns, as in ``FileSearch``.
///   - folder: The path of the folder to which they are relative.
///   - searches: The searches that were read before.
/// - Returns: 64 hexadecimal digits, or an empty text when there is no such file.
/// - Throws: ``FileError`` when a pattern makes no sense or something cannot be read.
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
  for file in try search.files(in: folder) {
    guard let content = try contentHash(ofFile: joinedPath(folder, file)) else { continue }
    isEmpty = false
    hash.update("\(file)\0\(content)\n".utf8)
  }
  return isEmpty ? "" : hash.hexadecimal
}
