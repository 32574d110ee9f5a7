// Keeps the picture of a folder up to date and tells what is different. Knows the files, but neither
// where the news of changes come from nor how a folder is watched.

import Paths
import Platform

/// How a system watches a single folder.
///
/// Used on one queue.
protocol FolderWatches: AnyObject {
  /// Watches a folder, but not through a symbolic link. What changes in it from now on will be told.
  ///
  /// - Returns: What was reached; a watch is held once more with each success.
  func watch(_ path: String) -> WatchOutcome

  /// Gives back a watch once.
  func unwatch(_ watch: Int32)

  /// Whether it is certain that no program has a file open for writing; nil where it cannot be told.
  func isComplete(_ path: String) -> Bool?
}

/// What came of an attempt to watch a folder.
enum WatchOutcome: Equatable {
  /// It is watched, and this is what the system calls the watch: the same one for the same folder.
  case watched(Int32)
  /// It can be watched only once there is room.
  case noRoom
  /// There is no such folder, or none that may be read.
  case nothing
  /// Its path is longer than the system allows.
  case tooLong
}

/// Compares folders with the picture of them.
///
/// All that the system tells is taken as a hint where to look: what counts is what is found then. So
/// it does not matter how late, how often or in what order hints come, as long as there is one
/// after the last change of every name. Used on one queue.
final class TreeWatcher {
  /// The number of a folder.
  typealias FolderID = WatchedTree.FolderID

  /// What is of interest.
  let filter: FileWatchFilter
  /// How folders are watched.
  let watches: any FolderWatches
  /// Who is told.
  let host: any WatcherHost

  /// The picture.
  var tree = WatchedTree()
  /// The absolute path of the root, without symbolic links.
  private(set) var rootPath = ""
  /// The folders for which there was no room.
  var unwatched: Set<FolderID> = []
  /// New files whose writers have not closed them: they are looked at again before long.
  private var unsettled: [(folder: FolderID, name: String)] = []
  private var rulesAbove: [GitignoreLayers.Layer] = []
  private var gone = GoneFiles()
  private var isQuiet = false
  private var toldProblems: Set<Problem> = []

  /// What is told once.
  private enum Problem {
    case name
    case length
  }

  /// Makes a watcher of nothing.
  init(filter: FileWatchFilter, watches: any FolderWatches, host: any WatcherHost) {
    self.filter = filter
    self.watches = watches
    self.host = host
  }

  // MARK: The root

  /// Looks at the whole tree and tells every difference.
  ///
  /// - Parameters:
  ///   - path: The absolute path of the root, without symbolic links; nil where there is none.
  ///   - rulesAbove: What the repository says about it.
  ///   - isQuiet: Whether nothing is told of files, because nobody knows of any yet.
  func lookAtRoot(_ path: String?, rulesAbove: [GitignoreLayers.Layer], isQuiet: Bool) {
    self.isQuiet = isQuiet
    defer { self.isQuiet = false }
    self.rulesAbove = rulesAbove
    if let path {
      rootPath = path
      scan(tree.root ?? tree.addRoot(), isRecursive: true)
    } else if let root = tree.root {
      drop(root, tells: true)
    }
    tellGoneAgain(below: "")
  }

  /// Looks again at the folders that have no watch, and tells the differences.
  func lookAtUnwatched() {
    for id in unwatched where tree.folders[id] != nil {
      scan(id, isRecursive: false, hint: .polled)
    }
  }

  /// Looks at the whole tree if it has become readable, or is no more.
  func rootAccessChanged() {
    guard let root = tree.root, case .folder(let access) = FoundEntry.look(at: Array(rootPath.utf8))
    else { return }
    if tree.folders[root]?.access == access && isReachable(root) {
      tellUnrest(below: root)
    } else {
      scan(root, isRecursive: true)
    }
    tellGoneAgain(below: "")
  }

  // MARK: Hints

  /// Looks at a name in a folder after something has happened to it.
  ///
  /// - Parameters:
  ///   - name: The name.
  ///   - id: The folder.
  ///   - hint: What has happened.
  ///   - wasFolder: Whether it happened to a folder, which need not be the one that is there now.
  func look(at name: String, in id: FolderID, after hint: ChangeHint, wasFolder: Bool) {
    guard tree.folders[id] != nil else { return }
    if filter.honoursGitignore && name == ".gitignore" && refreshRules(of: id) {
      scan(id, isRecursive: true)
    }
    let key = FileName(name)
    let path = joinedPath(tree.path(of: id), name)
    let entry = FoundEntry.look(at: Array(joinedPath(rootPath, path).utf8))
    switch entry {
    case .folder(let access):
      if !forgetFile(key, in: id, path: path) { tellAgainIfGone(path) }
      lookAtFolder(key, in: id, access: access, after: hint)
      tellGoneAgain(below: path)
    case .file(let stamp, let links):
      if wasFolder { tellGoneAgain(below: path) }
      if let folder = tree.folders[id]?.folders[key] { drop(folder, tells: true) }
      tree.update(id) { $0.others.remove(key) }
      guard filter.wantsFile(path), !layers(in: id).ignores(name, isFolder: false) else { return }
      see(stamp, links: links, name: key, in: id, path: path, after: hint)
    case .other:
      if wasFolder { tellGoneAgain(below: path) }
      if !forgetAll(key, in: id, path: path) { tellAgainIfGone(path) }
      tree.update(id) { $0.others.insert(key) }
    case .nothing, .unreachable:
      if case .unreachable = entry { becameUnreachable(id) }
      let wasKnown = forgetAll(key, in: id, path: path)
      // If it was known, it has been here all the time.
      if wasFolder && !(wasKnown && hint == .left) { tellGoneAgain(below: path) }
      // Whatever came and went, this is the last that is told of it.
      guard hint == .left else { return }
      let wasOther = tree.folders[id]?.others.contains(key) ?? false
      tree.update(id) { $0.others.remove(key) }
      if wasKnown || tellAgainIfGone(path) || wasOther || !filter.wantsFile(path) { return }
      if !layers(in: id).ignores(name, isFolder: false) { tellGone(path) }
    case .tooLong: tellTooLong(path)
    }
  }

  /// Takes note that a folder has lost its watch because it was deleted: what is around it tells more.
  func watchEnded(of id: FolderID) {
    _ = tree.setWatch(nil, of: id)
  }

  /// Looks again at a folder on which something was mounted until now.
  func unmounted(_ id: FolderID) {
    guard let folder = tree.folders[id], let parent = folder.parent else { return }
    look(at: folder.name.text, in: parent, after: .arrived, wasFolder: true)
  }

  /// Looks once more at new files that nobody has closed since.
  ///
  /// - Returns: Whether there were any.
  func lookAtUnsettled() {
    let names = unsettled
    unsettled = []
    for (id, name) in names where tree.folders[id]?.files[FileName(name)]?.isUnclosed == true {
      look(at: name, in: id, after: .settled, wasFolder: false)
    }
  }

  /// Whether there are new files that have to be looked at again before long.
  var hasUnsettled: Bool { !unsettled.isEmpty }

  // MARK: Files

  /// Compares a file that is there with the picture, and tells it if it has to be.
  func see(
    _ stamp: FileStamp, links: Int, name: FileName, in id: FolderID, path: String,
    after hint: ChangeHint
  ) {
    let known = tree.folders[id]?.files[name]
    let seconds = secondsNow()
    let isTold = hint.tells(known: known, seen: stamp, seconds: seconds) {
      isComplete(stamp, links: links, path: path, hint)
    }
    var stamp = stamp
    stamp.toldAt = isTold && !isQuiet ? seconds : known?.toldAt ?? 0
    stamp.isUnclosed =
      !isTold && (known?.isUnclosed ?? [.made, .madeAndClosed, .attributes].contains(hint))
    if stamp.isUnclosed && hint == .made { unsettled.append((id, name.text)) }
    tree.update(id) { $0.files[name] = stamp }
    if isTold { tellChanged(path) }
  }

  /// Whether nobody is writing to a file that was made a moment ago.
  ///
  /// A link is complete. So is a file that has been linked from elsewhere even if this other name is
  /// gone again, but it looks like one that was opened: then the system is asked. It is not asked at
  /// once for an empty file, whose writer may be between making and opening it.
  private func isComplete(
    _ stamp: FileStamp, links: Int, path: String, _ hint: ChangeHint
  ) -> Bool {
    let isLink = stamp.mode & 0o170000 == 0o120000
    if isLink || links > 1 { return true }
    let mayBeLinked = stamp.size > 0 || stamp.statusChanged != stamp.modified
    if !mayBeLinked && hint != .settled { return false }
    return watches.isComplete(joinedPath(rootPath, path)) ?? mayBeLinked
  }

  /// The time, in seconds since 1970.
  func secondsNow() -> UInt32 {
    UInt32(truncatingIfNeeded: nanosecondsSince1970() / 1_000_000_000)
  }

  /// Tells of a file, unless nobody knows of any yet.
  func tellChanged(_ path: String) {
    if !isQuiet && !host.isStopped { host.tell(.changed(path: path)) }
  }

  /// Tells that a file is not there, and remembers it.
  func tellGone(_ path: String) {
    gone.add(path, at: secondsNow())
    tellChanged(path)
  }

  /// Tells again that a file is gone: there may have been another one of its name meanwhile.
  ///
  /// - Returns: Whether it was told a short time ago.
  @discardableResult
  private func tellAgainIfGone(_ path: String) -> Bool {
    guard gone.contains(path, at: secondsNow()) else { return false }
    tellGone(path)
    return true
  }

  private func tellGoneAgain(below path: String) {
    for path in gone.files(below: path, at: secondsNow()) { tellChanged(path) }
  }

  /// Forgets a file that is no more, and tells so.
  @discardableResult
  func forgetFile(_ name: FileName, in id: FolderID, path: String) -> Bool {
    guard tree.folders[id]?.files[name] != nil else { return false }
    tree.update(id) { $0.files[name] = nil }
    tellGone(path)
    return true
  }

  /// Forgets whatever had a name, and tells so.
  @discardableResult
  private func forgetAll(_ name: FileName, in id: FolderID, path: String) -> Bool {
    if let folder = tree.folders[id]?.folders[name] {
      drop(folder, tells: true)
      return true
    }
    return forgetFile(name, in: id, path: path)
  }

  // MARK: What git ignores

  /// Reads the `.gitignore` of a folder.
  ///
  /// - Returns: Whether it says something else than before.
  func refreshRules(of id: FolderID) -> Bool {
    guard filter.honoursGitignore else { return false }
    let file = joinedPath(fullPath(of: id), ".gitignore")
    let rules = GitignoreFiles.rules(ofFile: file).flatMap { $0.isEmpty ? nil : $0 }
    guard rules != tree.folders[id]?.rules else { return false }
    tree.update(id) { $0.rules = rules }
    return true
  }

  /// The rules that hold in a folder.
  ///
  /// Linear in its depth.
  func layers(in id: FolderID) -> GitignoreLayers {
    var layers = GitignoreLayers()
    guard filter.honoursGitignore else { return layers }
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

  /// Tells of a name that is not UTF-8, once.
  func tellBadName(_ name: String, in folder: String) {
    guard toldProblems.insert(.name).inserted else { return }
    let path = joinedPath(folder, name)
    host.tell(.problem("`\(path)` is not watched: its name is not UTF-8; rename it (told once)"))
  }

  /// Tells of a path that is too long, once.
  func tellTooLong(_ path: String) {
    guard toldProblems.insert(.length).inserted else { return }
    host.tell(
      .problem(
        """
        a folder of \(path.utf8.count) bytes of path is not watched, nor are others so deep: the \
        system allows 4096 at most; watch a folder farther down instead (told once)
        """))
  }
}
