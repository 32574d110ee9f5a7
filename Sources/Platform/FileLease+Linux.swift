// Asks whether a program has a file open for writing.

#if os(Linux)
#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Whether it is certain that no program has a regular file open for writing.
///
/// The system grants a read lease only then; it is released at once. See fcntl(2), "Leases".
///
/// - Parameter path: The path of the file.
/// - Returns: nil where that is not known: another user's file, or a file system without leases.
package func hasNoWriter(_ path: String) -> Bool? {
  // These are not in the headers as Swift reads them; they are the same on all architectures.
  let (setSignal, setLease): (Int32, Int32) = (10, 1024)
  let descriptor = unsafe open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
  guard descriptor >= 0 else { return nil }
  defer { close(descriptor) }
  // A program that opens the file for writing at this moment waits for the end of the lease, and the
  // system sends a signal. SIGIO would end the process; this one is ignored if nothing handles it.
  guard fcntl(descriptor, setSignal, SIGURG) == 0 else { return nil }
  if fcntl(descriptor, setLease, Int32(F_RDLCK)) == 0 {
    _ = fcntl(descriptor, setLease, Int32(F_UNLCK))
    return true
  }
  return errno == EAGAIN ? false : nil
}
#endif
