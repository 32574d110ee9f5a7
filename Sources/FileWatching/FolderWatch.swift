// The face of the watching: one object per watched root, with a queue of its own. Knows neither what a
// change is nor how the system tells.

import Dispatch
import Synchronization

/// Watches the files below a folder and tells what has changed.
///
/// When it has been made, everything is watched: what is there then is taken for known, and no change
/// after it is missed. A change of a file counts when its writer closes it, when it is moved in or out,
/// deleted or linked, and when its rights or times are set. A file that is still being written starts
/// nothing, however much is in it already. On Linux two changes are not seen, because the
/// system does not tell them by the folder: `truncate(2)` of a path that nobody opens, and writing
/// through another name of the file that lies elsewhere.
///
/// - Symbolic links to folders are not followed, but the root itself may be one. Folders of the names
///   `.git` and `.reprise` are never entered. Regular files count, and symbolic links to files; what a
///   link leads to is not watched.
/// - The root need not exist, and may go and come back with all folders around it.
/// - What happens to a folder is told file by file.
/// - A file may be told more often than it has changed, never less: who looks at each file that is told
///   knows in the end the state of all.
/// - Folders for which the system has no watch are looked at every two seconds until it has.
package final class FolderWatch: Sendable {
  private let engine: WatchEngine

  /// Begins to watch.
  ///
  /// The time is linear in the number of files and folders that are wanted.
  ///
  /// - Parameters:
  ///   - root: The path of a folder, which need not exist.
  ///   - filter: What is of interest.
  ///   - onEvent: Called for each event on a queue of its own, one at a time, as soon as the system
  ///     tells; never before `init` returns on the thread that calls it. It may cancel. While it
  ///     runs, nothing is read: if it takes long, the system may lose changes, and all is looked at again.
  /// - Throws: ``FileWatchError`` when the path cannot be that of a folder. A limit of the system is no
  ///   error: it is told as a problem.
  package init(
    _ root: String, filter: FileWatchFilter,
    onEvent: @escaping @Sendable (FileWatchEvent) -> Void
  ) throws(FileWatchError) {
    engine = WatchEngine(onEvent)
    try engine.start(root, filter: filter)
  }

  /// Begins to watch in another way than the system's own.
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

  /// Stops watching and gives back all that the system has lent.
  ///
  /// May be called again, and by any thread.
  ///
  /// When it returns, `onEvent` has returned and is not called again. So it waits for a call that is
  /// under way, unless it is called from within: do not cancel while holding what `onEvent` waits for.
  package func cancel() {
    engine.cancel()
  }

  /// How many folders the system watches for this object; no others have a cost in the kernel.
  package var watchedFolders: Int { engine.watchedFolders }
}
