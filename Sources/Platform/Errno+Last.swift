// The error of a system call, as swift-system has it: a number with a name and the system's text.
// Targets that import Platform see swift-system as well.

@_exported import SystemPackage

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

extension Errno {
  /// The error of the call of the C library that has just failed on this thread.
  package static var last: Errno { Errno(rawValue: errno) }

  /// Whether nothing of that name exists: also where the path leads through a file or a cycle of links.
  package var isMissing: Bool {
    self == .noSuchFileOrDirectory || self == .notDirectory || self == .tooManySymbolicLinkLevels
  }
}
