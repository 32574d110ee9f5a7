// What single system calls do to files.

#ifndef CALLS_H
#define CALLS_H

#include "book.h"
#include "changes.h"

#include <stdint.h>

struct call {
  int pid, number;
  unsigned architecture;
  uint64_t arguments[6];
};

/// The numbers of the calls that name files, or lead out of what can be seen.
extern const int watched_calls[];
extern const int watched_count;

/// Notes a call before it runs.
///
/// Returns 0 to let it run, or the error with which it fails.
int note_call(struct book *book, struct changes *changes, const struct call *call);

#endif
