// Locks of open file descriptions (fcntl(2), F_OFD_SETLK), which belong to an open file instead of
// a process.

package import SystemPackage

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

extension OpenFile {
  /// Locks the whole file exclusively.
  ///
  /// - Parameter waits: Whether to block the thread, without a timeout, until the file can be
  ///   locked.
  /// - Throws: `resourceTemporarilyUnavailable` or `permissionDenied` while it is locked through
  ///   another open file.
  package func lock(waits: Bool = false) throws(Errno) {
    try lock(F_WRLCK, waits: waits)
  }

  /// Locks the whole file together with all who lock it in this way.
  ///
  /// A lock that this open file holds exclusively is shared from now on.
  ///
  /// - Throws: As ``lock(waits:)``, while it is locked exclusively through another open file.
  package func lockTogether() throws(Errno) { try lock(F_RDLCK, waits: false) }

  /// Unlocks the file, also for the processes that have a copy of this open file.
  package func unlock() { try? lock(F_UNLCK, waits: false) }

  private func lock(_ type: Int32, waits: Bool) throws(Errno) {
    var request = Self.wholeFile(type)
    let command = waits ? FileLockCommand.wait : FileLockCommand.set
    while unsafe fcntl(descriptor, command, &request) != 0 {
      let error = Errno.last
      guard error == .interrupted else { throw error }
    }
  }

  /// Returns whether the file is locked through another open file.
  ///
  /// - Throws: The system error.
  package func isLocked() throws(Errno) -> Bool {
    var request = Self.wholeFile()
    guard unsafe fcntl(descriptor, FileLockCommand.ask, &request) == 0 else { throw .last }
    return request.l_type != Int16(F_UNLCK)
  }

  private static func wholeFile(_ type: Int32 = F_WRLCK) -> flock {
    var request = flock()
    request.l_type = Int16(type)
    request.l_whence = Int16(SEEK_SET)
    return request
  }
}
