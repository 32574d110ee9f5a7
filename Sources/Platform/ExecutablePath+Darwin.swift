// The path of the running program on macOS.

#if canImport(Darwin)
import Darwin

/// The path of the program of this process, without symbolic links; nil if it is unknown.
package var executablePath: String? {
  var size = UInt32(PATH_MAX)
  var buffer = [CChar](repeating: 0, count: Int(size))
  guard unsafe _NSGetExecutablePath(&buffer, &size) == 0,
    let resolved = unsafe realpath(buffer, nil)
  else { return nil }
  defer { unsafe free(resolved) }
  return unsafe String(cString: resolved)
}
#endif
