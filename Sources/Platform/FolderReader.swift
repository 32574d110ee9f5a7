// Reads folders; the only user of readdir(3).

package import SystemPackage

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Iterates over the names in a folder; the folder is closed when the value is destroyed.
///
/// Skips `.` and `..`.
@safe package struct FolderReader: ~Copyable {
  /// A name in a folder.
  package struct Entry {
    /// The bytes, which need not be UTF-8.
    package let name: [UInt8]
    /// The kind of entry, as far as the folder records it.
    package let kind: Kind

    /// The name as a string; nil if it is not UTF-8.
    package var text: String? { String(validating: name, as: UTF8.self) }
    /// The name as a string, with invalid UTF-8 replaced by U+FFFD.
    package var repairedText: String { String(decoding: name, as: UTF8.self) }
  }

  /// The kind of entry as recorded in a folder.
  package enum Kind {
    case file
    case folder
    case link
    /// Unknown, because the file system does not record it.
    case unknown
    /// A pipe, a socket or a device.
    case other
  }

  /// The descriptor of the folder, owned by this value.
  package let descriptor: Int32
  private let stream: Stream

  #if canImport(Glibc) || canImport(Musl)
  private typealias Stream = OpaquePointer
  #else
  private typealias Stream = UnsafeMutablePointer<DIR>
  #endif

  /// Opens a folder.
  ///
  /// - Parameters:
  ///   - path: The path.
  ///   - followsLink: Whether the path may be a symbolic link to a folder.
  /// - Throws: The system error.
  package init(_ path: String, followsLink: Bool = true) throws(Errno) {
    try self.init(Array(path.utf8), followsLink: followsLink)
  }

  /// Opens a folder by a path that need not be UTF-8.
  ///
  /// - Parameters:
  ///   - path: The bytes of the path.
  ///   - followsLink: Whether the path may be a symbolic link to a folder.
  /// - Throws: The system error.
  package init(_ path: [UInt8], followsLink: Bool = true) throws(Errno) {
    // These flags make open(2) fail for anything except a folder, and for a link.
    let flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC | (followsLink ? 0 : O_NOFOLLOW)
    try self.init(takingDescriptor: unsafe withPath(path) { unsafe open($0, flags) })
  }

  /// Takes the result of open(2) or openat(2).
  ///
  /// - Throws: The last system error if it is negative.
  init(takingDescriptor opened: Int32) throws(Errno) {
    guard opened >= 0 else { throw .last }
    guard let stream = unsafe fdopendir(opened) else {
      let error = Errno.last
      close(opened)
      throw error
    }
    descriptor = opened
    unsafe self.stream = stream
  }

  deinit {
    _ = unsafe closedir(stream)
  }

  /// Reads the status of the folder.
  package func status() throws(Errno) -> Stat { try Stat(FileDescriptor(rawValue: descriptor)) }

  /// Reads the next entry.
  ///
  /// - Returns: The entry; nil at the end, and if the folder was removed after it was opened.
  /// - Throws: The system error if the rest of the folder cannot be read.
  package mutating func next() throws(Errno) -> Entry? {
    while true {
      errno = 0
      guard let entry = unsafe readdir(stream) else {
        guard errno == 0 || errno == ENOENT else { throw .last }
        return nil
      }
      let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        // The field is declared with a fixed size, but may be longer.
        let start = unsafe UnsafeRawPointer(pointer).assumingMemoryBound(to: CChar.self)
        return unsafe Array(UnsafeRawBufferPointer(start: start, count: strlen(start)))
      }
      let dot = UInt8(ascii: ".")
      if name == [dot] || name == [dot, dot] { continue }
      return unsafe Entry(name: name, kind: Self.kind(ofType: Int(entry.pointee.d_type)))
    }
  }

  /// Returns the names in a folder, as far as it can be read.
  ///
  /// - Parameter path: The path.
  /// - Returns: The names in no particular order; empty if there is no such folder.
  package static func names(in path: String) -> [String] {
    var names: [String] = []
    do throws(Errno) {
      var folder = try FolderReader(path)
      while let entry = try folder.next() { names.append(entry.repairedText) }
    } catch {
      // Return the names that were read until now.
    }
    return names
  }

  private static func kind(ofType type: Int) -> Kind {
    switch type {
    case Int(DT_REG): .file
    case Int(DT_DIR): .folder
    case Int(DT_LNK): .link
    case Int(DT_UNKNOWN): .unknown
    default: .other
    }
  }
}

/// Calls a closure with a path as a C string.
func withPath<Result>(_ path: [UInt8], _ body: (UnsafePointer<CChar>) -> Result) -> Result {
  let text = path.map { CChar(bitPattern: $0) } + [0]
  return unsafe text.withUnsafeBufferPointer { buffer in
    guard let start = buffer.baseAddress else {
      preconditionFailure("BUG: a C string has at least its terminator")
    }
    return unsafe body(start)
  }
}
