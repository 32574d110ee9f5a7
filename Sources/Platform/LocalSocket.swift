// Unix sockets: addresses, accepting, connecting.

package import SystemPackage

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Makes a Unix socket that is closed in children.
///
/// - Returns: Its descriptor.
/// - Throws: The error of the system.
package func newLocalSocket() throws(Errno) -> Int32 {
  let descriptor = socket(AF_UNIX, streamSocketType, 0)
  guard descriptor >= 0 else { throw .last }
  closeInChildren(descriptor)
  return descriptor
}

/// Gives a socket a path, at which nothing may be yet.
///
/// - Parameters:
///   - descriptor: The socket.
///   - path: Its path.
/// - Throws: The error of the system.
package func bindSocket(_ descriptor: Int32, to path: String) throws(Errno) {
  let result = unsafe withAddress(of: path) { unsafe bind(descriptor, $0, $1) }
  guard result == 0 else { throw .last }
}

/// Has a socket accept connections.
///
/// - Parameters:
///   - descriptor: A socket with a path.
///   - waitingMax: How many connections may wait to be accepted.
/// - Throws: The error of the system.
package func listenOnSocket(_ descriptor: Int32, waitingMax: Int32) throws(Errno) {
  guard listen(descriptor, waitingMax) == 0 else { throw .last }
}

/// Connects a socket.
///
/// - Parameters:
///   - descriptor: The socket.
///   - path: The path of the one that accepts connections.
/// - Throws: The error of the system.
package func connectSocket(_ descriptor: Int32, to path: String) throws(Errno) {
  let result = unsafe withAddress(of: path) { unsafe connect(descriptor, $0, $1) }
  guard result == 0 else { throw .last }
}

/// Has connecting and sending fail when they take too long.
///
/// - Parameters:
///   - descriptor: The socket.
///   - seconds: How long they may take.
package func limitSending(_ descriptor: Int32, toSeconds seconds: Int) {
  var patience = timeval(tv_sec: seconds, tv_usec: 0)
  _ = unsafe setsockopt(
    descriptor, SOL_SOCKET, SO_SNDTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
}

/// Accepts the next connection.
///
/// - Parameter listening: The socket that accepts connections.
/// - Returns: The socket of the connection.
/// - Throws: The error of the system.
package func acceptConnection(_ listening: Int32) throws(Errno) -> Int32 {
  let descriptor = accept(listening, nil, nil)
  guard descriptor >= 0 else { throw .last }
  return descriptor
}

/// Sends what there is room for, without the signal that ends a program when the peer is gone.
///
/// - Parameters:
///   - bytes: The bytes.
///   - descriptor: The socket.
/// - Returns: How many were sent.
/// - Throws: The error of the system.
package func sendBytes(_ bytes: ArraySlice<UInt8>, to descriptor: Int32) throws(Errno) -> Int {
  let count = unsafe bytes.withUnsafeBytes {
    unsafe send(descriptor, $0.baseAddress, $0.count, withoutPipeSignal)
  }
  guard count >= 0 else { throw .last }
  return count
}

/// Receives up to `buffer.count` bytes.
///
/// - Parameters:
///   - descriptor: The socket.
///   - buffer: Where to.
/// - Returns: How many; 0 at the end.
/// - Throws: The error of the system.
package func receiveBytes(
  _ descriptor: Int32, into buffer: inout [UInt8]
) throws(Errno) -> Int {
  let count = unsafe buffer.withUnsafeMutableBytes {
    unsafe recv(descriptor, $0.baseAddress, $0.count, 0)
  }
  guard count >= 0 else { throw .last }
  return count
}

/// Ends a connection in both directions; what waits for it returns.
package func shutDownSocket(_ descriptor: Int32) {
  _ = shutdown(descriptor, Int32(SHUT_RDWR))
}

/// Lends the address of a path, also of one that is too long for an address where the system has a
/// shorter name for its folder.
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
