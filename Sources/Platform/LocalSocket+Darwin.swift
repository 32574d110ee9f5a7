// The parts of Unix sockets that are specific to Darwin.

#if canImport(Darwin)
import Darwin

let streamSocketType = SOCK_STREAM

/// The flag that keeps a failing `send` from raising SIGPIPE.
let withoutPipeSignal: Int32 = 0x80000

/// Returns the user of the peer of a connection.
///
/// - Parameter descriptor: The socket of the connection.
/// - Returns: The id of the user; nil if unknown.
package func peerUser(of descriptor: Int32) -> UInt32? {
  var user: uid_t = 0
  var group: gid_t = 0
  return unsafe getpeereid(descriptor, &user, &group) == 0 ? user : nil
}

/// Returns the process of the peer of a connection.
///
/// - Parameter descriptor: The socket of the connection.
/// - Returns: The id of the process; nil if unknown.
package func peerProcess(of descriptor: Int32) -> Int32? {
  var process: pid_t = 0
  var size = socklen_t(MemoryLayout.size(ofValue: process))
  let result = unsafe getsockopt(descriptor, SOL_LOCAL, LOCAL_PEERPID, &process, &size)
  return result == 0 && process > 0 ? process : nil
}

/// Calls a closure with the path itself, which Darwin cannot shorten.
func withShortName(of path: String, room: Int, _ body: (String) -> Int32) -> Int32 { body(path) }
#endif
