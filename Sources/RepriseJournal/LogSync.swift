// Brings to the disk, some time later, what was committed to the database without waiting for it.

import Dispatch
import Platform
import Synchronization

/// Syncs the write-ahead log of a database in batches, beside the writes to it.
///
/// The database itself is not used: no transaction waits for a sync. What has been moved from the log into
/// the database meanwhile was synced by that.
final class LogSync: Sendable {
  /// How long after a commit the log is synced at the latest.
  private static let delay = DispatchTimeInterval.milliseconds(200)

  private let path: String
  private let isScheduled = Mutex(false)
  private let queue = DispatchQueue(label: "reprise.sync")

  /// Prepares the syncs of a log.
  ///
  /// - Parameter path: The path of the log.
  init(path: String) {
    self.path = path
  }

  /// Syncs the log soon, together with what else is committed until then.
  ///
  /// Returns at once.
  func schedule() {
    let isFirst = isScheduled.withLock { isScheduled in
      defer { isScheduled = true }
      return !isScheduled
    }
    guard isFirst else { return }
    queue.asyncAfter(deadline: .now() + Self.delay) { [self] in
      // First, so that what is committed during the sync is followed by another one.
      isScheduled.withLock { $0 = false }
      sync()
    }
  }

  private func sync() {
    do throws(Errno) {
      let file = try OpenFile(path, options: [.noFollow])
      try file.sync()
    } catch {
      // A disk that cannot do it fails the next commit that waits for it: the end of the run.
    }
  }
}
