// Watches and lists folders, and compares them with the known tree.

import Paths
import Platform

extension TreeWatcher {
  /// Handles an event of an existing folder: scans it if its contents may have changed.
  func lookAtFolder(
    _ name: FileName, in id: FolderID, access: FolderAccess, after hint: ChangeHint
  ) {
    tree.update(id) { $0.others.remove(name) }
    guard enters(name.text, in: id, layers: layers(in: id)) else { return }
    guard let folder = tree.folders[id]?.folders[name] else {
      scan(tree.add(name, in: id), isRecursive: true)
      return
    }
    switch hint {
    case .attributes where tree.folders[folder]?.access == access && isReachable(folder):
      reportUnrest(below: folder)
    case .made, .madeAndClosed:
      // It was found when the parent folder was listed, unless this is a new folder of the same
      // name.
      if let watch = tree.folders[folder]?.watch {
        let outcome = watches.watch(fullPath(of: folder))
        if case .watched(let same) = outcome { watches.unwatch(same) }
        if outcome == .watched(watch) { return }
      }
      scan(folder, isRecursive: true)
    default: scan(folder, isRecursive: true)
    }
  }

  private func enters(_ name: String, in id: FolderID, layers: GitignoreLayers) -> Bool {
    !InternalFolder.hasName(name.utf8)
      && filter.entersFolder(joinedPath(tree.path(of: id), name))
      && !layers.ignores(name, isFolder: true)
  }

  /// Returns the absolute path of a folder.
  func fullPath(of id: FolderID) -> String {
    joinedPath(rootPath, tree.path(of: id))
  }

  /// Watches and lists a folder and all new folders below it, and reports every difference.
  ///
  /// - Parameters:
  ///   - id: The folder.
  ///   - isRecursive: Whether known folders below it are scanned, too.
  ///   - hint: The reason for the scan.
  func scan(_ id: FolderID, isRecursive: Bool, hint: ChangeHint = .found) {
    var walk = TreeWalk(from: (id: id, isRecursive: isRecursive))
    while let (id, isRecursive) = walk.next(), !host.isStopped {
      guard tree.folders[id] != nil else { continue }
      // Watch before listing: an entry that is created in between is found twice instead of missed.
      guard watch(id) else { continue }
      let visitsAll = refreshRules(of: id) || isRecursive
      for (folder, isNew) in list(id, hint) where isNew || visitsAll {
        walk.enter((folder, true))
      }
    }
  }

  /// Watches a folder, or checks that the watched folder is still the same.
  ///
  /// - Returns: Whether there is a folder to list.
  private func watch(_ id: FolderID) -> Bool {
    let path = fullPath(of: id)
    switch watches.watch(path) {
    case .watched(let watch):
      unwatched.remove(id)
      if let old = tree.setWatch(watch, of: id) { watches.unwatch(old) }
    case .noRoom:
      unwatched.insert(id)
      if let old = tree.setWatch(nil, of: id) { watches.unwatch(old) }
    case .nothing:
      // Either listing it fails, too, or the folder was created or its permissions changed just
      // now, and an event follows.
      becameUnreachable(id)
      if let old = tree.setWatch(nil, of: id) { watches.unwatch(old) }
    case .tooLong:
      reportTooLong(path)
      drop(id, reports: true)
      return false
    }
    return true
  }

  /// Compares a folder with the known tree.
  ///
  /// - Returns: The folders in it, and whether they are new.
  private func list(_ id: FolderID, _ hint: ChangeHint) -> [(folder: FolderID, isNew: Bool)] {
    let path = tree.path(of: id)
    let layers = layers(in: id)
    let wants = { [filter] (name: String) in
      filter.wantsFile(joinedPath(path, name)) && !layers.ignores(name, isFolder: false)
    }
    let listing: FolderListing
    do throws(Errno) {
      listing = try FolderListing(ofFolder: joinedPath(rootPath, path), wantsFile: wants)
    } catch {
      if error == .fileNameTooLong { reportTooLong(path) }
      lose(id, isMissing: error.isMissing)
      return []
    }
    if let name = listing.unreadableNames.first { reportInvalidName(name, in: path) }
    if listing.isUnreachable { becameUnreachable(id) }
    tree.update(id) {
      $0.access = listing.isUnreachable ? nil : listing.access
      $0.others = Set(listing.others)
    }
    compareFiles(listing, with: id, path: path, hint, wants: wants)
    return compareFolders(listing, with: id, layers: layers)
  }

  private func compareFiles(
    _ listing: FolderListing, with id: FolderID, path: String, _ hint: ChangeHint,
    wants: (String) -> Bool
  ) {
    var gone = tree.folders[id]?.files ?? [:]
    for (name, stamp) in listing.files {
      gone[name] = nil
      see(
        stamp, links: 1, name: name, in: id, path: joinedPath(path, name.text), after: hint)
    }
    for name in gone.keys {
      tree.update(id) { $0.files[name] = nil }
      // Files that no longer match are not reported.
      if wants(name.text) { reportRemoved(joinedPath(path, name.text)) }
    }
  }

  private func compareFolders(
    _ listing: FolderListing, with id: FolderID, layers: GitignoreLayers
  ) -> [(folder: FolderID, isNew: Bool)] {
    var gone = tree.folders[id]?.folders ?? [:]
    var folders: [(folder: FolderID, isNew: Bool)] = []
    for name in listing.folders where enters(name.text, in: id, layers: layers) {
      let known = gone.removeValue(forKey: name)
      folders.append((known ?? tree.add(name, in: id), known == nil))
    }
    for (name, folder) in gone {
      drop(folder, reports: enters(name.text, in: id, layers: layers))
    }
    return folders
  }

  /// Handles a folder that cannot be read.
  private func lose(_ id: FolderID, isMissing: Bool) {
    if isMissing && tree.root != id {
      drop(id, reports: true)
      return
    }
    // Keep it, so that it is scanned again when it becomes readable.
    becameUnreachable(id)
    let path = tree.path(of: id)
    for name in tree.folders[id]?.files.keys.map(\.self) ?? [] {
      forgetFile(name, in: id, path: joinedPath(path, name.text))
    }
    for folder in tree.folders[id]?.folders.values.map(\.self) ?? [] { drop(folder, reports: true) }
  }

  /// Ensures that an unreadable folder is scanned after any permission change of the folder or the
  /// folders above it, even one that has been undone since.
  func becameUnreachable(_ id: FolderID) {
    var next: FolderID? = id
    while let id = next {
      tree.update(id) { $0.access = nil }
      next = tree.folders[id]?.parent
    }
  }

  /// Returns whether the known contents of a folder are accessible: its permissions may have been
  /// different when it was listed.
  func isReachable(_ id: FolderID) -> Bool {
    guard let folder = tree.folders[id],
      let name = folder.files.keys.first ?? folder.folders.keys.first
    else { return true }
    return FoundEntry.look(at: Array(joinedPath(fullPath(of: id), name.text).utf8)) != .unreachable
  }

  /// Reports recently reported files again.
  ///
  /// A subscriber may have failed to read them because the permissions of a folder were changed and
  /// have been changed back since.
  func reportUnrest(below id: FolderID) {
    let seconds = secondsNow()
    for path in tree.files(below: id, where: { $0.wasReportedRecently(at: seconds) }) {
      reportChanged(path)
    }
  }

  /// Removes a folder and everything below it from the known tree.
  func drop(_ id: FolderID, reports: Bool) {
    let removal = tree.remove(id)
    for watch in removal.watches { watches.unwatch(watch) }
    unwatched.subtract(removal.folders)
    if reports {
      for path in removal.files { reportRemoved(path) }
    }
  }
}
