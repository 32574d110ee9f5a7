// Keeps the known state of a tree up to date and reports differences, independent of the system API
// that watches the folders.

import Paths
import Platform

/// The system interface for watching individual folders.
///
/// Used on one queue.
protocol FolderWatches: AnyObject {
  /// Watches a folder, without following a symbolic link to it. Later changes in it will be
  /// reported.
  ///
  /// - Returns: The outcome; each success increments the reference count of the watch.
  func watch(_ path: String) -> WatchOutcome

  /// Decrements the reference count of a watch.
  func unwatch(_ watch: Int32)

  /// Returns whether no process has a file open for writing; nil if unknown.
  func isComplete(_ path: String) -> Bool?
}

/// The outcome of an attempt to watch a folder.
enum WatchOutcome: Equatable {
  /// The folder is watched. The associated value identifies the watch: it is the same for the same
  /// folder.
  case watched(Int32)
  /// A limit is reached; the folder can be watched when there is room.
  case noRoom
  /// There is no such folder, or it is not readable.
  case nothing
  /// The path is longer than the system allows.
  case tooLong
}

/// Compares folders with their last known state.
///
/// Events from the system are only hints to check a name: what is reported depends on the state
/// found there. So hints may arrive late, repeatedly and in any order, provided that one arrives
/// after the last change of each name. Used on one queue.
final class TreeWatcher {
  /// The id of a folder.
  typealias FolderID = WatchedTree.FolderID

  /// The files of interest.
  let filter: FileWatchFilter
  /// The system's watches of folders.
  let watches: any FolderWatches
  /// The object that events are reported to.
  let host: any WatcherHost

  /// The known state.
  var tree = WatchedTree()
  /// The absolute path of the root, without symbolic links.
  private(set) var rootPath = ""
  /// The folders that are not watched because a limit is reached.
  var unwatched: Set<FolderID> = []
  /// New files that their writers have not closed; they are checked again soon.
  private var unsettled: [(folder: FolderID, name: String)] = []
  private var rulesAbove: [GitignoreLayers.Layer] = []
  private var gone = RemovedFiles()
  private var isQuiet = false
  private var reportedProblems: Set<Problem> = []

  /// A problem that is reported only once.
  private enum Problem {
    case name
    case length
  }

  /// Creates a watcher without a root.
  init(filter: FileWatchFilter, watches: any FolderWatches, host: any WatcherHost) {
    self.filter = filter
    self.watches = watches
    self.host = host
  }

  // MARK: The root

  /// Scans the whole tree and reports every difference.
  ///
  /// - Parameters:
  ///   - path: The absolute path of the root, without symbolic links; nil if it does not exist.
  ///   - rulesAbove: The ignore rules from outside of the root that apply to it.
  ///   - isQuiet: Whether to report nothing, because this is the first scan.
  func lookAtRoot(_ path: String?, rulesAbove: [GitignoreLayers.Layer], isQuiet: Bool) {
    self.isQuiet = isQuiet
    defer { self.isQuiet = false }
    self.rulesAbove = rulesAbove
    if let path {
      rootPath = path
      scan(tree.root ?? tree.addRoot(), isRecursive: true)
    } else if let root = tree.root {
      drop(root, reports: true)
    }
    reportRemovedAgain(below: "")
  }

  /// Scans the folders that have no watch, and reports the differences.
  func lookAtUnwatched() {
    for id in unwatched where tree.folders[id] != nil {
      scan(id, isRecursive: false, hint: .polled)
    }
  }

  /// Scans the whole tree if it has become readable or unreadable.
  func rootAccessChanged() {
    guard let root = tree.root, case .folder(let access) = FoundEntry.look(at: Array(rootPath.utf8))
    else { return }
    if tree.folders[root]?.access == access && isReachable(root) {
      reportUnrest(below: root)
    } else {
      scan(root, isRecursive: true)
    }
    reportRemovedAgain(below: "")
  }

  // MARK: Hints

  /// Checks a name in a folder after an event.
  ///
  /// - Parameters:
  ///   - name: The name.
  ///   - id: The folder.
  ///   - hint: The event.
  ///   - wasFolder: Whether the event was about a folder, which need not be the current entry of
  ///     that name.
  func look(at name: String, in id: FolderID, after hint: ChangeHint, wasFolder: Bool) {
    guard tree.folders[id] != nil else { return }
    if filter.respectsGitignore && name == ".gitignore" && refreshRules(of: id) {
      scan(id, isRecursive: true)
    }
    let key = FileName(name)
    let path = joinedPath(tree.path(of: id), name)
    let entry = FoundEntry.look(at: Array(joinedPath(rootPath, path).utf8))
    switch entry {
    case .folder(let access):
      if !forgetFile(key, in: id, path: path) { reportAgainIfRemoved(path) }
      lookAtFolder(key, in: id, access: access, after: hint)
      reportRemovedAgain(below: path)
    case .file(let stamp, let links):
      if wasFolder { reportRemovedAgain(below: path) }
      if let folder = tree.folders[id]?.folders[key] { drop(folder, reports: true) }
      tree.update(id) { $0.others.remove(key) }
      guard filter.wantsFile(path), !layers(in: id).ignores(name, isFolder: false) else { return }
      see(stamp, links: links, name: key, in: id, path: path, after: hint)
    case .other:
      if wasFolder { reportRemovedAgain(below: path) }
      if !resetAll(key, in: id, path: path) { reportAgainIfRemoved(path) }
      tree.update(id) { $0.others.insert(key) }
    case .nothing, .unreachable:
      if case .unreachable = entry { becameUnreachable(id) }
      let wasKnown = resetAll(key, in: id, path: path)
      // An entry that was known has existed until now, and its removal has just been reported.
      if wasFolder && !(wasKnown && hint == .left) { reportRemovedAgain(below: path) }
      // `left` is the last event of a name, whatever was there in the meantime.
      guard hint == .left else { return }
      let wasOther = tree.folders[id]?.others.contains(key) ?? false
      tree.update(id) { $0.others.remove(key) }
      if wasKnown || reportAgainIfRemoved(path) || wasOther || !filter.wantsFile(path) { return }
      if !layers(in: id).ignores(name, isFolder: false) { reportRemoved(path) }
    case .tooLong: reportTooLong(path)
    }
  }

  /// Records that a folder has lost its watch because it was deleted; an event of its parent
  /// follows.
  func watchEnded(of id: FolderID) {
    _ = tree.setWatch(nil, of: id)
  }

  /// Scans a folder after a file system was unmounted from it.
  func unmounted(_ id: FolderID) {
    guard let folder = tree.folders[id], let parent = folder.parent else { return }
    look(at: folder.name.text, in: parent, after: .arrived, wasFolder: true)
  }

  /// Checks again the new files that were still open for writing.
  func checkUnclosed() {
    let names = unsettled
    unsettled = []
    for (id, name) in names where tree.folders[id]?.files[FileName(name)]?.isUnclosed == true {
      look(at: name, in: id, after: .settled, wasFolder: false)
    }
  }

  /// Whether there are new files that must be checked again soon.
  var hasUnclosed: Bool { !unsettled.isEmpty }

  // MARK: Files

  /// Compares an existing file with its known state, and reports it if necessary.
  func see(
    _ stamp: FileStamp, links: Int, name: FileName, in id: FolderID, path: String,
    after hint: ChangeHint
  ) {
    let known = tree.folders[id]?.files[name]
    let seconds = secondsNow()
    let isReported = hint.shouldReport(known: known, seen: stamp, seconds: seconds) {
      isComplete(stamp, links: links, path: path, hint)
    }
    var stamp = stamp
    stamp.reportedAt = isReported && !isQuiet ? seconds : known?.reportedAt ?? 0
    stamp.isUnclosed =
      !isReported && (known?.isUnclosed ?? [.made, .madeAndClosed, .attributes].contains(hint))
    if stamp.isUnclosed && hint == .made { unsettled.append((id, name.text)) }
    tree.update(id) { $0.files[name] = stamp }
    if isReported { reportChanged(path) }
  }

  /// Returns whether no process is writing to a new file.
  ///
  /// Symbolic links and files with several hard links are complete. So is a file whose other hard
  /// links have been removed, but it looks like a file that is being written, so the system is
  /// asked. For an empty file, it is not asked immediately: the writer may be between creating and
  /// opening the file.
  private func isComplete(
    _ stamp: FileStamp, links: Int, path: String, _ hint: ChangeHint
  ) -> Bool {
    let isLink = stamp.mode & 0o170000 == 0o120000
    if isLink || links > 1 { return true }
    let mayBeLinked = stamp.size > 0 || stamp.statusChanged != stamp.modified
    if !mayBeLinked && hint != .settled { return false }
    return watches.isComplete(joinedPath(rootPath, path)) ?? mayBeLinked
  }

  /// Returns the current time, in seconds since 1970.
  func secondsNow() -> UInt32 {
    UInt32(truncatingIfNeeded: nanosecondsSince1970() / 1_000_000_000)
  }

  /// Reports a file, except during the first scan.
  func reportChanged(_ path: String) {
    if !isQuiet && !host.isStopped { host.report(.changed(path: path)) }
  }

  /// Reports a file as removed, and remembers it.
  func reportRemoved(_ path: String) {
    gone.add(path, at: secondsNow())
    reportChanged(path)
  }

  /// Reports again that a file is removed: another file of that name may have existed in the
  /// meantime.
  ///
  /// - Returns: Whether it was reported a short time ago.
  @discardableResult
  private func reportAgainIfRemoved(_ path: String) -> Bool {
    guard gone.contains(path, at: secondsNow()) else { return false }
    reportRemoved(path)
    return true
  }

  private func reportRemovedAgain(below path: String) {
    for path in gone.files(below: path, at: secondsNow()) { reportChanged(path) }
  }

  /// Removes a file from the known state, and reports it.
  @discardableResult
  func forgetFile(_ name: FileName, in id: FolderID, path: String) -> Bool {
    guard tree.folders[id]?.files[name] != nil else { return false }
    tree.update(id) { $0.files[name] = nil }
    reportRemoved(path)
    return true
  }

  /// Removes the file or folder of a name from the known state, and reports it.
  @discardableResult
  private func resetAll(_ name: FileName, in id: FolderID, path: String) -> Bool {
    if let folder = tree.folders[id]?.folders[name] {
      drop(folder, reports: true)
      return true
    }
    return forgetFile(name, in: id, path: path)
  }

  // MARK: Ignore rules

  /// Reads the `.gitignore` of a folder.
  ///
  /// - Returns: Whether its rules have changed.
  func refreshRules(of id: FolderID) -> Bool {
    guard filter.respectsGitignore else { return false }
    let file = joinedPath(fullPath(of: id), ".gitignore")
    let rules = GitignoreFiles.rules(ofFile: file).flatMap { $0.isEmpty ? nil : $0 }
    guard rules != tree.folders[id]?.rules else { return false }
    tree.update(id) { $0.rules = rules }
    return true
  }

  /// Returns the ignore rules that apply in a folder.
  ///
  /// Linear in its depth.
  func layers(in id: FolderID) -> GitignoreLayers {
    var layers = GitignoreLayers()
    guard filter.respectsGitignore else { return layers }
    var prefix = ""
    var next = tree.folders[id]
    while let folder = next {
      layers.add(folder.rules, prefix: prefix)
      prefix = joinedPath(folder.name.text, prefix)
      next = folder.parent.flatMap { tree.folders[$0] }
    }
    for layer in rulesAbove {
      layers.add(layer.rules, prefix: joinedPath(layer.prefix, prefix))
    }
    return layers
  }

  // MARK: Problems

  /// Reports a name that is not UTF-8, once.
  func reportInvalidName(_ name: String, in folder: String) {
    guard reportedProblems.insert(.name).inserted else { return }
    let path = joinedPath(folder, name)
    host.report(
      .problem("`\(path)` is not watched: its name is not UTF-8; rename it (reported once)"))
  }

  /// Reports a path that is too long, once.
  func reportTooLong(_ path: String) {
    guard reportedProblems.insert(.length).inserted else { return }
    host.report(
      .problem(
        """
        a folder with a path of \(path.utf8.count) bytes is not watched, nor are other such \
        folders: the system allows at most 4096; watch a folder farther down instead (reported once)
        """))
  }
}
