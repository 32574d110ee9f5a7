// Reads the process table of Darwin with sysctl.

#if canImport(Darwin)
import Darwin

extension ProcessTable {
  /// The processes at this moment.
  static func current() -> ProcessTable {
    var query: [Int32] = [CTL_KERN, KERN_PROC, KERN_PROC_ALL]
    var size = 0
    guard unsafe sysctl(&query, 3, nil, &size, nil, 0) == 0 else { return ProcessTable([]) }
    let room = size / MemoryLayout<kinfo_proc>.stride + 64
    var list = [kinfo_proc](repeating: kinfo_proc(), count: room)
    size = room * MemoryLayout<kinfo_proc>.stride
    guard unsafe sysctl(&query, 3, &list, &size, nil, 0) == 0 else { return ProcessTable([]) }
    return ProcessTable(list.prefix(size / MemoryLayout<kinfo_proc>.stride).map(entry))
  }

  /// Darwin gives orphans to launchd, never to us.
  static func hasAdoptedChildren(besides known: () -> Set<Int32>) -> Bool { false }

  /// Only the table can tell.
  static func hasStrangers(besides known: () -> Set<Int32>) -> Bool { true }

  /// Not readable without special rights.
  static func environment(of pid: Int32) -> [String] { [] }

  private static func entry(_ info: kinfo_proc) -> ProcessEntry {
    let pid = info.kp_proc.p_pid
    return ProcessEntry(
      pid: pid, parent: info.kp_eproc.e_ppid, group: info.kp_eproc.e_pgid, session: getsid(pid),
      isZombie: Int32(info.kp_proc.p_stat) == SZOMB)
  }
}
#endif
