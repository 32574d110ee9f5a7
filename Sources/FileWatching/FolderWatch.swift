// The interface for watching: one object, with its own queue, for each watched root.

import Dispatch
import Synchronization

/// Watches the files below a folder and reports changes.
///
/// When the initializer returns, everything is watched: existing files count as known, and no later
/// change is missed. A change is reported when a writer closes the file, when the file is moved in
/// or out, deleted or linked, and when its permissions or times are set. A file that is still being
/// written is not reported, however much was already written. On Linux, two changes are not
/// detected, because the system does not report them for the folder: `truncate(2)` of a path that
/// no process opens, and writing through a hard link in another folder.
///
/// - Symbolic links to folders are not followed, except for the root itself. Folders named `.git`
///   and `.reprise` are never entered. Regular files and symbolic links to files are watched; the
///   target of a link is not.
/// - The root need not exist. It may be deleted and created again, together with all enclosing
///   folders.
/// - A change of a folder is reported file by file.
/// - A file may be reported more often than it has changed, but not less often. A subscriber that
///   reads each reported file ends up with the current state of all files.
/// - Folders for which the system cannot provide a watch are polled every two seconds until it can.
package final class FolderWatch: Sendable {
  private let engine: WatchEngine

  /// Starts watching.
  ///
  /// The time is linear in the number of matching files and folders.
  ///
  /// - Parameters:
  ///   - root: The path of a folder, which need not exist.
  ///   - filter: The files of interest.
  ///   - onEvent: Called with each event on a dedicated queue, one at a time, as soon as the system
  ///     reports it. It is never called on the thread that is calling `init`, but may be called on
  ///     another thread before `init` returns. It may cancel the watch. No events are read while it
  ///     runs; if it takes long, the system may drop events, and then everything is scanned again.
  /// - Throws: ``FileWatchError`` if the path cannot be a folder's path. Reaching a limit of the
  ///   system is not an error: it is reported as a problem.
  package init(
    _ root: String, filter: FileWatchFilter,
    onEvent: @escaping @Sendable (FileWatchEvent) -> Void
  ) throws(FileWatchError) {
    engine = WatchEngine(onEvent)
    try engine.start(root, filter: filter)
  }

  /// Starts watching with a custom watcher.
  init(
    _ root: String, filter: FileWatchFilter, makeWatcher: @escaping WatchEngine.MakeWatcher,
    onEvent: @escaping @Sendable (FileWatchEvent) -> Void
  ) throws(FileWatchError) {
    engine = WatchEngine(onEvent)
    try engine.start(root, filter: filter, makeWatcher)
  }

  deinit {
    engine.cancel()
  }

  /// Stops watching and releases all system resources.
  ///
  /// Idempotent and thread-safe. When it returns, `onEvent` has returned and will not be called
  /// again. It therefore waits for a call in progress, unless it is called from within `onEvent`:
  /// do not cancel while holding a lock that `onEvent` waits for.
  package func cancel() {
    engine.cancel()
  }

  /// The number of folders that the system watches for this object; each has a cost in the kernel.
  package var watchedFolders: Int { engine.watchedFolders }
}
