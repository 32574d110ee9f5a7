// What an engine and a guardian that were both killed have left behind, found by its environment.
// Knows no runs.

import Platform

/// Kills every process of this user that was started with one of some environment entries, and again
/// until none is left.
///
/// This process and those that it descends from are spared. Reads the environment of every process of
/// this user: some milliseconds for hundreds.
///
/// - Parameter entries: Such as `REPRISE_RUN_ID=3fk2m9x0ab`.
/// - Returns: How many processes were found.
@discardableResult
package func killProcesses(startedWith entries: Set<String>) -> Int {
  guard !entries.isEmpty else { return 0 }
  var found: Set<Int32> = []
  while true {
    let table = ProcessTable.current()
    let spared = ancestry(of: processID, in: table)
    let alive = table.entries.values.filter { entry in
      !entry.isZombie && !spared.contains(entry.pid)
        && ProcessTable.environment(of: entry.pid).contains(where: entries.contains)
    }.map(\.pid)
    guard !alive.isEmpty else { return found.count }
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
