// The fcntl commands for locks on Linux, which the headers define only with _GNU_SOURCE.

#if os(Linux)
enum FileLockCommand {
  // F_OFD_GETLK
  static let ask: Int32 = 36
  // F_OFD_SETLK
  static let set: Int32 = 37
  // F_OFD_SETLKW
  static let wait: Int32 = 38
}
#endif
