// The parts of Unix sockets that are specific to Linux.

#if os(Linux)
#if canImport(Glibc)
import Glibc

let streamSocketType = Int32(SOCK_STREAM.rawValue)
#else
import Musl

let streamSocketType = SOCK_STREAM
#endif

/// The flag that keeps a failing `send` from raising SIGPIPE.
let withoutPipeSignal = Int32(MSG_NOSIGNAL)

/// Returns the user of the peer of a connection (unix(7), SO_PEERCRED).
///
/// - Parameter descriptor: The socket of the connection.
/// - Returns: The id of the user; nil if unknown.
package func peerUser(of descriptor: Int32) -> UInt32? {
  peer(of: descriptor)?.user
}

/// Returns the process of the peer of a connection, when it connected.
///
/// - Parameter descriptor: The socket of the connection.
/// - Returns: The id of the process; nil if unknown.
package func peerProcess(of descriptor: Int32) -> Int32? {
  // 0 if the process is in a namespace that this one cannot see.
  peer(of: descriptor).flatMap { $0.process > 0 ? $0.process : nil }
}

private func peer(of descriptor: Int32) -> (process: Int32, user: UInt32)? {
  // struct ucred: pid, uid, gid; the headers define it only with _GNU_SOURCE.
  var credentials: (pid_t, uid_t, gid_t) = (0, 0, 0)
  var size = socklen_t(MemoryLayout.size(ofValue: credentials))
  let result = unsafe getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &credentials, &size)
  return result == 0 ? (credentials.0, credentials.1) : nil
}

/// Calls a closure with a path that fits into a socket address: the path itself, or one through the
/// descriptor of its folder.
func withShortName(of path: String, room: Int, _ body: (String) -> Int32) -> Int32 {
  guard path.utf8.count > room, let slash = path.lastIndex(of: "/") else { return body(path) }
  let folder = unsafe open(String(path[..<slash]), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
  guard folder >= 0 else { return -1 }
  defer { close(folder) }
  return body("/proc/self/fd/\(folder)" + path[slash...])
}
#endif
