// Checks whether a process has a file open for writing.

#if os(Linux)
#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Returns whether no process has a regular file open for writing.
///
/// The system grants a read lease only in that case; the lease is released immediately. See
/// fcntl(2), "Leases".
///
/// - Parameter path: The path of the file.
/// - Returns: Nil if unknown: for a file of another user, or a file system without leases.
package func hasNoWriter(_ path: String) -> Bool? {
  // Missing in the headers as Swift imports them; the same on all architectures.
  let (setSignal, setLease): (Int32, Int32) = (10, 1024)
  let descriptor = unsafe open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
  guard descriptor >= 0 else { return nil }
  defer { close(descriptor) }
  // A process that opens the file for writing now waits until the lease is released, and the kernel
  // signals this process. The default, SIGIO, would kill it; SIGURG is ignored by default.
  guard fcntl(descriptor, setSignal, SIGURG) == 0 else { return nil }
  if fcntl(descriptor, setLease, Int32(F_RDLCK)) == 0 {
    _ = fcntl(descriptor, setLease, Int32(F_UNLCK))
    return true
  }
  return errno == EAGAIN ? false : nil
}
#endif
