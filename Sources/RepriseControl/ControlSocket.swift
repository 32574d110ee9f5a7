// The sockets of runs: listening, connecting, accepting. Knows no messages.

import Platform

/// Makes a socket that listens at a path, for this user alone.
///
/// What stands there is removed: whoever calls this holds the run.
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
  // Whoever has knocked may have left before it is let in.
  makeNonblocking(descriptor)
  return descriptor
}

/// Connects to the socket at a path.
func connectedSocket(to path: String) throws(ControlError) -> Int32 {
  let descriptor = try newSocket()
  // A process that stands still lets nobody in; when many have knocked, the next one would wait for ever.
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

/// Takes the next connection, if one waits and is of the same user; its socket does not block.
func acceptedSocket(_ listening: Int32) -> Int32? {
  let descriptor: Int32
  do throws(Errno) {
    descriptor = try acceptConnection(listening)
  } catch {
    // The connection stays in line; out of descriptors, this would be called again at once.
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

/// Writes all bytes; false when nobody reads them.
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
    throw ControlError("cannot make a socket: \(error)")
  }
}
