// File descriptors by number: reading once, waiting, duplicating, closing.

package import SystemPackage

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Reads up to `buffer.count` bytes.
///
/// - Parameters:
///   - descriptor: The descriptor to read from.
///   - buffer: The buffer to read into.
/// - Returns: The number of bytes; 0 at the end, and after an error, which is treated as the end;
///   nil if nothing is available yet.
package func readBytes(_ descriptor: Int32, into buffer: inout [UInt8]) -> Int? {
  do throws(Errno) {
    return try readOnce(descriptor, into: &buffer)
  } catch {
    return error == .resourceTemporarilyUnavailable ? nil : 0
  }
}

/// Reads up to `buffer.count` bytes.
///
/// - Parameters:
///   - descriptor: The descriptor to read from.
///   - buffer: The buffer to read into.
///   - retriesAfterSignal: Whether to retry a read that a signal has interrupted, instead of
///     throwing.
/// - Returns: The number of bytes; 0 at the end.
/// - Throws: The system error.
package func readOnce(
  _ descriptor: Int32, into buffer: inout [UInt8], retriesAfterSignal: Bool = true
) throws(Errno) -> Int {
  while true {
    let count = unsafe buffer.withUnsafeMutableBytes {
      unsafe read(descriptor, $0.baseAddress, $0.count)
    }
    if count >= 0 { return count }
    let error = Errno.last
    guard error == .interrupted, retriesAfterSignal else { throw error }
  }
}

/// Waits until a descriptor is readable or at its end.
package func waitUntilReadable(_ descriptor: Int32) {
  var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
  _ = unsafe poll(&waiting, 1, -1)
}

/// Waits until a descriptor is writable or has no reader.
func waitUntilWritable(_ descriptor: Int32) {
  var waiting = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
  _ = unsafe poll(&waiting, 1, -1)
}

/// Returns whether the peer of a connection is still open.
package func hasPeer(_ descriptor: Int32) -> Bool {
  var peer = pollfd(fd: descriptor, events: 0, revents: 0)
  return unsafe poll(&peer, 1, 0) == 0
}

/// Blocks this thread for some time.
package func pauseThread(milliseconds: Int32) {
  _ = poll(nil, 0, milliseconds)
}

/// Closes a descriptor.
package func closeDescriptor(_ descriptor: Int32) {
  close(descriptor)
}

/// Closes descriptors.
///
/// Not generic: every command calls it at its start, where the first use of a generic type takes longer.
package func closeDescriptors(_ descriptors: [Int32]) {
  for descriptor in descriptors { close(descriptor) }
}

/// Returns whether a descriptor is open.
package func isOpenDescriptor(_ descriptor: Int32) -> Bool { fcntl(descriptor, F_GETFD) >= 0 }

/// Duplicates a descriptor, with close-on-exec and a number above the standard descriptors.
///
/// - Parameter descriptor: The descriptor.
/// - Returns: The duplicate; nil if there are no descriptors left.
package func copyOfDescriptor(_ descriptor: Int32) -> Int32? {
  let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 3)
  return copy >= 0 ? copy : nil
}

/// Makes a descriptor non-blocking; clears its other status flags.
package func makeNonblocking(_ descriptor: Int32) {
  _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
}

/// Sets close-on-exec on a descriptor.
package func closeInChildren(_ descriptor: Int32) {
  _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
}

/// Opens the null device with the lowest free descriptor, without close-on-exec.
package func openNullDeviceForChildren() {
  _ = unsafe open("/dev/null", O_RDWR)
}

/// Replaces the three standard descriptors with the null device.
package func dropStandardDescriptors() {
  let null = unsafe open("/dev/null", O_RDWR | O_CLOEXEC)
  for number: Int32 in 0...2 { dup2(null, number) }
  close(null)
}

/// Returns the maximum number of descriptors of this process; nil if unknown.
package func descriptorsMax() -> UInt64? {
  var limit = rlimit()
  guard unsafe getrlimit(openFilesLimit, &limit) == 0 else { return nil }
  return UInt64(limit.rlim_cur)
}

/// Returns whether a number of descriptors are free, of the maximum number.
///
/// The lowest free one has the number of those that are used, as they are numbered from below.
package func hasFreeDescriptors(_ count: UInt64, of most: UInt64) -> Bool {
  let lowest = unsafe open("/dev/null", O_RDONLY | O_CLOEXEC)
  guard lowest >= 0 else { return false }
  close(lowest)
  return UInt64(lowest) < most - min(most, count)
}

#if canImport(Glibc)
private let openFilesLimit = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
#else
private let openFilesLimit = RLIMIT_NOFILE
#endif
