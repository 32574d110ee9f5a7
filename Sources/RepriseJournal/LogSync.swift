// Syncs commits that did not wait for the disk, in the background.

import Dispatch
import Platform
import Synchronization

/// Syncs the write-ahead log of a database in batches, concurrently with writes.
///
/// Syncs the file without using the database, so no transaction waits for a sync. Pages that were
/// moved from the log into the database in the meantime were synced by that checkpoint.
final class LogSync: Sendable {
  /// The maximum delay between a commit and the start of its sync.
  private static let delay = DispatchTimeInterval.milliseconds(200)

  private let path: String
  private let isScheduled = Mutex(false)
  private let queue = DispatchQueue(label: "reprise.sync")

  /// Creates the syncer of a log.
  ///
  /// - Parameter path: The path of the log.
  init(path: String) {
    self.path = path
  }

  /// Schedules a sync of the log, which covers all commits until then; does not block.
  func schedule() {
    let isFirst = isScheduled.withLock { isScheduled in
      defer { isScheduled = true }
      return !isScheduled
    }
    guard isFirst else { return }
    queue.asyncAfter(deadline: .now() + Self.delay) { [self] in
      // Clear the flag before syncing, so that a commit during the sync schedules another one.
      isScheduled.withLock { $0 = false }
      sync()
    }
  }

  private func sync() {
    do throws(Errno) {
      let file = try OpenFile(path, options: [.noFollow])
      try file.sync()
    } catch {
      // A failing disk also fails the next synced commit: the end of the run.
    }
  }
}
