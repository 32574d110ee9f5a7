// Reads folders: the one place that calls readdir.

package import SystemPackage

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The names in a folder, one by one; the end of the value closes the folder.
///
/// The folder itself and its parent are left out.
@safe package struct FolderReader: ~Copyable {
  /// A name in a folder.
  package struct Entry {
    /// Its bytes, which need not be UTF-8.
    package let name: [UInt8]
    /// What it is, as far as the folder records it.
    package let kind: Kind

    /// The name as a text; nil where it is not UTF-8.
    package var text: String? { String(validating: name, as: UTF8.self) }
    /// The name as a text; what is not UTF-8 is replaced by U+FFFD.
    package var repairedText: String { String(decoding: name, as: UTF8.self) }
  }

  /// What a folder records of an entry.
  package enum Kind {
    case file
    case folder
    case link
    /// A file system that does not record it.
    case unknown
    /// A pipe, a socket or a device.
    case other
  }

  /// The descriptor of the folder, which this value closes.
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
  ///   - path: Its path.
  ///   - followsLink: Whether it may be a symbolic link to a folder.
  /// - Throws: The error of the system.
  package init(_ path: String, followsLink: Bool = true) throws(Errno) {
    try self.init(Array(path.utf8), followsLink: followsLink)
  }

  /// Opens a folder by a path that need not be UTF-8.
  ///
  /// - Parameters:
  ///   - path: The bytes of its path.
  ///   - followsLink: Whether it may be a symbolic link to a folder.
  /// - Throws: The error of the system.
  package init(_ path: [UInt8], followsLink: Bool = true) throws(Errno) {
    // With these flags nothing but a folder is opened, and what has become a link is none.
    let flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC | (followsLink ? 0 : O_NOFOLLOW)
    let opened = unsafe withPath(path) { unsafe open($0, flags) }
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

  /// Reads its status.
  package func status() throws(Errno) -> Stat { try Stat(FileDescriptor(rawValue: descriptor)) }

  /// Reads the next entry.
  ///
  /// - Returns: The entry; nil at the end, and where the folder has been removed since it was opened.
  /// - Throws: The error of the system where the folder cannot be read any further.
  package mutating func next() throws(Errno) -> Entry? {
    while true {
      errno = 0
      guard let entry = unsafe readdir(stream) else {
        guard errno == 0 || errno == ENOENT else { throw .last }
        return nil
      }
      let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        // The field is declared with a fixed size, and may be longer.
        let start = unsafe UnsafeRawPointer(pointer).assumingMemoryBound(to: CChar.self)
        return unsafe Array(UnsafeRawBufferPointer(start: start, count: strlen(start)))
      }
      let dot = UInt8(ascii: ".")
      if name == [dot] || name == [dot, dot] { continue }
      return unsafe Entry(name: name, kind: Self.kind(ofType: Int(entry.pointee.d_type)))
    }
  }

  /// Reads the names in a folder, as far as it can be read.
  ///
  /// - Parameter path: Its path.
  /// - Returns: The names in no order; none where there is no such folder.
  package static func names(in path: String) -> [String] {
    var names: [String] = []
    do throws(Errno) {
      var folder = try FolderReader(path)
      while let entry = try folder.next() { names.append(entry.repairedText) }
    } catch {
      // What has been read until now is what there is to be found.
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

/// Lends a path as C takes it.
func withPath<Result>(_ path: [UInt8], _ body: (UnsafePointer<CChar>) -> Result) -> Result {
  let text = path.map { CChar(bitPattern: $0) } + [0]
  return unsafe text.withUnsafeBufferPointer { buffer in
    guard let start = buffer.baseAddress else {
      preconditionFailure("BUG: a path has its zero byte at least")
    }
    return unsafe body(start)
  }
}
