// The folder for temporary files: in memory if possible, because each step needs two files, and
// creating them on a disk takes longer than the process itself.

#if os(Linux)
import Platform

private let folderStandard =
  mayAccess("/dev/shm", .writing) && mayAccess("/dev/shm", .execution) ? "/dev/shm" : "/tmp"

/// Returns the folder for temporary files.
///
/// - Parameter directory: The value of `TMPDIR`, if it is set; used if it is absolute.
/// - Returns: The folder.
package func temporaryFolder(_ directory: String?) -> String {
  directory.flatMap { $0.hasPrefix("/") ? $0 : nil } ?? folderStandard
}
#endif
