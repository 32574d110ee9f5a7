// How much memory this process has allocated: what the allocator keeps for itself does not count.

#ifndef REPRISE_ALLOCATION_H
#define REPRISE_ALLOCATION_H

#include <stddef.h>

/// The allocated memory in bytes.
size_t reprise_allocated_bytes(void);

#endif
