// Unix sockets: addresses, accepting, connecting.

package import SystemPackage

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Creates a Unix socket with close-on-exec.
///
/// - Returns: The descriptor.
/// - Throws: The system error.
package func newLocalSocket() throws(Errno) -> Int32 {
  let descriptor = socket(AF_UNIX, streamSocketType, 0)
  guard descriptor >= 0 else { throw .last }
  closeInChildren(descriptor)
  return descriptor
}

/// Binds a socket to a path that must not exist yet.
///
/// - Parameters:
///   - descriptor: The socket.
///   - path: The path.
/// - Throws: The system error.
package func bindSocket(_ descriptor: Int32, to path: String) throws(Errno) {
  let result = unsafe withAddress(of: path) { unsafe bind(descriptor, $0, $1) }
  guard result == 0 else { throw .last }
}

/// Makes a socket listen for connections.
///
/// - Parameters:
///   - descriptor: A socket that is bound to a path.
///   - waitingMax: The maximum number of connections that wait to be accepted.
/// - Throws: The system error.
package func listenOnSocket(_ descriptor: Int32, waitingMax: Int32) throws(Errno) {
  guard listen(descriptor, waitingMax) == 0 else { throw .last }
}

/// Connects a socket.
///
/// - Parameters:
///   - descriptor: The socket.
///   - path: The path of the listening socket.
/// - Throws: The system error.
package func connectSocket(_ descriptor: Int32, to path: String) throws(Errno) {
  let result = unsafe withAddress(of: path) { unsafe connect(descriptor, $0, $1) }
  guard result == 0 else { throw .last }
}

/// Sets a timeout for connecting and sending.
///
/// - Parameters:
///   - descriptor: The socket.
///   - seconds: The timeout.
package func limitSending(_ descriptor: Int32, toSeconds seconds: Int) {
  var patience = timeval(tv_sec: seconds, tv_usec: 0)
  _ = unsafe setsockopt(
    descriptor, SOL_SOCKET, SO_SNDTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
}

/// Accepts the next connection.
///
/// - Parameter listening: The listening socket.
/// - Returns: The socket of the connection.
/// - Throws: The system error.
package func acceptConnection(_ listening: Int32) throws(Errno) -> Int32 {
  let descriptor = accept(listening, nil, nil)
  guard descriptor >= 0 else { throw .last }
  return descriptor
}

/// Sends as many bytes as there is room for, without SIGPIPE if the peer is gone.
///
/// - Parameters:
///   - bytes: The bytes.
///   - descriptor: The socket.
/// - Returns: The number of bytes sent.
/// - Throws: The system error.
package func sendBytes(_ bytes: ArraySlice<UInt8>, to descriptor: Int32) throws(Errno) -> Int {
  let count = unsafe bytes.withUnsafeBytes {
    unsafe send(descriptor, $0.baseAddress, $0.count, withoutPipeSignal)
  }
  guard count >= 0 else { throw .last }
  return count
}

/// Sends all bytes, without SIGPIPE if the peer is gone; waits for room.
///
/// - Parameters:
///   - bytes: The bytes.
///   - descriptor: The socket.
/// - Throws: The system error; some of the bytes may have been sent.
package func sendAllBytes(_ bytes: [UInt8], to descriptor: Int32) throws(Errno) {
  var rest = bytes[...]
  while !rest.isEmpty {
    do throws(Errno) {
      rest = rest.dropFirst(try sendBytes(rest, to: descriptor))
    } catch {
      switch error {
      case .interrupted: continue
      case .resourceTemporarilyUnavailable: waitUntilWritable(descriptor)
      default: throw error
      }
    }
  }
}

/// Receives up to `buffer.count` bytes.
///
/// - Parameters:
///   - descriptor: The socket.
///   - buffer: The buffer to read into.
/// - Returns: The number of bytes; 0 at the end.
/// - Throws: The system error.
package func receiveBytes(
  _ descriptor: Int32, into buffer: inout [UInt8]
) throws(Errno) -> Int {
  let count = unsafe buffer.withUnsafeMutableBytes {
    unsafe recv(descriptor, $0.baseAddress, $0.count, 0)
  }
  guard count >= 0 else { throw .last }
  return count
}

/// Shuts a connection down in both directions; blocked calls on it return.
package func shutDownSocket(_ descriptor: Int32) {
  _ = shutdown(descriptor, Int32(SHUT_RDWR))
}

/// Calls a closure with the socket address of a path; shortens a path that is too long if the
/// system permits it.
private func withAddress(
  of path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
) -> Int32 {
  var address = sockaddr_un()
  address.sun_family = sa_family_t(AF_UNIX)
  let room = MemoryLayout.size(ofValue: address.sun_path) - 1
  return withShortName(of: path, room: room) { name in
    let bytes = Array(name.utf8)
    guard bytes.count <= room else {
      errno = ENAMETOOLONG
      return -1
    }
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: bytes) }
    return unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
  }
}
