// copy_file_range(2), which the C library declares for GNU sources only.
#define _GNU_SOURCE
#include "PlatformShim.h"

#include <errno.h>
#include <unistd.h>

ssize_t reprise_copy_range(int source, int target, size_t count) {
#ifdef __linux__
  return copy_file_range(source, NULL, target, NULL, count, 0);
#else
  errno = ENOSYS;
  return -1;
#endif
}
