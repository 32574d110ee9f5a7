// Counts the allocations of a process that is linked with this library. glibc only.

#ifndef ALLOCATION_COUNTER_H
#define ALLOCATION_COUNTER_H

/// Starts counting from 0, in all threads.
void allocation_counter_start(void);

/// Stops counting.
///
/// Returns the number of allocations since the start with malloc, calloc, realloc, posix_memalign,
/// aligned_alloc and memalign.
unsigned long allocation_counter_stop(void);

#endif
