// Unix sockets: addresses, accepting, connecting. Knows no messages.

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Makes a socket that listens at a path, for this user alone.
///
/// What stands there is removed: whoever calls this holds the run.
func listeningSocket(at path: String) throws(ControlError) -> Int32 {
  let descriptor = try newSocket()
  unlink(path)
  let result = withAddress(of: path) { bind(descriptor, $0, $1) }
  guard result == 0, chmod(path, 0o600) == 0, listen(descriptor, 64) == 0 else {
    let text = String(cString: strerror(errno))
    close(descriptor)
    throw ControlError("cannot listen at \"\(path)\": \(text)")
  }
  // Whoever has knocked may have left before it is let in.
  _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
  return descriptor
}

/// Connects to the socket at a path.
func connectedSocket(to path: String) throws(ControlError) -> Int32 {
  let descriptor = try newSocket()
  // A process that stands still lets nobody in; when many have knocked, the next one would wait for ever.
  var patience = timeval(tv_sec: 2, tv_usec: 0)
  setsockopt(
    descriptor, SOL_SOCKET, SO_SNDTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
  guard withAddress(of: path, { connect(descriptor, $0, $1) }) == 0 else {
    let isSilent = errno == EAGAIN
    let text = String(cString: strerror(errno))
    close(descriptor)
    throw isSilent
      ? ControlError("there is no answer; \(ControlError.stoppedHint)")
      : ControlError("cannot reach the run at \"\(path)\": \(text)")
  }
  return descriptor
}

/// Takes the next connection, if one waits and is of the same user; its socket does not block.
func acceptedSocket(_ listening: Int32) -> Int32? {
  let descriptor = accept(listening, nil, nil)
  guard descriptor >= 0 else {
    // The connection stays in line; out of descriptors, this would be called again at once.
    if errno == EMFILE || errno == ENFILE { poll(nil, 0, 50) }
    return nil
  }
  _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
  guard peerUser(of: descriptor) == geteuid() else {
    close(descriptor)
    return nil
  }
  _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
  return descriptor
}

/// Writes all bytes; false when nobody reads them.
func sendAll(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
  var start = 0
  while start < bytes.count {
    let count = bytes[start...].withUnsafeBytes {
      // Without the signal that would end a program which has not asked to be spared.
      send(descriptor, $0.baseAddress, $0.count, quietly)
    }
    if count < 0 && errno == EINTR { continue }
    guard count > 0 else { return false }
    start += count
  }
  return true
}

private func newSocket() throws(ControlError) -> Int32 {
  let descriptor = socket(AF_UNIX, streamSocketType, 0)
  guard descriptor >= 0 else {
    throw ControlError("cannot make a socket: " + String(cString: strerror(errno)))
  }
  _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
  return descriptor
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
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
    return withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
  }
}

/// Closes a socket.
func closeSocket(_ descriptor: Int32) {
  close(descriptor)
}
