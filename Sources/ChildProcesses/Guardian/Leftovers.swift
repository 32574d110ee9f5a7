// Finds processes that were left after both engine and guardian were killed, by their environment.

import Platform

/// Kills every process of this user that was started with one of the given environment entries,
/// repeatedly until none is left.
///
/// Spares this process and its ancestors, and those of a ``DetachedHost``. Reads the environment of every process of this user,
/// which takes some milliseconds for hundreds of processes.
///
/// - Parameters:
///   - entries: Entries such as `REPRISE_RUN_ID=3fk2m9x0ab`.
///   - ofHosts: Whether those of a host are killed, too.
///   - limit: The time after which those that do not end are left; nil for none.
/// - Returns: The number of processes that were found; nil if some are left.
@discardableResult
package func killProcesses(
  startedWith entries: Set<String>, ofHosts: Bool = false, within limit: Duration? = nil
) -> Int? {
  guard !entries.isEmpty else { return 0 }
  let start = ContinuousClock.now
  var found: Set<Int32> = []
  while true {
    let table = ProcessTable.current()
    let spared = ancestry(of: processID, in: table)
    let alive = table.entries.values.filter { entry in
      !entry.isZombie && !spared.contains(entry.pid)
        && ProcessTable.environment(of: entry.pid).contains(where: entries.contains)
        && (ofHosts || !DetachedHost.isSpared(entry.pid))
    }.map(\.pid)
    guard !alive.isEmpty else { return found.count }
    if let limit, start.duration(to: .now) > limit { return nil }
    for entry in table.withDescendants(alive) where !spared.contains(entry.pid) {
      found.insert(entry.pid)
      sendSignal(SignalNumber.kill, to: entry.pid)
    }
    pauseThread(milliseconds: 1)
  }
}

private func ancestry(of pid: Int32, in table: ProcessTable) -> Set<Int32> {
  var ancestry: Set<Int32> = []
  var next: Int32? = pid
  while let pid = next, ancestry.insert(pid).inserted { next = table.entries[pid]?.parent }
  return ancestry
}
