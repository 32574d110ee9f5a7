// Whether a process is on its way out, on Linux: what it holds is given back soon.

#if os(Linux)
import Platform

/// Whether a process is gone, is being taken apart by the kernel, or waits to be reaped.
///
/// A process that was killed holds its locks until the kernel has taken its memory apart, which can take longer
/// than the start of the next command.
///
/// - Parameter process: The id of the process.
/// - Returns: Whether it does nothing any more.
func isDying(_ process: Int) -> Bool {
  let bytes: [UInt8]
  do throws(Errno) {
    let file = try OpenFile("/proc/\(process)/stat")
    bytes = try file.readAll(upTo: 1024)
  } catch {
    // It had gone before the file was opened, or before it was read.
    return error == .noSuchFileOrDirectory || error == .noSuchProcess
  }
  // The name, in brackets, may have anything in it; see proc(5).
  guard let end = bytes.lastIndex(of: UInt8(ascii: ")")) else { return false }
  let fields = bytes[(end + 1)...].split(separator: UInt8(ascii: " "))
  guard fields.count > 6, let state = fields[0].first else { return false }
  let flags = fields[6].reduce(into: 0) { $0 = $0 &* 10 &+ Int($1 &- UInt8(ascii: "0")) }
  let exiting = 0x4  // PF_EXITING of the kernel's sched.h
  return "ZXx".utf8.contains(state) || flags & exiting != 0
}
#endif
