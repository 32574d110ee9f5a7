// Reads the process table of Linux from /proc; in C, because it is read often while many processes
// are being stopped.
#ifdef __linux__
#define _GNU_SOURCE
#include "ChildProcessesShim.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/// Parses /proc/pid/stat (see proc(5)): the name is in parentheses and may itself contain some. A
/// process whose first thread has ended while others run is also listed as a zombie, with more than
/// one thread.
static int read_process(int folder, const char *name, struct reprise_process *process) {
  char path[32], text[1024];
  snprintf(path, sizeof path, "%.20s/stat", name);
  int descriptor = openat(folder, path, O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return 0;
  ssize_t count;
  while ((count = read(descriptor, text, sizeof text - 1)) < 0 && errno == EINTR) {
  }
  close(descriptor);
  if (count <= 0) return 0;
  text[count] = 0;
  const char *rest = strrchr(text, ')');
  char state;
  long threads;
  if (rest == NULL ||
      sscanf(rest + 1, " %c %d %d %d %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %ld %*s %llu",
             &state, &process->parent, &process->group, &process->session, &threads,
             &process->start) != 6)
    return 0;
  process->pid = atoi(name);
  process->is_zombie = state == 'X' || (state == 'Z' && threads <= 1);
  return 1;
}

int reprise_list_processes(struct reprise_process *list, int capacity, int *is_torn) {
  *is_torn = 1;
  DIR *stream = opendir("/proc");
  if (stream == NULL) return 0;
  *is_torn = 0;
  int count = 0;
  struct dirent *entry;
  while ((entry = readdir(stream)) != NULL) {
    if (entry->d_name[0] < '1' || entry->d_name[0] > '9') continue;
    if (count == capacity) {
      count++;
      break;
    }
    if (read_process(dirfd(stream), entry->d_name, &list[count]))
      count++;
    else
      *is_torn = 1;
  }
  closedir(stream);
  return count;
}
#endif
