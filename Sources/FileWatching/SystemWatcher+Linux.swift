// Creates the system watcher on Linux.

#if os(Linux)
/// Creates an inotify watcher for a tree.
@Sendable func systemWatcher(
  _ path: String, _ filter: FileWatchFilter, _ engine: WatchEngine
) -> any SystemWatcher {
  InotifyWatcher(path, filter: filter, calls: InotifyCalls(), host: engine)
}
#endif
