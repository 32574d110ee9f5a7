// Checks whether a process has died or is exiting, on Linux.

#if os(Linux)
import Platform

/// Returns whether a process no longer exists, is exiting, or is a zombie.
///
/// A killed process holds its locks until the kernel has freed its memory, which can take longer
/// than the start of the next command.
///
/// - Parameter process: The id of the process.
/// - Returns: Whether the process has stopped executing.
func isDying(_ process: Int) -> Bool {
  let bytes: [UInt8]
  do throws(Errno) {
    let file = try OpenFile("/proc/\(process)/stat")
    bytes = try file.readAll(upTo: 1024)
  } catch {
    // The process ended before the file was opened (ENOENT), or before it was read (ESRCH).
    return error == .noSuchFileOrDirectory || error == .noSuchProcess
  }
  // The name, in parentheses, may contain any characters; see proc(5).
  guard let end = bytes.lastIndex(of: UInt8(ascii: ")")) else { return false }
  let fields = bytes[(end + 1)...].split(separator: UInt8(ascii: " "))
  guard fields.count > 6, let state = fields[0].first else { return false }
  let flags = fields[6].reduce(into: 0) { $0 = $0 &* 10 &+ Int($1 &- UInt8(ascii: "0")) }
  let exiting = 0x4  // PF_EXITING of the kernel's sched.h
  return "ZXx".utf8.contains(state) || flags & exiting != 0
}
#endif
