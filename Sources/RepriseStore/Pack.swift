// A pack: the contents of the small files of a result, one after the other.

import Paths
import Platform
import Reprise

/// Writes a pack.
struct PackWriter: ~Copyable {
  private let file: OpenFile
  private var buffer: [UInt8] = []
  private var written: Int64 = 0
  private var count = 0

  init(_ path: String) throws(Errno) {
    file = try OpenFile(
      path, .writeOnly, options: [.create, .exclusiveCreate], permissions: .ownerReadWrite)
  }

  /// Adds the content of a file.
  ///
  /// - Returns: Its position in the pack.
  /// - Throws: An error if it cannot be read, or is not what it was any more.
  mutating func add(_ file: StoredResult.File, from folder: String) throws -> Int64 {
    let source = try OpenFile(joinedPath(folder, file.path), options: [.noFollow, .nonBlocking])
    let bytes = try source.readAll(upTo: Int(LocalStore.largeBytes))
    guard contentHash(of: bytes, isExecutable: file.mode & 0o100 != 0) == file.content else {
      throw StoreProblem("\"\(file.path)\" changes")
    }
    let offset = written + Int64(buffer.count)
    count += 1
    buffer += bytes
    if buffer.count > 1 << 20 { try flush() }
    return offset
  }

  /// Writes the rest.
  ///
  /// - Returns: Whether the pack contains a file, perhaps an empty one.
  mutating func end() throws(Errno) -> Bool {
    try flush()
    return count > 0
  }

  private mutating func flush() throws(Errno) {
    try writeBytes(buffer, to: file.descriptor)
    written += Int64(buffer.count)
    buffer.removeAll(keepingCapacity: true)
  }
}

/// Reads a pack.
struct PackReader: ~Copyable {
  private let file: OpenFile

  init(_ path: String) throws(Errno) { file = try OpenFile(path) }

  /// Writes the content of a file to a descriptor.
  ///
  /// - Throws: An error if the pack is damaged; nothing has been written then.
  func copy(_ stored: StoredResult.File, to target: Int32) throws {
    try writeBytes(try content(of: stored), to: target)
  }

  /// Returns the content of a file.
  ///
  /// - Throws: An error if the pack is damaged.
  func content(of stored: StoredResult.File) throws -> [UInt8] {
    guard let offset = stored.offset, offset >= 0, stored.size >= 0,
      stored.size <= LocalStore.largeBytes
    else {
      throw StoreProblem("the place of \"\(stored.path)\" is not valid", isAboutContent: true)
    }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(Int(stored.size))
    while Int64(bytes.count) < stored.size {
      var piece = [UInt8](repeating: 0, count: Int(stored.size) - bytes.count)
      let count = try file.readOnce(at: offset + Int64(bytes.count), into: &piece)
      guard count > 0 else { break }
      bytes += piece[..<count]
    }
    guard contentHash(of: bytes, isExecutable: stored.mode & 0o100 != 0) == stored.content else {
      throw StoreProblem(
        "the content of \"\(stored.path)\" is not what it should be", isAboutContent: true)
    }
    return bytes
  }
}
