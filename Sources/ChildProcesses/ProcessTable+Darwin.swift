// Reads the process table of Darwin with sysctl.

#if canImport(Darwin)
import Platform

extension ProcessTable {
  /// Returns the current processes.
  static func current() -> ProcessTable {
    ProcessTable(
      listedProcesses().map {
        ProcessEntry(
          pid: $0.pid, parent: $0.parent, group: $0.group, session: $0.session,
          isZombie: $0.isZombie, start: $0.start)
      })
  }

  /// Returns false: on Darwin, launchd adopts orphans.
  static func hasAdoptedChildren(besides known: () -> Set<Int32>) -> Bool { false }

  /// Returns an empty set, for the same reason.
  static func currentChildren() -> Set<Int32>? { [] }

  /// Returns true: only the process table shows such children.
  static func hasUnknownChildren(besides known: () -> Set<Int32>) -> Bool { true }

  /// Returns an empty array: the environment is not readable without special privileges.
  static func environment(of pid: Int32) -> [String] { [] }

  /// Returns false: this is asked of orphans only, which launchd adopts.
  static func isEnding(_ pid: Int32) -> Bool { false }

  /// Returns an empty array: there is no guardian on Darwin, which asks for this.
  static func sleepingThreads() -> [Int32] { [] }

  /// Returns false, for the same reason.
  static func isTraced(_ pid: Int32) -> Bool { false }

  /// Returns an empty text: this is asked of orphans only, which launchd adopts.
  static func commandLine(of pid: Int32) -> String { "" }
}
#endif
