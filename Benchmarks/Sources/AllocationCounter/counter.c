// Counts allocations. If an executable defines `malloc`, all of its shared libraries use that one,
// including those of Swift. Each function calls the one of glibc.

#include "AllocationCounter.h"

#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

static atomic_bool is_counting;
static atomic_ulong count;

// Without counting it costs a load and a branch, so times can be measured in the same program.
static inline void note(void) {
  if (atomic_load_explicit(&is_counting, memory_order_relaxed))
    atomic_fetch_add_explicit(&count, 1, memory_order_relaxed);
}

void allocation_counter_start(void) {
  atomic_store(&count, 0);
  atomic_store(&is_counting, 1);
}

unsigned long allocation_counter_stop(void) {
  atomic_store(&is_counting, 0);
  return atomic_load(&count);
}

void *malloc(size_t size) {
  note();
  return __libc_malloc(size);
}

void *calloc(size_t number, size_t size) {
  note();
  return __libc_calloc(number, size);
}

void *realloc(void *old, size_t size) {
  note();
  return __libc_realloc(old, size);
}

void *memalign(size_t alignment, size_t size) {
  note();
  return __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
  note();
  return __libc_memalign(alignment, size);
}

int posix_memalign(void **result, size_t alignment, size_t size) {
  note();
  void *block = __libc_memalign(alignment, size);
  if (block == NULL) return ENOMEM;
  *result = block;
  return 0;
}
