// What a process knows of itself: its time and the most memory that it has had.

import Glibc

/// A moment of the monotonic clock, in seconds.
func seconds() -> Double {
  var now = timespec()
  clock_gettime(CLOCK_MONOTONIC, &now)
  return Double(now.tv_sec) + Double(now.tv_nsec) / 1e9
}

/// The most memory that was resident so far, in bytes.
func maxResident() -> Double {
  var usage = rusage()
  getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
  return Double(usage.ru_maxrss) * 1024
}
