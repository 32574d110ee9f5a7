// Watches a tree with FSEvents and forwards its events to the tree watcher. Never compiled: no Mac
// was available.

#if canImport(Darwin)
import CoreServices
import Dispatch
import Paths
import Platform

/// Creates the watcher for trees on Darwin.
@Sendable func systemWatcher(
  _ path: String, _ filter: FileWatchFilter, _ engine: WatchEngine
) -> any SystemWatcher {
  EventStreamWatcher(path, filter: filter, engine: engine)
}

/// Folder watches that do nothing: FSEvents has one stream for the whole root, and no limit.
private final class NoWatches: FolderWatches {
  private var next: Int32 = 0

  func watch(_ path: String) -> WatchOutcome {
    next &+= 1
    return .watched(next)
  }

  func unwatch(_ watch: Int32) {}

  // Unknown: for a new file, FSEvents also reports when it is written.
  func isComplete(_ path: String) -> Bool? { nil }
}

/// The watcher of a tree on Darwin.
///
/// FSEvents watches a path instead of a folder, so the root may be deleted and created again; an
/// event is reported when it is back. Used on one queue, on which the stream also delivers its
/// events.
final class EventStreamWatcher: SystemWatcher {
  private let path: String
  private let engine: WatchEngine
  private let tree: TreeWatcher
  private var stream: FSEventStreamRef?
  private var rulesAbove = GitignoreFiles()
  /// The real path of the root as FSEvents reports it; the path where it would be, if it is
  /// missing.
  private var place = ""

  /// Creates a watcher that has not started.
  init(_ path: String, filter: FileWatchFilter, engine: WatchEngine) {
    self.path = path
    self.engine = engine
    tree = TreeWatcher(filter: filter, watches: NoWatches(), host: engine)
  }

  var watchedFolders: Int { tree.tree.watchedCount }

  var pollDelay: Duration? { tree.hasUnclosed ? .milliseconds(50) : nil }

  func lookAgain() { tree.checkUnclosed() }

  func readEvents() {}

  func start() throws(FileWatchError) {
    let route = RootPath(following: path)
    var paths = Set([place(of: route)] + route.places.filter { isLink($0) })
    if tree.filter.respectsGitignore {
      paths.formUnion(GitignoreFiles(above: place(of: route)).files)
    }
    try openStream(for: paths.sorted())
    lookAtRoot(isQuiet: true)
  }

  func stop() {
    guard let stream else { return }
    FSEventStreamStop(stream)
    FSEventStreamInvalidate(stream)
    FSEventStreamRelease(stream)
    self.stream = nil
  }

  private func isLink(_ path: String) -> Bool {
    (try? Stat(at: path, followsLink: false))?.type == .symbolicLink
  }

  private func place(of route: RootPath) -> String {
    switch route.end {
    case .folder(let path): path
    case .missing(let folder, let name): joinedPath(folder, name)
    }
  }

  private func openStream(for paths: [String]) throws(FileWatchError) {
    // The stream is stopped and invalidated on the queue before the engine releases this object,
    // and makes no calls after that.
    var context = FSEventStreamContext(
      version: 0, info: Unmanaged.passUnretained(engine).toOpaque(), retain: nil, release: nil,
      copyDescription: nil)
    let flags =
      kFSEventStreamCreateFlagFileEvents | kFSEventStreamCreateFlagNoDefer
      | kFSEventStreamCreateFlagWatchRoot | kFSEventStreamCreateFlagUseCFTypes
    let created = FSEventStreamCreate(
      nil,
      { _, info, count, paths, flags, _ in
        guard let info else { return }
        let engine = Unmanaged<WatchEngine>.fromOpaque(info).takeUnretainedValue()
        let names = Unmanaged<CFArray>.fromOpaque(paths).takeUnretainedValue() as? [String] ?? []
        let reported = zip(names, UnsafeBufferPointer(start: flags, count: count)).map { ($0, $1) }
        engine.work { ($0 as? EventStreamWatcher)?.handle(reported) }
      },
      &context, paths as CFArray, FSEventStreamEventId(kFSEventStreamEventIdSinceNow), 0,
      FSEventStreamCreateFlags(flags))
    guard let created else { throw .system(reason: "FSEvents cannot create a stream") }
    stream = created
    FSEventStreamSetDispatchQueue(created, engine.queue)
    guard FSEventStreamStart(created) else {
      stop()
      throw .system(reason: "FSEvents cannot start the stream")
    }
  }

  private func lookAtRoot(isQuiet: Bool) {
    let route = RootPath(following: path)
    place = place(of: route)
    guard case .folder(let folder) = route.end else {
      tree.lookAtRoot(nil, rulesAbove: [], isQuiet: isQuiet)
      return
    }
    if tree.filter.respectsGitignore { rulesAbove = GitignoreFiles(above: folder) }
    tree.lookAtRoot(folder, rulesAbove: rulesAbove.layers, isQuiet: isQuiet)
  }

  private func handle(_ events: [(path: String, flags: FSEventStreamEventFlags)]) {
    for (path, flags) in events where !engine.isStopped { handle(path, flags: Int(flags)) }
  }

  private func handle(_ path: String, flags: Int) {
    let lost =
      kFSEventStreamEventFlagMustScanSubDirs | kFSEventStreamEventFlagRootChanged
      | kFSEventStreamEventFlagMount | kFSEventStreamEventFlagUnmount
    let isBelow = path.hasPrefix(place + "/")
    guard flags & lost == 0, isBelow, tree.tree.root != nil else {
      lookAtRoot(isQuiet: false)
      return
    }
    // Find the deepest known folder. Everything below it is either found by listing it, or is
    // excluded.
    var names = path.dropFirst(place.count + 1).split(separator: "/").map(String.init)[...]
    guard var folder = tree.tree.root else { return }
    while names.count > 1, let first = names.first,
      let next = tree.tree.folders[folder]?.folders[FileName(first)]
    {
      folder = next
      names = names.dropFirst()
    }
    guard let name = names.first else { return }
    let isFolder = flags & kFSEventStreamEventFlagItemIsDir != 0 || names.count > 1
    tree.look(
      at: name, in: folder, after: names.count > 1 ? .arrived : hint(flags), wasFolder: isFolder)
  }

  /// Returns the hint for the flags of an event; FSEvents may coalesce several changes of a name
  /// into one event with all of their flags.
  private func hint(_ flags: Int) -> ChangeHint {
    if flags & kFSEventStreamEventFlagItemModified != 0 { return .written }
    if flags & kFSEventStreamEventFlagItemRemoved != 0 { return .left }
    let made = kFSEventStreamEventFlagItemRenamed | kFSEventStreamEventFlagItemCreated
    if flags & made != 0 {
      return flags & kFSEventStreamEventFlagItemIsFile != 0 ? .left : .arrived
    }
    return .attributes
  }
}
#endif
