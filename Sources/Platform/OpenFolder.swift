// An open folder, in which names are used without following links.

import PlatformShim
package import SystemPackage

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// An open folder.
///
/// Its functions take a name in it, not a path, and do not follow a link of that name: what they do stays in
/// the folder, even if other processes change the paths that lead to it.
package final class OpenFolder: Sendable {
  private let descriptor: Int32

  private init(descriptor: Int32) throws(Errno) {
    guard descriptor >= 0 else { throw .last }
    self.descriptor = descriptor
  }

  deinit { closeDescriptor(descriptor) }

  /// Opens a folder; links on the way are followed.
  ///
  /// - Throws: The system error.
  package convenience init(_ path: String) throws(Errno) {
    try unsafe self.init(descriptor: open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC))
  }

  /// Opens a folder in it.
  ///
  /// - Throws: The system error; that of a link is `Errno.notDirectory` or `Errno.tooManySymbolicLinkLevels`.
  package func folder(_ name: String) throws(Errno) -> OpenFolder {
    try unsafe OpenFolder(
      descriptor: openat(descriptor, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC))
  }

  /// Returns the names in it that are UTF-8.
  ///
  /// - Throws: The system error.
  package func names() throws(Errno) -> [String] {
    var reader = try FolderReader(
      takingDescriptor: unsafe openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC))
    var names: [String] = []
    while let entry = try reader.next() { entry.text.map { names.append($0) } }
    return names
  }

  /// Opens a file in it for reading, without waiting for the other end of a pipe.
  ///
  /// - Throws: The system error; that of a link is `Errno.tooManySymbolicLinkLevels`.
  package func file(_ name: String) throws(Errno) -> OpenFile {
    try OpenFile(
      takingDescriptor: unsafe openat(
        descriptor, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC))
  }

  /// Returns the status of a name; nil if nothing is there.
  package func status(of name: String) -> Stat? {
    try? Stat(bytes: Array(name.utf8), in: descriptor, followsLink: false)
  }

  /// Makes a folder in it, with the permissions that the umask leaves.
  ///
  /// - Throws: The system error.
  package func makeFolder(_ name: String) throws(Errno) {
    guard unsafe mkdirat(descriptor, name, 0o777) == 0 else { throw .last }
  }

  /// Makes a file in it that only this user can read, and opens it for reading and writing.
  ///
  /// - Returns: A descriptor, which the caller closes.
  /// - Throws: The system error, `Errno.fileExists` if there is something of that name.
  package func makeFile(_ name: String) throws(Errno) -> Int32 {
    let flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
    let made = unsafe openat(descriptor, name, flags, 0o600)
    guard made >= 0 else { throw .last }
    return made
  }

  /// Makes a link in it.
  ///
  /// - Throws: The system error.
  package func makeLink(_ name: String, to target: String) throws(Errno) {
    guard unsafe symlinkat(target, descriptor, name) == 0 else { throw .last }
  }

  /// Moves a file or link in it to another folder, in place of what had that name there.
  ///
  /// - Throws: The system error; that of a folder of another file system is `Errno.improperLink`.
  package func move(_ name: String, to other: String, in folder: OpenFolder) throws(Errno) {
    guard unsafe renameat(descriptor, name, folder.descriptor, other) == 0 else { throw .last }
  }

  /// Removes a file or link from it.
  ///
  /// - Throws: The system error.
  package func remove(_ name: String) throws(Errno) {
    guard unsafe unlinkat(descriptor, name, 0) == 0 else { throw .last }
  }

  /// Removes an empty folder from it.
  ///
  /// - Throws: The system error.
  package func removeFolder(_ name: String) throws(Errno) {
    guard unsafe unlinkat(descriptor, name, AT_REMOVEDIR) == 0 else { throw .last }
  }

  /// Sets the mode of a file that is no link.
  ///
  /// - Throws: The system error.
  package func setMode(_ mode: UInt32, of name: String) throws(Errno) {
    guard unsafe fchmodat(descriptor, name, mode_t(mode & 0o777), 0) == 0 else { throw .last }
  }
}

/// Sets the mode of an open file.
///
/// - Throws: The system error.
package func setMode(_ mode: UInt32, ofDescriptor descriptor: Int32) throws(Errno) {
  guard fchmod(descriptor, mode_t(mode & 0o777)) == 0 else { throw .last }
}

/// Sets the time of the last change of an open file.
///
/// - Throws: The system error.
package func setModified(
  _ nanoseconds: Int64, ofDescriptor descriptor: Int32
) throws(Errno) {
  let time = timespec(
    tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
  guard unsafe futimens(descriptor, [time, time]) == 0 else { throw .last }
}

/// Copies the rest of an open file, by sharing its blocks where the file system can do so.
///
/// - Parameters:
///   - source: A descriptor of a regular file.
///   - target: A descriptor of an empty file.
/// - Throws: The system error; a part may have been copied.
package func copyContents(from source: Int32, to target: Int32) throws(Errno) {
  while true {
    let count = reprise_copy_range(source, target, 1 << 30)
    if count > 0 { continue }
    if count == 0 { break }
    let error = Errno.last
    if error == .interrupted { continue }
    // Between file systems, or with an old kernel.
    guard [.improperLink, .invalidArgument, .noFunction, .notSupportedOnSocket].contains(error)
    else { throw error }
    break
  }
  var buffer = [UInt8](repeating: 0, count: 1 << 20)
  while true {
    let count = try readOnce(source, into: &buffer)
    guard count > 0 else { return }
    try writeBytes(Array(buffer[..<count]), to: target)
  }
}
