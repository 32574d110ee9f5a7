// Whether a process is on its way out, on Darwin.

#if canImport(Darwin)
import Platform

/// Whether a process is gone.
///
/// - Parameter process: The id of the process.
/// - Returns: Whether there is no such process.
func isDying(_ process: Int) -> Bool {
  !processExists(Int32(clamping: process))
}
#endif
