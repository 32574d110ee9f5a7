// What spawn.c uses of clone.c.

#ifndef CHILD_PROCESSES_CLONE_H
#define CHILD_PROCESSES_CLONE_H

#include <sys/types.h>

/// Starts a program as reprise_spawn does, with a descriptor for its input and that of a control group,
/// or -1. Returns 0 or an error number: ENOSYS where the system cannot do that.
int reprise_clone(pid_t *pid, const char *path, char *const arguments[], char *const environment[],
                  const char *directory, int input, int output, int errors, int control_group);

#endif
