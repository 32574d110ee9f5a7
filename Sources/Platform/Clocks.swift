// The wall clock of the system, and the UTC offset of local time.

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Returns the current time of the clock that is also used for file time stamps.
///
/// - Returns: Nanoseconds since 1970.
package func nanosecondsSince1970() -> Int64 {
  var time = timespec()
  _ = unsafe clock_gettime(CLOCK_REALTIME, &time)
  return nanoseconds(time)
}

/// Returns the UTC offset of this machine's local time.
///
/// - Parameter second: A time, in seconds since 1970.
/// - Returns: The offset in seconds; positive in the east.
package func localTimeOffset(atSecond second: Int64) -> Int {
  var seconds = time_t(second)
  var local = unsafe tm()
  _ = unsafe localtime_r(&seconds, &local)
  return unsafe local.tm_gmtoff
}

/// Returns a `timespec` in nanoseconds.
func nanoseconds(_ time: timespec) -> Int64 {
  Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
}
