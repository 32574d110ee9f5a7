// Paths and what can be done with them without opening what they lead to.

package import SystemPackage

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// What a process may do with a file.
package struct AccessRights: OptionSet, Sendable {
  package let rawValue: Int32

  package init(rawValue: Int32) { self.rawValue = rawValue }

  /// It exists.
  package static let existence = Self(rawValue: F_OK)
  /// Write to it.
  package static let writing = Self(rawValue: W_OK)
  /// Execute it, or enter it if it is a folder.
  package static let execution = Self(rawValue: X_OK)
}

/// Whether the user of this process may use what is at a path.
package func mayAccess(_ path: String, _ rights: AccessRights) -> Bool {
  unsafe access(path, rights.rawValue) == 0
}

/// The folder of this process; nil where it has been removed.
package func workingFolder() -> String? {
  guard let path = unsafe getcwd(nil, 0) else { return nil }
  defer { unsafe free(path) }
  return unsafe String(cString: path)
}

/// Goes to another folder.
///
/// - Parameter path: Its path.
/// - Returns: Whether that could be done.
package func changeDirectory(to path: String) -> Bool { unsafe chdir(path) == 0 }

/// The absolute path of a file without symbolic links; nil where there is no such file.
package func realPath(_ path: String) -> String? {
  guard let resolved = unsafe realpath(path, nil) else { return nil }
  defer { unsafe free(resolved) }
  return unsafe String(cString: resolved)
}

/// Where a symbolic link leads; nil where it is none, or not UTF-8.
package func linkTarget(_ path: String) -> String? {
  var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
  let count = unsafe readlink(path, &buffer, buffer.count)
  guard count > 0 else { return nil }
  return String(validating: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
}

/// Makes a folder.
///
/// - Parameters:
///   - path: Its path.
///   - permissions: Its permissions, less those that the umask forbids.
/// - Throws: The error of the system.
package func makeFolder(_ path: String, permissions: FilePermissions) throws(Errno) {
  guard unsafe mkdir(path, permissions.rawValue) == 0 else { throw .last }
}

/// Removes a name, but not that of a folder.
///
/// - Parameter path: The path.
/// - Throws: The error of the system.
package func removeFile(_ path: String) throws(Errno) {
  guard unsafe unlink(path) == 0 else { throw .last }
}

/// Removes an empty folder; nothing happens where that cannot be done.
package func removeFolder(_ path: String) {
  _ = unsafe rmdir(path)
}

/// Gives a file another name, in the place of what has that name.
///
/// - Parameters:
///   - path: The file.
///   - newPath: Its new path.
/// - Throws: The error of the system.
package func renameFile(_ path: String, to newPath: String) throws(Errno) {
  guard unsafe rename(path, newPath) == 0 else { throw .last }
}

/// Sets the permissions of a file.
///
/// - Parameters:
///   - path: The file.
///   - permissions: Its permissions.
/// - Throws: The error of the system.
package func changePermissions(of path: String, to permissions: FilePermissions) throws(Errno) {
  guard unsafe chmod(path, permissions.rawValue) == 0 else { throw .last }
}

/// How many bytes this user can still write to the file system of a folder; nil where that is not known.
package func freeBytes(inFolder path: String) -> UInt64? {
  var status = statvfs()
  guard unsafe statvfs(path, &status) == 0 else { return nil }
  return UInt64(status.f_bavail) * UInt64(status.f_frsize)
}

// MARK: Temporary files

/// Makes an empty file that only this user can read.
///
/// - Parameter prefix: Its path, to which is added what cannot be guessed.
/// - Returns: Its path.
/// - Throws: The error of the system.
package func makeTemporaryFile(_ prefix: String) throws(Errno) -> String {
  var template = temporaryTemplate(prefix)
  let descriptor = unsafe mkstemp(&template)
  guard descriptor >= 0 else { throw .last }
  close(descriptor)
  return text(of: template)
}

/// Makes an empty folder that only this user can enter.
///
/// - Parameter prefix: Its path, to which is added what cannot be guessed.
/// - Returns: Its path.
/// - Throws: The error of the system.
package func makeTemporaryFolder(_ prefix: String) throws(Errno) -> String {
  var template = temporaryTemplate(prefix)
  guard unsafe mkdtemp(&template) != nil else { throw .last }
  return text(of: template)
}

/// Makes a named pipe for this user and opens it in both directions.
///
/// - Parameter path: Its path.
/// - Returns: A descriptor that does not block and is closed in children.
/// - Throws: The error of the system.
package func makeNamedPipe(_ path: String) throws(Errno) -> Int32 {
  guard unsafe mkfifo(path, 0o600) == 0 else { throw .last }
  let descriptor = unsafe open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
  guard descriptor >= 0 else { throw .last }
  return descriptor
}

/// mkstemp(3) and mkdtemp(3) replace six of that letter.
private func temporaryTemplate(_ prefix: String) -> [CChar] {
  Array((prefix + String(repeating: "X", count: 6)).utf8CString)
}

private func text(of template: [CChar]) -> String {
  String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
}
