// The fcntl commands for locks on Darwin.

#if canImport(Darwin)
import Darwin

enum FileLockCommand {
  static let ask = F_OFD_GETLK
  static let set = F_OFD_SETLK
  static let wait = F_OFD_SETLKW
}
#endif
