// Asks the allocator of the platform what is in use. Knows nothing of who uses it.

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
