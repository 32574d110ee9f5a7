// `PlaceHold`: holds a kept place as long as an engine wants it, or something runs in it.

import Platform
package import Reprise

/// The wait that holds a kept place: when it ends, the allocation or the container ends.
package struct PlaceHold: Sendable {
  private let folder: AttemptFolder
  private let orphanAfter: Duration
  private let clock: any RunClock
  /// What begins the attempts in the place; nil if another process does.
  private let pool: HostPool?

  /// Creates a wait.
  ///
  /// - Parameters:
  ///   - folder: The folder of the place.
  ///   - orphanAfter: How long a place without steps waits for an engine.
  ///   - clock: The source of time.
  ///   - pool: What begins the attempts in the place; nil if another process does.
  package init(
    _ folder: AttemptFolder, orphanAfter: Duration, clock: any RunClock, pool: HostPool? = nil
  ) {
    self.pool = pool
    self.folder = folder
    self.orphanAfter = orphanAfter
    self.clock = clock
  }

  /// Whether an attempt runs in the place.
  private var isBusy: Bool {
    let pool = KeptPlace.poolPath(in: folder.path)
    return FolderReader.names(in: pool).contains {
      AttemptFolder(path: pool + "/" + $0).isHeld == true
    }
  }

  /// Waits until the place is no longer wanted, or the wait is stopped.
  ///
  /// Only changes of the engine's sign of life are compared, never the clocks of two machines.
  package func wait(until isStopped: @escaping @Sendable () -> Bool) async {
    let sign = LeaseWatch()
    while !isStopped() {
      pool?.beginSubmitted()
      let isOrphaned = sign.isStale(folder.interestTime, at: clock.now, after: orphanAfter)
      if isOrphaned, !isBusy { break }
      try? await clock.sleep(for: .milliseconds(100))
    }
    guard let pool else { return }
    pool.stopAll()
    while !pool.isIdle { try? await clock.sleep(for: .milliseconds(20)) }
  }
}
