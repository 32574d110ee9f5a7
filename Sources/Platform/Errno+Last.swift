// System errors: the `Errno` type of swift-system, which importing Platform also imports.

@_exported import SystemPackage

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

extension Errno {
  /// The error of the C library call that has just failed on this thread.
  package static var last: Errno { Errno(rawValue: errno) }

  /// Whether the error means that a path does not exist, including a path through a file or a cycle
  /// of links.
  package var isMissing: Bool {
    self == .noSuchFileOrDirectory || self == .notDirectory || self == .tooManySymbolicLinkLevels
  }
}
