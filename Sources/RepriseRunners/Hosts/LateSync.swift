// `LateSync`: brings results of attempts to the disk together, a moment after they were written.

import Dispatch
import Platform
import Synchronization

/// Results that are written and wait for the disk.
///
/// An engine that listens has a result before it is on the disk, and each sync holds up the file
/// system for the attempts that begin then. So the results of a tenth of a second share the
/// syncs: the first one makes the others fast. What a killed process has written is not lost; only a
/// power failure on this machine can lose the results of that time, and the engine has these.
final class LateSync: Sendable {
  private static let delay = DispatchTimeInterval.milliseconds(100)
  private static let queue = DispatchQueue(label: "reprise.late-sync", qos: .utility)

  private let waiting = Mutex<[AttemptFolder]>([])

  /// Whether no result waits.
  var isIdle: Bool { waiting.withLock(\.isEmpty) }

  /// Has the result of an attempt synced soon.
  func add(_ folder: AttemptFolder) {
    let isFirst = waiting.withLock { waiting in
      waiting.append(folder)
      return waiting.count == 1
    }
    if isFirst { syncLater() }
  }

  private func syncLater() {
    Self.queue.asyncAfter(deadline: .now() + Self.delay) { [self] in
      let written = waiting.withLock { $0 }
      for folder in written { folder.syncResult() }
      let isMoreWaiting = waiting.withLock { waiting in
        waiting.removeFirst(written.count)
        return !waiting.isEmpty
      }
      if isMoreWaiting { syncLater() }
    }
  }
}
