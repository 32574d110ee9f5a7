// Operations on paths.

package import SystemPackage

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The access rights of a process to a file.
package struct AccessRights: OptionSet, Sendable {
  package let rawValue: Int32

  package init(rawValue: Int32) { self.rawValue = rawValue }

  /// The file exists.
  package static let existence = Self(rawValue: F_OK)
  /// The process may write to the file.
  package static let writing = Self(rawValue: W_OK)
  /// The process may execute the file, or enter the folder.
  package static let execution = Self(rawValue: X_OK)
}

/// Returns whether this process has access rights to a path.
package func mayAccess(_ path: String, _ rights: AccessRights) -> Bool {
  unsafe access(path, rights.rawValue) == 0
}

/// Returns the working directory of this process; nil if it was removed.
package func workingFolder() -> String? {
  guard let path = unsafe getcwd(nil, 0) else { return nil }
  defer { unsafe free(path) }
  return unsafe String(cString: path)
}

/// Returns the working directory of this process as its user has written it, with symbolic links.
///
/// - Parameter claimed: The value of `PWD`, which may be wrong.
/// - Returns: The path; nil if the directory was removed.
package func writtenWorkingFolder(_ claimed: String?) -> String? {
  if let claimed, claimed.hasPrefix("/"), !hasDots(claimed), isSameFile(claimed, ".") {
    return claimed
  }
  return workingFolder()
}

/// Returns the absolute path of a folder as it is written, with symbolic links.
///
/// A path with `..` is resolved, because with links its text does not say where it leads.
///
/// - Parameters:
///   - path: The path, relative to the working directory of this process.
///   - claimed: The value of `PWD` in that directory, which may be wrong.
/// - Returns: The path; nil if the working directory was removed.
package func writtenFolder(_ path: String, from claimed: String?) -> String? {
  var whole = path
  if !path.hasPrefix("/") {
    guard let folder = writtenWorkingFolder(claimed) else { return nil }
    whole = folder + "/" + path
  }
  let parts = whole.split(separator: "/").filter { $0 != "." }
  let written = "/" + parts.joined(separator: "/")
  return parts.contains("..") ? realPath(written) ?? written : written
}

/// Returns whether a path has the components `.` or `..`.
private func hasDots(_ path: String) -> Bool {
  path.split(separator: "/").contains { $0 == "." || $0 == ".." }
}

private func isSameFile(_ first: String, _ second: String) -> Bool {
  guard let first = try? Stat(at: first), let second = try? Stat(at: second) else { return false }
  return first.deviceID == second.deviceID && first.inode == second.inode
}

/// Changes the working directory.
///
/// - Parameter path: The path.
/// - Returns: Whether it was changed.
package func changeDirectory(to path: String) -> Bool { unsafe chdir(path) == 0 }

/// Returns the absolute path of a file without symbolic links; nil if it does not exist.
package func realPath(_ path: String) -> String? {
  guard let resolved = unsafe realpath(path, nil) else { return nil }
  defer { unsafe free(resolved) }
  return unsafe String(cString: resolved)
}

/// Returns the target of a symbolic link; nil if it is not a link, or if the target is not UTF-8.
package func linkTarget(_ path: String) -> String? {
  var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
  let count = unsafe readlink(path, &buffer, buffer.count)
  guard count > 0 else { return nil }
  return String(validating: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
}

/// Gives a file another name.
///
/// - Parameters:
///   - path: The path of the file.
///   - newPath: The other path, where nothing must be.
/// - Throws: The system error, `Errno.fileExists` if there is something.
package func linkFile(_ path: String, as newPath: String) throws(Errno) {
  guard unsafe link(path, newPath) == 0 else { throw .last }
}

/// Creates a folder.
///
/// - Parameters:
///   - path: The path.
///   - permissions: The permissions, without those that the umask removes.
/// - Throws: The system error.
package func makeFolder(_ path: String, permissions: FilePermissions) throws(Errno) {
  guard unsafe mkdir(path, permissions.rawValue) == 0 else { throw .last }
}

/// Creates a folder and those above it that are missing, for this user only.
///
/// - Throws: The system error.
package func makeFolderTree(_ path: String) throws(Errno) {
  guard !path.isEmpty, !mayAccess(path, .existence) else { return }
  let parent = path.split(separator: "/").dropLast().joined(separator: "/")
  try makeFolderTree((path.hasPrefix("/") ? "/" : "") + parent)
  do throws(Errno) {
    try makeFolder(path, permissions: .ownerReadWriteExecute)
  } catch {
    if error != .fileExists { throw error }
  }
}

/// Removes a file or link, but not a folder.
///
/// - Parameter path: The path.
/// - Throws: The system error.
package func removeFile(_ path: String) throws(Errno) {
  guard unsafe unlink(path) == 0 else { throw .last }
}

/// Removes an empty folder; ignores errors.
package func removeFolder(_ path: String) {
  _ = unsafe rmdir(path)
}

/// Renames a file, replacing an existing file of the new name.
///
/// - Parameters:
///   - path: The path.
///   - newPath: The new path.
/// - Throws: The system error.
package func renameFile(_ path: String, to newPath: String) throws(Errno) {
  guard unsafe rename(path, newPath) == 0 else { throw .last }
}

/// Sets the permissions of a file.
///
/// - Parameters:
///   - path: The path.
///   - permissions: The permissions.
/// - Throws: The system error.
package func changePermissions(of path: String, to permissions: FilePermissions) throws(Errno) {
  guard unsafe chmod(path, permissions.rawValue) == 0 else { throw .last }
}

/// Returns the number of bytes that this user can still write to the file system of a folder; nil
/// if unknown.
package func freeBytes(inFolder path: String) -> UInt64? {
  var status = statvfs()
  guard unsafe statvfs(path, &status) == 0 else { return nil }
  return UInt64(status.f_bavail) * UInt64(status.f_frsize)
}

// MARK: Temporary files

/// Creates an empty file that only this user can read.
///
/// - Parameter prefix: The beginning of the path, to which random characters are appended.
/// - Returns: The path.
/// - Throws: The system error.
package func makeTemporaryFile(_ prefix: String) throws(Errno) -> String {
  try unsafe temporaryPath(prefix) { template in
    let descriptor = unsafe mkstemp(template)
    if descriptor >= 0 { close(descriptor) }
    return descriptor >= 0
  }
}

/// Creates an empty folder that only this user can enter.
///
/// - Parameter prefix: The beginning of the path, to which random characters are appended.
/// - Returns: The path.
/// - Throws: The system error.
package func makeTemporaryFolder(_ prefix: String) throws(Errno) -> String {
  try unsafe temporaryPath(prefix) { template in unsafe mkdtemp(template) != nil }
}

/// Creates a named pipe for this user and opens it in both directions.
///
/// - Parameter path: The path.
/// - Returns: A non-blocking descriptor with close-on-exec.
/// - Throws: The system error.
package func makeNamedPipe(_ path: String) throws(Errno) -> Int32 {
  guard unsafe mkfifo(path, 0o600) == 0 else { throw .last }
  let descriptor = unsafe open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
  guard descriptor >= 0 else { throw .last }
  return descriptor
}

/// The end of a template, which mkstemp(3) and mkdtemp(3) replace.
private let placeholder = String(repeating: "X", count: 6)

/// Calls mkstemp(3) or mkdtemp(3), which replace the end of a template, and returns the path that they
/// have made of it.
private func temporaryPath(
  _ prefix: String, _ make: (UnsafeMutablePointer<CChar>) -> Bool
) throws(Errno) -> String {
  var template = (prefix + placeholder).utf8CString
  let path: String? = unsafe template.withUnsafeMutableBufferPointer { template in
    guard let start = template.baseAddress, unsafe make(start) else { return nil }
    return unsafe String(
      decoding: UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(template).dropLast()),
      as: UTF8.self)
  }
  guard let path else { throw .last }
  return path
}
