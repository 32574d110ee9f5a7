#include "PlatformShim.h"

#include <sys/resource.h>

struct reprise_child_use reprise_child_use(void) {
  struct rusage usage = {0};
  struct reprise_child_use use = {0, 0};
  if (getrusage(RUSAGE_CHILDREN, &usage) != 0) return use;
  use.microseconds = (int64_t)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000
    + usage.ru_utime.tv_usec + usage.ru_stime.tv_usec;
#ifdef __linux__
  use.peak_bytes = (int64_t)usage.ru_maxrss * 1024;
#else
  use.peak_bytes = (int64_t)usage.ru_maxrss;
#endif
  return use;
}
