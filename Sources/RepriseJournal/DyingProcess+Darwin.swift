// Checks whether a process has died, on Darwin.

#if canImport(Darwin)
import Platform

/// Returns whether a process no longer exists.
///
/// - Parameter process: The id of the process.
/// - Returns: Whether there is no such process.
func isDying(_ process: Int) -> Bool {
  !processExists(Int32(clamping: process))
}
#endif
