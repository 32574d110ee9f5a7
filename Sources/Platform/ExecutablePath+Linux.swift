// The path of the running program on Linux.

#if canImport(Glibc) || canImport(Musl)
#if canImport(Glibc)
import Glibc
#else
import Musl
#endif

/// The path of the program of this process, without symbolic links; nil if it is unknown.
///
/// If the file has been replaced since, as by an upgrade, the path is that of the new one.
package var executablePath: String? {
  // Linux says so after the path: proc(5).
  let (path, mark) = (linkTarget("/proc/self/exe"), " (deleted)")
  guard let path, path.hasSuffix(mark), unsafe access(path, F_OK) != 0 else { return path }
  return String(path.dropLast(mark.utf8.count))
}
#endif
