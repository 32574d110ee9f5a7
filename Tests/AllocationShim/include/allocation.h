// The allocated memory of this process, without the memory that the allocator keeps for itself.

#ifndef REPRISE_ALLOCATION_H
#define REPRISE_ALLOCATION_H

#include <stddef.h>

/// Returns the allocated memory in bytes.
size_t reprise_allocated_bytes(void);

#endif
