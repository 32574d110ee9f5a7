// System calls that Swift cannot import.

#ifndef PLATFORM_SHIM_H
#define PLATFORM_SHIM_H

#include <pthread.h>
#include <stdint.h>
#include <sys/types.h>

/// Copies bytes between two open files within the kernel; file systems such as XFS and Btrfs share the blocks.
///
/// Returns the number of bytes; 0 at the end, -1 with errno after an error, ENOSYS where there is no such call.
ssize_t reprise_copy_range(int source, int target, size_t count);

/// What child processes have used that were waited for, with those that they have waited for.
struct reprise_child_use {
  /// The processor time in microseconds.
  int64_t microseconds;
  /// The peak memory of the largest process in bytes.
  int64_t peak_bytes;
};

/// Returns what the child processes of this one have used.
struct reprise_child_use reprise_child_use(void);

/// Identifies the calling thread while it runs.
static inline uintptr_t reprise_thread(void) { return (uintptr_t)pthread_self(); }

#endif
