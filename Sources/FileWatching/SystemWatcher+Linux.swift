// Chooses how trees are watched on Linux.

#if os(Linux)
/// Watches a tree with inotify.
@Sendable func systemWatcher(
  _ path: String, _ filter: FileWatchFilter, _ engine: WatchEngine
) -> any SystemWatcher {
  InotifyWatcher(path, filter: filter, calls: InotifyCalls(), host: engine)
}
#endif
