// `WatchedOrphans`: the orphans that this process has adopted. Reaps them, and reports their ends.

import Platform

/// The orphans that this process has adopted.
///
/// A program may wait until another one that is not its child exists no more, and one that has ended
/// exists until it is reaped: podman waits so for the monitor of a container.
struct WatchedOrphans {
  /// The time between two looks for orphans that have ended, in milliseconds.
  static let interval = 250

  /// The number of orphans that are watched: each takes a descriptor, and a tree may leave many.
  private static let watchedMax = 16

  private var reapedAt = ContinuousClock.now
  private var watched: Set<Int32> = []

  /// Reaps what has ended, unless it did so just now.
  mutating func reap() {
    guard ContinuousClock.now - reapedAt >= .milliseconds(Self.interval - 50) else { return }
    reapedAt = .now
    _ = Self.living()
  }

  /// Reaps the orphans that have ended.
  ///
  /// - Returns: Whether any are left; false is reliable, true may be wrong.
  static func areLeft() -> Bool { living().map { !$0.isEmpty } ?? true }

  /// Reaps the orphans that have ended.
  ///
  /// Linear in the number of children, so much faster than a snapshot of all processes.
  ///
  /// - Returns: Those that are left, of which some may have ended just now; nil if this cannot be
  ///   said.
  private static func living() -> Set<Int32>? {
    Reactor.shared.withoutStarts { known in
      while true {
        guard let children = ProcessTable.currentChildren() else { return nil }
        let orphans = children.subtracting(known)
        let ended = orphans.filter { peekExit($0) != nil }
        for pid in ended { reapChild(pid) }
        // What has ended after the list was read has left its own children to this process.
        if ended.isEmpty { return orphans }
      }
    }
  }

  /// Has the ends of all orphans reported, for a tree that waits for one.
  ///
  /// - Returns: The time after which to look again if no end is reported: short if not all are
  ///   watched.
  mutating func timeToWait(watchedBy poller: inout Poller) -> Duration {
    guard let orphans = Self.living(), orphans.count <= Self.watchedMax else {
      return .milliseconds(1)
    }
    for orphan in orphans.subtracting(watched) where poller.watch(process: orphan) {
      watched.insert(orphan)
    }
    return orphans.isSubset(of: watched) ? ChildState.endingTime : .milliseconds(1)
  }

  /// Ends the watch of a process whose end was reported, or whose id belongs to another one now.
  ///
  /// - Returns: Whether it was watched.
  mutating func ended(_ pid: Int32, _ poller: inout Poller) -> Bool {
    guard watched.remove(pid) != nil else { return false }
    poller.unwatch(process: pid)
    return true
  }
}
