// Reads the process table of Darwin with sysctl.

#if canImport(Darwin)
import Platform

extension ProcessTable {
  /// The processes at this moment.
  static func current() -> ProcessTable {
    ProcessTable(
      listedProcesses().map {
        ProcessEntry(
          pid: $0.pid, parent: $0.parent, group: $0.group, session: $0.session,
          isZombie: $0.isZombie)
      })
  }

  /// Darwin gives orphans to launchd, never to us.
  static func hasAdoptedChildren(besides known: () -> Set<Int32>) -> Bool { false }

  /// Only the table can tell.
  static func hasStrangers(besides known: () -> Set<Int32>) -> Bool { true }

  /// Not readable without special rights.
  static func environment(of pid: Int32) -> [String] { [] }
}
#endif
