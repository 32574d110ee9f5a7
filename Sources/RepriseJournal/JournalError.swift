// What can go wrong with the record of runs, in words that say what to do. Knows no database.

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Why runs cannot be recorded or read.
public struct JournalError: Error, Equatable, CustomStringConvertible {
  /// A complete message: what, where, and how to mend it.
  public let description: String

  init(_ description: String) {
    self.description = description
  }

  /// A system call failed.
  static func system(_ what: String, _ path: String, _ number: Int32) -> JournalError {
    var text = "\(what) \"\(path)\": \(String(cString: strerror(number)))"
    switch number {
    case ENOSPC, EDQUOT: text += "; make room there" + freeSpace(path)
    case EACCES, EROFS, EPERM:
      text += "; choose another place with --state-dir, or use --no-journal where a run is not kept"
    case EMFILE, ENFILE: text += "; raise the limit of open files (ulimit -n)"
    default: break
    }
    return JournalError(text)
  }

  /// How much room is left, for a message about a full disk.
  static func freeSpace(_ path: String) -> String {
    var status = statvfs()
    let folder = path.split(separator: "/", omittingEmptySubsequences: false).dropLast()
      .joined(separator: "/")
    guard statvfs(folder.isEmpty ? "." : folder, &status) == 0 else { return "" }
    return " (\(UInt64(status.f_bavail) * UInt64(status.f_frsize) / 1024) KiB are free)"
  }
}

/// open(2), by a name that no method hides.
func openFile(_ path: String, _ flags: Int32, _ mode: mode_t) -> Int32 {
  open(path, flags, mode)
}
