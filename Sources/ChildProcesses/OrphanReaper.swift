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
    Reactor.shared.withoutStarts { known in
      for pid in ProcessTable.currentChildren().subtracting(known) where peekExit(pid) != nil {
        reapChild(pid)
      }
    }
  }
}
