// What the command needs of its own process: its descriptors, its end. Knows nothing of workflows.

import ChildProcesses

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The number of SIGINT.
let interruptSignal = SIGINT

/// The descriptor of standard input.
let standardInput: Int32 = 0
/// The descriptor of standard output.
let standardOutput: Int32 = 1

/// Readies the process before anything else happens.
func prepareProcess() {
  // A reader that goes away is told by the failing write; a signal would end us without clean-up.
  signal(SIGPIPE, SIG_IGN)
  // Whoever starts us with it ignored would have the kernel reap our steps, and their status is lost.
  signal(SIGCHLD, SIG_DFL)
  keepFreedMemory()
}

/// Ends the process at once.
func endProcess(_ status: ExitStatus) -> Never {
  end(withStatus: status.code)
}

/// Writes a line to standard error.
func printError(_ text: String) {
  _ = writeAll(Array((text + "\n").utf8), to: 2)
}

/// Writes all bytes to a descriptor; false when nobody reads them.
func writeAll(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
  var start = 0
  while start < bytes.count {
    let written = bytes[start...].withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
    if written < 0, errno == EAGAIN {
      // Whoever shares the descriptor may have it return at once.
      var waiting = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
      poll(&waiting, 1, -1)
      continue
    }
    guard written > 0 || errno == EINTR else { return false }
    start += max(0, written)
  }
  return true
}

/// The folder that this process is in.
func currentDirectory() -> String {
  guard let path = getcwd(nil, 0) else { return "/" }
  defer { free(path) }
  return String(cString: path)
}

/// Goes to another folder; false when that cannot be done.
func changeDirectory(to path: String) -> Bool {
  chdir(path) == 0
}
