// The watched folders and the last known state of their files. Pure: no I/O, no clock.

import Paths

/// The last known state of the watched files.
///
/// Folder ids are never reused, so a reference to a removed folder refers to nothing. No method is
/// recursive, so a tree may have any depth.
struct WatchedTree {
  /// The id of a folder.
  typealias FolderID = Int

  /// A folder.
  struct Folder {
    /// The parent folder; nil for the root.
    let parent: FolderID?
    /// The name; empty for the root.
    let name: FileName
    /// The watch; nil if there is none.
    fileprivate(set) var watch: Int32?
    /// The matching files.
    var files: [FileName: FileStamp] = [:]
    /// The subfolders that are watched.
    fileprivate(set) var folders: [FileName: FolderID] = [:]
    /// Entries that are neither files nor folders.
    var others: Set<FileName> = []
    /// The rules of its `.gitignore`.
    var rules: GitignoreRules?
    /// The permissions; nil if the folder could not be read.
    var access: FolderAccess?
  }

  /// Everything that was removed with a folder.
  struct Removal {
    /// The paths of the files.
    var files: [String] = []
    /// The watches to release, each as often as it was referenced.
    var watches: [Int32] = []
    /// The ids of the folder and of the folders below it.
    var folders: [FolderID] = []
  }

  /// The root; nil if it does not exist.
  private(set) var root: FolderID?
  /// All folders.
  private(set) var folders: [FolderID: Folder] = [:]
  /// The folders of each watch.
  ///
  /// There is more than one if a folder is mounted twice, or was moved and the system has reported
  /// only one of its paths so far.
  private var owners: [Int32: [FolderID]] = [:]
  private var nextID = 0

  /// The number of folders that have a watch.
  private(set) var watchedCount = 0

  /// Returns the folders of a watch.
  func folders(watchedBy watch: Int32) -> [FolderID] {
    owners[watch] ?? []
  }

  /// Adds the root.
  ///
  /// - Returns: The id of the root.
  mutating func addRoot() -> FolderID {
    let id = newID()
    root = id
    folders[id] = Folder(parent: nil, name: FileName(""))
    return id
  }

  /// Adds a folder.
  ///
  /// - Parameters:
  ///   - name: The name; its parent must not contain a folder of that name.
  ///   - parent: The parent folder.
  /// - Returns: The id of the folder.
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

  /// Updates a folder; does nothing if it was removed.
  mutating func update(_ id: FolderID, _ change: (inout Folder) -> Void) {
    guard folders[id] != nil else { return }
    change(&folders[id, default: Folder(parent: nil, name: FileName(""))])
  }

  /// Sets or removes the watch of a folder.
  ///
  /// - Returns: The previous watch, even if it is the same.
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

  /// Removes a folder and everything below it.
  ///
  /// Linear in the number of removed files and folders.
  ///
  /// - Returns: Everything that was removed.
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

  /// Returns the paths of known files in and below a folder that match a predicate.
  func files(below id: FolderID, where matches: (FileStamp) -> Bool) -> [String] {
    var paths: [String] = []
    var waiting = [(id: id, path: path(of: id))]
    while let (id, path) = waiting.popLast() {
      guard let folder = folders[id] else { continue }
      for (name, stamp) in folder.files where matches(stamp) {
        paths.append(joinedPath(path, name.text))
      }
      waiting += folder.folders.map { (id: $0.value, path: joinedPath(path, $0.key.text)) }
    }
    return paths
  }

  /// Returns the path of a folder relative to the root; empty for the root.
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
