// Whether a process is on its way out, on Darwin.

#if canImport(Darwin)
import Darwin

/// Whether a process is gone.
///
/// - Parameter process: The id of the process.
/// - Returns: Whether there is no such process.
func isDying(_ process: Int) -> Bool {
  kill(pid_t(clamping: process), 0) != 0 && errno == ESRCH
}
#endif
