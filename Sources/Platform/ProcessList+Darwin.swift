// Reads the process table of Darwin with sysctl.

#if canImport(Darwin)
import Darwin

/// A process in the process table.
package struct ListedProcess {
  package let pid: Int32
  package let parent: Int32
  package let group: Int32
  package let session: Int32
  package let isZombie: Bool
  /// When it was started, in microseconds since 1970.
  package let start: UInt64
}

/// Returns the current processes; empty if they cannot be listed.
package func listedProcesses() -> [ListedProcess] {
  var query: [Int32] = [CTL_KERN, KERN_PROC, KERN_PROC_ALL]
  var size = 0
  guard unsafe sysctl(&query, 3, nil, &size, nil, 0) == 0 else { return [] }
  let room = size / MemoryLayout<kinfo_proc>.stride + 64
  var list = [kinfo_proc](repeating: kinfo_proc(), count: room)
  size = room * MemoryLayout<kinfo_proc>.stride
  guard unsafe sysctl(&query, 3, &list, &size, nil, 0) == 0 else { return [] }
  return list.prefix(size / MemoryLayout<kinfo_proc>.stride).map { info in
    let pid = info.kp_proc.p_pid
    let start = info.kp_proc.p_un.__p_starttime
    return ListedProcess(
      pid: pid, parent: info.kp_eproc.e_ppid, group: info.kp_eproc.e_pgid, session: getsid(pid),
      isZombie: Int32(info.kp_proc.p_stat) == SZOMB,
      start: UInt64(start.tv_sec) * 1_000_000 + UInt64(start.tv_usec))
  }
}
#endif
