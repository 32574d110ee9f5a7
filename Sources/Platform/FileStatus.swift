// Additions to swift-system's `Stat`: paths that are not UTF-8, and times as numbers.

package import SystemPackage

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

extension Stat {
  /// Reads the status of a path.
  ///
  /// - Parameters:
  ///   - path: The path.
  ///   - followsLink: Whether to follow a symbolic link.
  /// - Throws: The system error.
  package init(at path: String, followsLink: Bool = true) throws(Errno) {
    try unsafe self.init(path, followTargetSymlink: followsLink, retryOnInterrupt: false)
  }

  /// Reads the status of a path that need not be UTF-8.
  ///
  /// - Parameters:
  ///   - path: The bytes of the path, or of a name in a folder.
  ///   - folder: The descriptor of that folder; nil for the working directory.
  ///   - followsLink: Whether to follow a symbolic link.
  /// - Throws: The system error.
  package init(
    bytes path: [UInt8], in folder: Int32? = nil, followsLink: Bool
  ) throws(Errno) {
    var status = stat()
    let flags = followsLink ? 0 : AT_SYMLINK_NOFOLLOW
    let result = unsafe withPath(path) {
      unsafe fstatat(folder ?? AT_FDCWD, $0, &status, flags)
    }
    guard result == 0 else { throw .last }
    self.init(rawValue: status)
  }

  /// The time of the last change of the contents, in nanoseconds since 1970.
  package var modifiedNanoseconds: Int64 { nanoseconds(st_mtim) }

  /// The time of the last change of the status, in nanoseconds since 1970.
  package var statusChangedNanoseconds: Int64 { nanoseconds(st_ctim) }
}
