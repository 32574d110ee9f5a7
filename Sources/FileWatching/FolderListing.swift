// What stands at a path and in a folder, with stamps. Knows no watches and no filters.

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Who may read a folder: a change of it may show or hide what is below.
struct FolderAccess: Sendable, Equatable {
  /// Its rights.
  let mode: UInt32
  /// Whose it is.
  let user: UInt32
  /// Whose it is as well.
  let group: UInt32
}

/// What stands at a path.
enum FoundEntry: Sendable, Equatable {
  /// Nothing.
  case nothing
  /// Something that may not be looked at, because of the rights of a folder around it.
  case unreachable
  /// A folder, but no link to one.
  case folder(FolderAccess)
  /// A regular file or a symbolic link that leads to no folder, with its number of names.
  case file(FileStamp, links: Int)
  /// A pipe, a socket, a device, or a symbolic link to one of these or to a folder.
  case other
  /// The path is longer than the system allows.
  case tooLong
}

/// What a folder contains.
struct FolderListing {
  /// A failure of the system to read a folder.
  struct Failure: Error {
    let number: Int32

    /// Whether there is no such folder.
    var isMissing: Bool { number == ENOENT || number == ENOTDIR || number == ELOOP }
    /// Whether the path is longer than the system allows.
    var isTooLong: Bool { number == ENAMETOOLONG }
    /// The system's words.
    var text: String { String(cString: strerror(number)) }
  }

  /// Who may read the folder.
  private(set) var access: FolderAccess
  /// The folders in it.
  private(set) var folders: [FileName] = []
  /// The files in it that are wanted.
  private(set) var files: [(name: FileName, stamp: FileStamp)] = []
  /// What is in it and neither.
  private(set) var others: [FileName] = []
  /// Whether the folder can be read, but not what is in it.
  private(set) var isUnreachable = false
  /// Names that are not UTF-8, as far as they can be shown.
  private(set) var unreadableNames: [String] = []

  /// Reads a folder, but not through a symbolic link.
  ///
  /// - Parameters:
  ///   - path: Its path.
  ///   - wantsFile: Whether a file of this name is looked at; what is not, is not in the result.
  /// - Throws: ``Failure``.
  init(ofFolder path: String, wantsFile: (String) -> Bool) throws(Failure) {
    let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW)
    guard descriptor >= 0 else { throw Failure(number: errno) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, let stream = fdopendir(descriptor) else {
      let number = errno
      close(descriptor)
      throw Failure(number: number)
    }
    defer { closedir(stream) }
    access = FolderAccess(status)
    let now = nanosecondsSince1970()
    errno = 0
    while let entry = readdir(stream) {
      add(entry, in: descriptor, now: now, wantsFile: wantsFile)
      errno = 0
    }
    // A folder that was removed while it was read has no more entries.
    let number = errno
    guard number == 0 || number == ENOENT else { throw Failure(number: number) }
  }

  private mutating func add(
    _ entry: UnsafeMutablePointer<dirent>, in descriptor: Int32, now: Int64,
    wantsFile: (String) -> Bool
  ) {
    let (name, shown) = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
      let start = UnsafeRawPointer(pointer).assumingMemoryBound(to: CChar.self)
      let name = String(validatingCString: start)
      return (name, name ?? String(cString: start))
    }
    guard shown != ".", shown != ".." else { return }
    guard let name else {
      unreadableNames.append(shown)
      return
    }
    let type = Int(entry.pointee.d_type)
    switch type {
    case Int(DT_DIR): folders.append(FileName(name))
    case Int(DT_REG), Int(DT_LNK), Int(DT_UNKNOWN):
      if type != Int(DT_UNKNOWN) && !wantsFile(name) { return }
      switch FoundEntry.look(at: name, in: descriptor, now: now) {
      case .folder: folders.append(FileName(name))
      case .file(let stamp, _):
        if type != Int(DT_UNKNOWN) || wantsFile(name) { files.append((FileName(name), stamp)) }
      case .other: others.append(FileName(name))
      case .unreachable: isUnreachable = true
      case .nothing, .tooLong: break
      }
    default: others.append(FileName(name))
    }
  }
}

extension FoundEntry {
  /// Looks at a path.
  ///
  /// - Parameters:
  ///   - path: The path, or a name in a folder.
  ///   - folder: The descriptor of that folder.
  ///   - now: The time, in nanoseconds since 1970.
  /// - Returns: What stands there.
  static func look(
    at path: String, in folder: Int32 = AT_FDCWD, now: Int64 = nanosecondsSince1970()
  ) -> FoundEntry {
    var status = stat()
    guard fstatat(folder, path, &status, AT_SYMLINK_NOFOLLOW) == 0 else {
      switch errno {
      case ENAMETOOLONG: return .tooLong
      case EACCES: return .unreachable
      default: return .nothing
      }
    }
    switch status.st_mode & S_IFMT {
    case S_IFDIR: return .folder(FolderAccess(status))
    case S_IFREG: break
    case S_IFLNK:
      var target = stat()
      // A link that leads nowhere yet may lead to a file later.
      if fstatat(folder, path, &target, 0) == 0 && target.st_mode & S_IFMT != S_IFREG {
        return .other
      }
    default: return .other
    }
    return .file(FileStamp(status, now: now), links: Int(status.st_nlink))
  }
}

extension FolderAccess {
  fileprivate init(_ status: stat) {
    self.init(mode: UInt32(status.st_mode), user: status.st_uid, group: status.st_gid)
  }
}

extension FileStamp {
  fileprivate init(_ status: stat, now: Int64) {
    #if canImport(Glibc) || canImport(Musl)
    let (modified, changed) = (status.st_mtim, status.st_ctim)
    #else
    let (modified, changed) = (status.st_mtimespec, status.st_ctimespec)
    #endif
    let latest = max(nanoseconds(modified), nanoseconds(changed))
    self.init(
      modified: nanoseconds(modified), statusChanged: nanoseconds(changed),
      size: Int64(status.st_size), inode: UInt64(status.st_ino),
      mode: UInt16(truncatingIfNeeded: status.st_mode),
      isFresh: latest > now &- Self.freshNanoseconds)
  }
}

private func nanoseconds(_ time: timespec) -> Int64 {
  Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
}

/// The time by the clock that stamps files.
func nanosecondsSince1970() -> Int64 {
  var time = timespec()
  clock_gettime(CLOCK_REALTIME, &time)
  return nanoseconds(time)
}
