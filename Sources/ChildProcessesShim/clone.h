// The interface of clone.c for spawn.c.

#ifndef CHILD_PROCESSES_CLONE_H
#define CHILD_PROCESSES_CLONE_H

#include <sys/types.h>

struct reprise_watch;

/// Starts a program like reprise_spawn, with an input descriptor, and a control group descriptor or
/// -1. Returns 0 or an error number: ENOSYS if the system does not support it.
int reprise_clone(pid_t *pid, const char *path, char *const arguments[], char *const environment[],
                  const char *directory, int input, int output, int errors, int control_group,
                  const struct reprise_watch *watch);

#endif
