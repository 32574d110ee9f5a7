// What stands at a path and in a folder, for whoever looks for files. Knows no patterns.

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Something in a folder.
///
/// Names and paths are bytes, since they need not be well-formed UTF-8.
struct FolderEntry {
  /// What it is.
  enum Kind {
    /// A regular file, or a symbolic link to one.
    case file
    case folder
    case linkToFolder
    /// Not known from the folder alone: a symbolic link, or a file system that does not tell.
    case unknown
    /// A pipe, a socket, a device, or a symbolic link to no file.
    case other
  }

  let name: [UInt8]
  let kind: Kind

  /// Reads a folder.
  ///
  /// - Parameters:
  ///   - path: Its path.
  ///   - followsLink: Whether it may be a symbolic link to a folder.
  /// - Returns: What it contains, in no order; nothing where there is no such folder.
  /// - Throws: ``FileError`` when it cannot be read.
  static func entries(
    ofFolder path: [UInt8], followsLink: Bool
  ) throws(FileError) -> [FolderEntry] {
    // With these flags nothing but a folder is opened, and what has become a link is none.
    let flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC | (followsLink ? 0 : O_NOFOLLOW)
    let (descriptor, number) = call(path) { open($0, flags) }
    guard descriptor >= 0 else {
      if isMissing(number) { return [] }
      throw .system(String(decoding: path, as: UTF8.self), number)
    }
    guard let stream = fdopendir(descriptor) else {
      defer { close(descriptor) }
      throw .system(String(decoding: path, as: UTF8.self), errno)
    }
    defer { closedir(stream) }
    var entries: [FolderEntry] = []
    errno = 0
    while let entry = readdir(stream) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        let start = UnsafeRawPointer(pointer).assumingMemoryBound(to: CChar.self)
        return Array(UnsafeRawBufferPointer(start: start, count: strlen(start)))
      }
      let dot = UInt8(ascii: ".")
      if name != [dot] && name != [dot, dot] {
        entries.append(FolderEntry(name: name, kind: kind(ofType: Int(entry.pointee.d_type))))
      }
      errno = 0
    }
    // A folder that was removed while it was read has no more entries.
    guard errno == 0 || isMissing(errno) else {
      throw .system(String(decoding: path, as: UTF8.self), errno)
    }
    return entries
  }

  private static func kind(ofType type: Int) -> Kind {
    switch type {
    case Int(DT_REG): .file
    case Int(DT_DIR): .folder
    case Int(DT_LNK), Int(DT_UNKNOWN): .unknown
    default: .other
    }
  }

  /// Looks at a path.
  ///
  /// - Parameter path: Any path.
  /// - Returns: What stands there, never ``Kind/unknown``; nil where there is nothing.
  /// - Throws: ``FileError`` when this cannot be told.
  static func kind(of path: [UInt8]) throws(FileError) -> Kind? {
    var status = stat()
    var (result, number) = call(path) { lstat($0, &status) }
    if result != 0 && isMissing(number) { return nil }
    let isLink = result == 0 && status.st_mode & S_IFMT == S_IFLNK
    if isLink { (result, number) = call(path) { stat($0, &status) } }
    // A link to nothing, or to itself.
    if result != 0 && isMissing(number) { return .other }
    guard result == 0 else { throw .system(String(decoding: path, as: UTF8.self), number) }
    switch status.st_mode & S_IFMT {
    case S_IFREG: return .file
    case S_IFDIR: return isLink ? .linkToFolder : .folder
    default: return .other
    }
  }

  /// Whether an error of the system says that there is nothing of that name.
  private static func isMissing(_ number: Int32) -> Bool {
    number == ENOENT || number == ENOTDIR || number == ELOOP
  }

  /// Makes a system call with a path, and keeps the number of its error.
  private static func call(
    _ path: [UInt8], _ body: (UnsafePointer<CChar>) -> Int32
  ) -> (result: Int32, number: Int32) {
    let text = path.map { CChar(bitPattern: $0) } + [0]
    return text.withUnsafeBufferPointer { buffer in
      guard let start = buffer.baseAddress else {
        preconditionFailure("there is the zero at least")
      }
      let result = body(start)
      return (result, errno)
    }
  }
}
