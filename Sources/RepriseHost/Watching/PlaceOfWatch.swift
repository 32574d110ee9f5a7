// Notices that the folder of a watch is gone, in which it would hear of nothing any more.

import FileWatching
import Platform
import RepriseJournal
import Synchronization

/// Observes the folder in which a watch runs, and the lock by which others find the watch.
///
/// A process stays in its folder when that is deleted or moved, also if a new one is created at the
/// same path.
final class PlaceOfWatch: Sendable {
  private final class Loss: Sendable {
    let isReported = Atomic(false)
  }

  private let folders: [FolderWatch]

  /// Starts to observe.
  ///
  /// - Parameters:
  ///   - watch: The recorder of the watch.
  ///   - onLoss: Called once with the reason why the watch must end.
  /// - Throws: ``FileWatchError`` if the folder cannot be watched.
  init(
    _ watch: RecordedWatch, onLoss: @escaping @Sendable (String) -> Void
  ) throws(FileWatchError) {
    let here = workingFolder()
    let lock = watch.lockPath
    let slash = lock.lastIndex(of: "/") ?? lock.startIndex
    let (folder, name) = (String(lock[..<slash]), String(lock[lock.index(after: slash)...]))
    let loss = Loss()
    let check: @Sendable (FileWatchEvent) -> Void = { _ in
      let reason: String
      if let here, workingFolder() != here {
        reason = "the folder of this watch was deleted or moved: \"\(here)\""
      } else if !mayAccess(lock, .existence) {
        reason = "the state directory of this watch was deleted: there is no \"\(lock)\""
      } else {
        return
      }
      guard !loss.isReported.exchange(true, ordering: .relaxed) else { return }
      onLoss(reason)
    }
    folders = [
      try FolderWatch(
        here ?? ".",
        filter: FileWatchFilter(entersFolder: { _ in false }, wantsFile: { _ in false }),
        onEvent: check),
      try FolderWatch(
        folder, filter: FileWatchFilter(entersFolder: { _ in false }, wantsFile: { $0 == name }),
        onEvent: check),
    ]
  }

  /// Stops to observe.
  func cancel() {
    for folder in folders { folder.cancel() }
  }
}
