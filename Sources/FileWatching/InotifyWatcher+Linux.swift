// Watches a tree with inotify: forwards its events to the tree watcher, watches the path to the
// root, and handles reached limits.

#if os(Linux)
import Paths
import Platform

/// The watcher of a tree on Linux.
///
/// Used on one queue.
final class InotifyWatcher: SystemWatcher {
  private let path: String
  private let host: any WatcherHost
  private let folders: InotifyFolders
  private let tree: TreeWatcher
  /// The watches of the folders and links on the path to the root, and the missing name, if any.
  private var way: [Int32] = []
  private var awaited: FileName?
  /// The watch of the folder that contains the root, and the name of the root.
  ///
  /// The removal of the root itself is not reported as long as it is the folder of a process.
  private var parent: (watch: Int32, name: FileName)?
  /// The watches of `.gitignore` files above the root, and of their folders.
  private var ruleWatches: [Int32] = []
  private var rulesAbove = GitignoreFiles()
  /// Whether part of the path could not be watched.
  private var isWayUnwatched = false

  private static let ofWay: InotifyMask = [.selfDeleted, .selfMoved, .notThroughLinks]
  private static let ofRules: InotifyMask = [
    .attributes, .closedByWriter, .selfDeleted, .selfMoved, .notThroughLinks, .added,
  ]
  private static let ofRuleFolders: InotifyMask = [.created, .movedTo, .notThroughLinks, .added]

  /// Creates a watcher that has not started.
  ///
  /// - Parameters:
  ///   - path: The absolute path of the root.
  ///   - filter: The files of interest.
  ///   - calls: The system calls.
  ///   - host: The object to report to, which also monitors descriptors.
  init(_ path: String, filter: FileWatchFilter, calls: InotifyCalls, host: any WatcherHost) {
    self.path = path
    self.host = host
    folders = InotifyFolders(calls, seesWriting: filter.seesWriting, host: host)
    tree = TreeWatcher(filter: filter, watches: folders, host: host)
  }

  var watchedFolders: Int { tree.tree.watchedCount }

  func start() {
    folders.openIfNeeded()
    lookAtRoot(isQuiet: true)
  }

  // MARK: Events

  func readEvents() {
    while !host.isStopped, case let events = folders.read(), !events.isEmpty {
      let isClosedLater = InotifyEvent.isClosedLater(events)
      for (event, isClosedLater) in zip(events, isClosedLater) where !host.isStopped {
        handle(event, isClosedLater: isClosedLater)
      }
    }
  }

  private func handle(_ event: InotifyEvent, isClosedLater: Bool) {
    if event.mask.contains(.overflowed) {
      host.report(
        .problem(
          """
          changes came faster than they were read, and some events were lost: all files are \
          checked again; if this happens often, raise the limit with \
          `sysctl fs.inotify.max_queued_events=\(2 * (InotifyFolders.limit("max_queued_events") ?? 16384))`
          """))
      lookAtRoot(isQuiet: false)
      return
    }
    if event.mask.contains(.ended) { folders.ended(event.watch) }
    if way.contains(event.watch) && concernsWay(event) {
      lookAtRoot(isQuiet: false)
      host.report(.rootChanged)
    }
    if ruleWatches.contains(event.watch) && concernsRules(event) { lookAtRules() }
    for folder in tree.tree.folders(watchedBy: event.watch) {
      handle(event, in: folder, isClosedLater: isClosedLater)
    }
  }

  private func handle(_ event: InotifyEvent, in folder: Int, isClosedLater: Bool) {
    if event.mask.contains(.ended) {
      tree.watchEnded(of: folder)
      if tree.tree.root == folder { lookAtRoot(isQuiet: false) }
    } else if event.mask.contains(.unmounted) {
      tree.unmounted(folder)
    } else if event.isNameBad {
      tree.reportInvalidName(event.name.text, in: tree.tree.path(of: folder))
    } else if !event.name.text.isEmpty, let hint = hint(event, isClosedLater: isClosedLater) {
      tree.look(
        at: event.name.text, in: folder, after: hint, wasFolder: event.mask.contains(.isFolder))
    } else if event.mask.contains(.attributes) && tree.tree.root == folder {
      tree.rootAccessChanged()
    }
  }

  private func hint(_ event: InotifyEvent, isClosedLater: Bool) -> ChangeHint? {
    if !event.mask.isDisjoint(with: [.closedByWriter, .written]) { return .written }
    if event.mask.contains(.movedTo) { return .arrived }
    if event.mask.contains(.movedFrom) || event.mask.contains(.deleted) { return .left }
    if event.mask.contains(.created) {
      return isClosedLater ? .madeAndClosed : .made
    }
    return event.mask.contains(.attributes) ? .attributes : nil
  }

  // MARK: The path to the root

  private func concernsWay(_ event: InotifyEvent) -> Bool {
    !event.mask.isDisjoint(with: [.selfDeleted, .selfMoved, .ended, .unmounted])
      || awaited == event.name
      || !event.mask.isDisjoint(with: [.deleted, .movedFrom]) && parent?.watch == event.watch
        && parent?.name == event.name
  }

  /// Resolves the path of the root, watches its parts, and scans the tree.
  ///
  /// The path is resolved again after it is watched: earlier changes may not have been reported,
  /// but later ones will be.
  private func lookAtRoot(isQuiet: Bool) {
    var route = RootPath(following: path)
    for _ in 0..<100 {
      watchWay(route)
      let again = RootPath(following: path)
      if again == route { break }
      route = again
    }
    if case .folder(let folder) = route.end {
      if tree.filter.respectsGitignore { readRules(above: folder) }
      tree.lookAtRoot(folder, rulesAbove: rulesAbove.layers, isQuiet: isQuiet)
    } else {
      tree.lookAtRoot(nil, rulesAbove: [], isQuiet: isQuiet)
    }
  }

  private func watchWay(_ route: RootPath) {
    var waitingFolder: String?
    awaited = nil
    parent = nil
    var folderOfRoot: (path: String, name: String)?
    if case .folder(let folder) = route.end, let slash = folder.lastIndex(of: "/"), folder != "/" {
      folderOfRoot = (
        slash == folder.startIndex ? "/" : String(folder[..<slash]),
        String(folder[folder.index(after: slash)...])
      )
    }
    isWayUnwatched = !folders.isOpen
    if case .missing(let folder, let name) = route.end {
      waitingFolder = folder
      awaited = FileName(name)
    }
    let old = way
    way = []
    for place in route.places {
      var mask = Self.ofWay
      if place == waitingFolder { mask.formUnion([.created, .movedTo]) }
      if place == folderOfRoot?.path { mask.formUnion([.deleted, .movedFrom]) }
      switch folders.watch(place, mask) {
      case .watched(let watch):
        way.append(watch)
        if let folderOfRoot, place == folderOfRoot.path {
          parent = (watch, FileName(folderOfRoot.name))
        }
      case .noRoom: isWayUnwatched = true
      // The folder may be unreadable; only polling detects that the name appears.
      case .nothing where place == waitingFolder: isWayUnwatched = true
      case .nothing, .tooLong: break
      }
    }
    for watch in old { folders.unwatch(watch) }
  }

  // MARK: Rules above the root

  private func concernsRules(_ event: InotifyEvent) -> Bool {
    event.name.text.isEmpty || event.name.text == ".gitignore"
  }

  private func readRules(above folder: String) {
    let old = ruleWatches
    ruleWatches = []
    // Read them twice, because they may change before they are watched.
    for _ in 0..<2 {
      rulesAbove = GitignoreFiles(above: folder)
      let places =
        rulesAbove.files.map { ($0, Self.ofRules) }
        + rulesAbove.folders.map { ($0, Self.ofRuleFolders) }
      for (place, mask) in places {
        if case .watched(let watch) = folders.watch(place, mask) { ruleWatches.append(watch) }
      }
    }
    for watch in old { folders.unwatch(watch) }
  }

  private func lookAtRules() {
    guard tree.tree.root != nil else { return }
    let before = rulesAbove
    readRules(above: tree.rootPath)
    guard rulesAbove != before else { return }
    tree.lookAtRoot(tree.rootPath, rulesAbove: rulesAbove.layers, isQuiet: false)
  }

  // MARK: Polling

  var pollDelay: Duration? {
    if tree.hasUnclosed { return .milliseconds(50) }
    return isWayUnwatched || !tree.unwatched.isEmpty ? .seconds(2) : nil
  }

  /// Checks what the system does not report.
  ///
  /// Polling is unavoidable here: a watch limit is reached, and no event reports when a watch
  /// becomes available.
  func lookAgain() {
    if tree.hasUnclosed {
      tree.checkUnclosed()
      return
    }
    folders.openIfNeeded()
    if isWayUnwatched { lookAtRoot(isQuiet: false) }
    tree.lookAtUnwatched()
  }
}
#endif
