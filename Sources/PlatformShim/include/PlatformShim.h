// System calls that Swift cannot import.

#ifndef PLATFORM_SHIM_H
#define PLATFORM_SHIM_H

#include <sys/types.h>

/// Copies bytes between two open files within the kernel; file systems such as XFS and Btrfs share the blocks.
///
/// Returns the number of bytes; 0 at the end, -1 with errno after an error, ENOSYS where there is no such call.
ssize_t reprise_copy_range(int source, int target, size_t count);

#endif
