// Returns the memory in use, according to the allocator of the platform.

#include "allocation.h"

#ifdef __APPLE__
#include <malloc/malloc.h>

size_t reprise_allocated_bytes(void) { return mstats().bytes_used; }
#else
#include <malloc.h>

size_t reprise_allocated_bytes(void) {
  struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
}
#endif
