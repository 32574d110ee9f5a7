// Reaps orphans that this process has adopted.

import Platform

/// Reaps adopted orphans that have ended, as the first process of the system would.
///
/// A program may wait until another one that is not its child exists no more, and one that has ended
/// exists until it is reaped: podman waits so for the monitor of a container.
struct OrphanReaper {
  /// The time between two looks, in milliseconds.
  static let interval = 250

  private var last = ContinuousClock.now

  /// Reaps what has ended, unless it did so just now.
  mutating func reap() {
    guard ContinuousClock.now - last >= .milliseconds(Self.interval - 50) else { return }
    last = .now
    _ = Self.hasLivingOrphans()
  }

  /// Reaps the orphans that have ended.
  ///
  /// Linear in the number of children, so much faster than a snapshot of all processes.
  ///
  /// - Returns: Whether any are left; false is reliable, true may be wrong.
  static func hasLivingOrphans() -> Bool {
    Reactor.shared.withoutStarts { known in
      while true {
        guard let children = ProcessTable.currentChildren() else { return true }
        let orphans = children.subtracting(known)
        let ended = orphans.filter { peekExit($0) != nil }
        for pid in ended { reapChild(pid) }
        // What has ended after the list was read has left its own children to this process.
        if ended.isEmpty { return !orphans.isEmpty }
      }
    }
  }
}
