// What is Darwin's own about Unix sockets.

#if canImport(Darwin)
import Darwin

let streamSocketType = SOCK_STREAM

/// The flag that keeps a failing `send` from raising SIGPIPE.
let quietly: Int32 = 0x80000

/// The user at the other end of a connection.
func peerUser(of descriptor: Int32) -> uid_t? {
  var user: uid_t = 0
  var group: gid_t = 0
  return getpeereid(descriptor, &user, &group) == 0 ? user : nil
}

/// There is no shorter name of a path here.
func withShortName(of path: String, room: Int, _ body: (String) -> Int32) -> Int32 { body(path) }
#endif
