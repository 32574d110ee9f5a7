// The folders that are watched and what was last seen in them. Pure: no files, no clock.

import Paths

/// A picture of the watched files.
///
/// Folders have numbers that are never used twice, so that what refers to one that is gone refers to
/// nothing. Nothing here recurses, so that a tree may be of any depth.
struct WatchedTree {
  /// The number of a folder.
  typealias FolderID = Int

  /// A folder.
  struct Folder {
    /// The folder around it; nil for the root.
    let parent: FolderID?
    /// Its name; empty for the root.
    let name: FileName
    /// What the system calls its watch; nil where it has none.
    fileprivate(set) var watch: Int32?
    /// Its files that are wanted.
    var files: [FileName: FileStamp] = [:]
    /// Its folders that are entered.
    fileprivate(set) var folders: [FileName: FolderID] = [:]
    /// What is neither a file nor a folder.
    var others: Set<FileName> = []
    /// What its `.gitignore` says.
    var rules: GitignoreRules?
    /// Who may read it; nil where it could not be read.
    var access: FolderAccess?
  }

  /// What was removed with a folder.
  struct Removal {
    /// The paths of its files.
    var files: [String] = []
    /// The watches that nothing needs any more, each as often as it was held.
    var watches: [Int32] = []
    /// Its number and those of the folders below.
    var folders: [FolderID] = []
  }

  /// The root; nil where it does not exist.
  private(set) var root: FolderID?
  /// All folders.
  private(set) var folders: [FolderID: Folder] = [:]
  /// Whose watch it is.
  ///
  /// More than one where a folder is mounted twice, or has been moved and the
  /// system has told so of one of its places only.
  private var owners: [Int32: [FolderID]] = [:]
  private var nextID = 0

  /// How many folders have a watch.
  private(set) var watchedCount = 0

  /// The folders that have a watch.
  func folders(watchedBy watch: Int32) -> [FolderID] {
    owners[watch] ?? []
  }

  /// Adds the root.
  ///
  /// - Returns: Its number.
  mutating func addRoot() -> FolderID {
    let id = newID()
    root = id
    folders[id] = Folder(parent: nil, name: FileName(""))
    return id
  }

  /// Adds a folder.
  ///
  /// - Parameters:
  ///   - name: Its name, which no folder there has.
  ///   - parent: The folder around it.
  /// - Returns: Its number.
  mutating func add(_ name: FileName, in parent: FolderID) -> FolderID {
    let id = newID()
    folders[id] = Folder(parent: parent, name: name)
    folders[parent]?.folders[name] = id
    return id
  }

  private mutating func newID() -> FolderID {
    defer { nextID += 1 }
    return nextID
  }

  /// Changes what is known of a folder; does nothing where it is gone.
  mutating func update(_ id: FolderID, _ change: (inout Folder) -> Void) {
    guard folders[id] != nil else { return }
    change(&folders[id, default: Folder(parent: nil, name: FileName(""))])
  }

  /// Gives a folder a watch, or takes it away.
  ///
  /// - Returns: The watch that it had, also if it is the same.
  mutating func setWatch(_ watch: Int32?, of id: FolderID) -> Int32? {
    guard let old = folders[id].map(\.watch) else { return watch }
    if old == watch { return old }
    if let old {
      disown(old, id)
      watchedCount -= 1
    }
    if let watch {
      owners[watch, default: []].append(id)
      watchedCount += 1
    }
    folders[id]?.watch = watch
    return old
  }

  private mutating func disown(_ watch: Int32, _ id: FolderID) {
    owners[watch]?.removeAll { $0 == id }
    if owners[watch]?.isEmpty == true { owners[watch] = nil }
  }

  /// Removes a folder with all that is below.
  ///
  /// Linear in what is removed.
  ///
  /// - Returns: What was there.
  mutating func remove(_ id: FolderID) -> Removal {
    var removal = Removal()
    guard let top = folders[id] else { return removal }
    if let parent = top.parent { folders[parent]?.folders[top.name] = nil }
    if root == id { root = nil }
    var waiting = [(id: id, path: path(of: id))]
    while let (id, path) = waiting.popLast() {
      guard let folder = folders.removeValue(forKey: id) else { continue }
      removal.folders.append(id)
      if let watch = folder.watch {
        disown(watch, id)
        watchedCount -= 1
        removal.watches.append(watch)
      }
      removal.files += folder.files.keys.map { joinedPath(path, $0.text) }
      waiting += folder.folders.map { (id: $0.value, path: joinedPath(path, $0.key.text)) }
    }
    return removal
  }

  /// The paths of known files in and below a folder.
  func files(below id: FolderID, where isMeant: (FileStamp) -> Bool) -> [String] {
    var paths: [String] = []
    var waiting = [(id: id, path: path(of: id))]
    while let (id, path) = waiting.popLast() {
      guard let folder = folders[id] else { continue }
      for (name, stamp) in folder.files where isMeant(stamp) {
        paths.append(joinedPath(path, name.text))
      }
      waiting += folder.folders.map { (id: $0.value, path: joinedPath(path, $0.key.text)) }
    }
    return paths
  }

  /// The path of a folder from the root; empty for the root.
  ///
  /// Linear in its depth.
  func path(of id: FolderID) -> String {
    var names: [String] = []
    var next = folders[id]
    while let folder = next, let parent = folder.parent {
      names.append(folder.name.text)
      next = folders[parent]
    }
    return names.reversed().joined(separator: "/")
  }
}
