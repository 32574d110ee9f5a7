// Finds the entry at a path and lists folders, with file stamps.

import Paths
import Platform

/// The permissions of a folder; changing them may reveal or hide its contents.
struct FolderAccess: Sendable, Equatable {
  /// The file mode.
  let mode: UInt32
  /// The user id of the owner.
  let user: UInt32
  /// The group id.
  let group: UInt32
}

/// The entry at a path.
enum FoundEntry: Sendable, Equatable {
  /// Nothing.
  case nothing
  /// Something that is inaccessible because of the permissions of an enclosing folder.
  case unreachable
  /// A folder, but not a link to one.
  case folder(FolderAccess)
  /// A regular file or a symbolic link that does not lead to a folder, with its number of hard
  /// links.
  case file(FileStamp, links: Int)
  /// A pipe, a socket, a device, or a symbolic link to one of these or to a folder.
  case other
  /// The path is longer than the system allows.
  case tooLong
}

/// The contents of a folder.
struct FolderListing {
  /// The permissions of the folder.
  private(set) var access: FolderAccess
  /// The folders in it.
  private(set) var folders: [FileName] = []
  /// The matching files in it.
  private(set) var files: [(name: FileName, stamp: FileStamp)] = []
  /// The other entries in it.
  private(set) var others: [FileName] = []
  /// Whether the folder can be listed, but its entries are inaccessible.
  private(set) var isUnreachable = false
  /// Names that are not UTF-8, with the invalid bytes replaced.
  private(set) var unreadableNames: [String] = []

  /// Lists a folder, without following a symbolic link to it.
  ///
  /// - Parameters:
  ///   - path: The path of the folder.
  ///   - wantsFile: Whether a file of this name is included in the result.
  /// - Throws: The system error.
  init(ofFolder path: String, wantsFile: (String) -> Bool) throws(Errno) {
    var folder = try FolderReader(path, followsLink: false)
    access = FolderAccess(try folder.status())
    let now = nanosecondsSince1970()
    while let entry = try folder.next() {
      add(entry, in: folder.descriptor, now: now, wantsFile: wantsFile)
    }
  }

  private mutating func add(
    _ entry: FolderReader.Entry, in folder: Int32, now: Int64, wantsFile: (String) -> Bool
  ) {
    guard let name = entry.text else {
      unreadableNames.append(entry.repairedText)
      return
    }
    switch entry.kind {
    case .folder: folders.append(FileName(name))
    case .file, .link, .unknown:
      if entry.kind != .unknown && !wantsFile(name) { return }
      switch FoundEntry.look(at: entry.name, in: folder, now: now) {
      case .folder: folders.append(FileName(name))
      case .file(let stamp, _):
        if entry.kind != .unknown || wantsFile(name) { files.append((FileName(name), stamp)) }
      case .other: others.append(FileName(name))
      case .unreachable: isUnreachable = true
      case .nothing, .tooLong: break
      }
    case .other: others.append(FileName(name))
    }
  }
}

extension FoundEntry {
  /// Returns the entry at a path.
  ///
  /// - Parameters:
  ///   - path: The path, or a name in a folder.
  ///   - folder: The descriptor of that folder.
  ///   - now: The time, in nanoseconds since 1970.
  /// - Returns: The entry.
  static func look(
    at path: [UInt8], in folder: Int32? = nil, now: Int64 = nanosecondsSince1970()
  ) -> FoundEntry {
    let found: FoundPath
    do throws(Errno) {
      found = try FoundPath(path, in: folder)
    } catch {
      switch error {
      case .fileNameTooLong: return .tooLong
      case .permissionDenied: return .unreachable
      default: return .nothing
      }
    }
    switch found.kind {
    case .folder: return .folder(FolderAccess(found.status))
    // A broken link may lead to a file later.
    case .file, .linkToFile, .brokenLink:
      return .file(FileStamp(found.status, now: now), links: found.status.linkCount)
    case .linkToFolder, .other: return .other
    }
  }
}

extension FolderAccess {
  fileprivate init(_ status: Stat) {
    self.init(
      mode: UInt32(status.mode.rawValue), user: status.userID.rawValue,
      group: status.groupID.rawValue)
  }
}

extension FileStamp {
  fileprivate init(_ status: Stat, now: Int64) {
    let (modified, changed) = (status.modifiedNanoseconds, status.statusChangedNanoseconds)
    self.init(
      modified: modified, statusChanged: changed, size: status.size,
      inode: UInt64(status.inode.rawValue), mode: UInt16(truncatingIfNeeded: status.mode.rawValue),
      isFresh: max(modified, changed) > now &- Self.freshNanoseconds)
  }
}
