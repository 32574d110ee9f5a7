// measured REPORT OUTPUT ERRORS COMMAND [ARGUMENT…]
//
// Runs a command and writes to the file REPORT: wall time in nanoseconds (CLOCK_MONOTONIC, from
// before posix_spawn to after wait4), user and system time in microseconds, peak resident memory in
// KiB, and the exit status (128 + n for signal n). Time is that of the command and of all
// descendants that were waited for; memory is the maximum over them. Standard output goes to
// OUTPUT, standard error to ERRORS.
//
// The program is small on purpose: Linux counts the memory of the spawning process as the first
// peak of the new process, so a large parent would be measured instead of a small command.

#define _GNU_SOURCE
#include <fcntl.h>
#include <inttypes.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

extern char **environ;

static int64_t nanoseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static int64_t microseconds(struct timeval time) {
  return (int64_t)time.tv_sec * 1000000 + time.tv_usec;
}

int main(int count, char **arguments) {
  if (count < 5) return 64;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  const int flags = O_WRONLY | O_CREAT | O_TRUNC;
  posix_spawn_file_actions_addopen(&actions, 1, arguments[2], flags, 0600);
  posix_spawn_file_actions_addopen(&actions, 2, arguments[3], flags, 0600);

  pid_t child;
  int64_t start = nanoseconds();
  int error = posix_spawnp(&child, arguments[4], &actions, NULL, arguments + 4, environ);
  if (error != 0) {
    fprintf(stderr, "%s: %s\n", arguments[4], strerror(error));
    return 66;
  }
  int status;
  struct rusage usage;
  if (wait4(child, &status, 0, &usage) != child) return 71;
  int64_t wall = nanoseconds() - start;

  FILE *report = fopen(arguments[1], "w");
  if (report == NULL) return 73;
  fprintf(report, "%" PRId64 " %" PRId64 " %ld %d\n", wall,
          microseconds(usage.ru_utime) + microseconds(usage.ru_stime), usage.ru_maxrss,
          WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
  return fclose(report) == 0 ? 0 : 74;
}
