// Locks of open file descriptions (fcntl(2), F_OFD_SETLK): they belong to an opened file and not to a process.

package import SystemPackage

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

extension OpenFile {
  /// Locks the whole file against all others who lock it.
  ///
  /// - Parameter waits: Whether the thread is blocked until it can be locked, however long that takes.
  /// - Throws: `resourceTemporarilyUnavailable` or `permissionDenied` while another opened file has it locked.
  package func lock(waits: Bool = false) throws(Errno) {
    var request = Self.wholeFile()
    let command = waits ? FileLockCommand.wait : FileLockCommand.set
    while unsafe fcntl(descriptor, command, &request) != 0 {
      let error = Errno.last
      guard error == .interrupted else { throw error }
    }
  }

  /// Whether another opened file has it locked.
  ///
  /// - Throws: The error of the system.
  package func isLocked() throws(Errno) -> Bool {
    var request = Self.wholeFile()
    guard unsafe fcntl(descriptor, FileLockCommand.ask, &request) == 0 else { throw .last }
    return request.l_type != Int16(F_UNLCK)
  }

  private static func wholeFile() -> flock {
    var request = flock()
    request.l_type = Int16(F_WRLCK)
    request.l_whence = Int16(SEEK_SET)
    return request
  }
}
