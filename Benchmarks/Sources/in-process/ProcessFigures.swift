// The time and the peak memory of this process.

import Glibc

/// Returns the time of the monotonic clock, in seconds.
func seconds() -> Double {
  var now = timespec()
  clock_gettime(CLOCK_MONOTONIC, &now)
  return Double(now.tv_sec) + Double(now.tv_nsec) / 1e9
}

/// Returns the peak resident memory, in bytes.
func maxResident() -> Double {
  var usage = rusage()
  getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
  return Double(usage.ru_maxrss) * 1024
}
