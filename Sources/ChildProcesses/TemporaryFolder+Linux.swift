// Where files that live as long as a process are made. In memory where that can be had: a step needs two
// of them, and on a disk they take longer than the process itself.

#if os(Linux)
#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

private let folderStandard = unsafe access("/dev/shm", W_OK | X_OK) == 0 ? "/dev/shm" : "/tmp"

/// The folder for files that live as long as a process.
///
/// - Parameter directory: The value of `TMPDIR`, if it has one: it wins where it is absolute.
/// - Returns: The folder.
package func temporaryFolder(_ directory: String?) -> String {
  directory.flatMap { $0.hasPrefix("/") ? $0 : nil } ?? folderStandard
}
#endif
