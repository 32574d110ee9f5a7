// System calls on control sockets: listening, connecting, accepting, writing.

import Platform

/// Creates a socket that listens at a path and is accessible only to this user.
///
/// Replaces an existing file; the caller must hold the lock of the run.
func listeningSocket(at path: String) throws(ControlError) -> Int32 {
  let descriptor = try newSocket()
  try? removeFile(path)
  do throws(Errno) {
    try bindSocket(descriptor, to: path)
    try changePermissions(of: path, to: .ownerReadWrite)
    try listenOnSocket(descriptor, waitingMax: 64)
  } catch {
    closeDescriptor(descriptor)
    throw ControlError("cannot listen at \"\(path)\": \(error)")
  }
  // A client may disconnect before it is accepted; `accept` must not block then.
  makeNonblocking(descriptor)
  return descriptor
}

/// Connects to the socket at a path.
func connectedSocket(to path: String) throws(ControlError) -> Int32 {
  let descriptor = try newSocket()
  // A stopped process accepts no connections; once its backlog is full, connecting would block
  // forever.
  limitSending(descriptor, toSeconds: 2)
  do throws(Errno) {
    try connectSocket(descriptor, to: path)
  } catch {
    closeDescriptor(descriptor)
    throw error == .resourceTemporarilyUnavailable
      ? ControlError("there is no answer; \(ControlError.stoppedHint)")
      : ControlError("cannot reach the run at \"\(path)\": \(error)")
  }
  return descriptor
}

/// Accepts a pending connection and returns its nonblocking socket; nil if there is none.
///
/// Rejects connections of other users.
func acceptedSocket(_ listening: Int32) -> Int32? {
  let descriptor: Int32
  do throws(Errno) {
    descriptor = try acceptConnection(listening)
  } catch {
    // Out of descriptors: the connection stays pending, and the source would fire again at once.
    if error == .tooManyOpenFiles || error == .tooManyOpenFilesInSystem {
      pauseThread(milliseconds: 50)
    }
    return nil
  }
  closeInChildren(descriptor)
  guard peerUser(of: descriptor) == effectiveUserID else {
    closeDescriptor(descriptor)
    return nil
  }
  makeNonblocking(descriptor)
  return descriptor
}

/// Writes all bytes and returns whether they could be written; false if the peer has disconnected.
func sendAll(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
  var start = 0
  while start < bytes.count {
    do throws(Errno) {
      let count = try sendBytes(bytes[start...], to: descriptor)
      guard count > 0 else { return false }
      start += count
    } catch {
      guard error == .interrupted else { return false }
    }
  }
  return true
}

private func newSocket() throws(ControlError) -> Int32 {
  do throws(Errno) {
    return try newLocalSocket()
  } catch {
    throw ControlError("cannot create a socket: \(error)")
  }
}
