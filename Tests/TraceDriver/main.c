// Runs a program and prints which files of a folder it has used, for campaigns that compare this with
// what they know: TraceDriver FOLDER REPORT PROGRAM ARGUMENT…
#define _GNU_SOURCE
#include "FileTraceShim.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/wait.h>

static int fail(const char *what) {
  fprintf(stderr, "TraceDriver: %s: %s\n", what, strerror(errno));
  return 125;
}

static void keep(void *context, int listener) { *(int *)context = dup(listener); }

int main(int count, char **words) {
  if (count < 4) {
    fprintf(stderr, "usage: TraceDriver FOLDER REPORT PROGRAM ARGUMENT…\n");
    return 125;
  }
  const char *problem = reprise_trace_problem();
  if (problem) {
    fprintf(stderr, "TraceDriver: %s\n", problem);
    return 125;
  }
  FILE *out = fopen(words[2], "we");
  if (!out) return fail(words[2]);
  // What the program leaves behind is answered by this process; its parent returns the status.
  int answer[2];
  if (pipe(answer)) return fail("pipe");
  pid_t watcher = fork();
  if (watcher < 0) return fail("fork");
  if (watcher) {
    int code = 125;
    close(answer[1]);
    ssize_t got = read(answer[0], &code, sizeof code);
    return got == (ssize_t)sizeof code ? code : 125;
  }
  close(answer[0]);
  fcntl(answer[1], F_SETFD, FD_CLOEXEC);
  int listener = -1;
  struct reprise_trace *trace = reprise_trace_begin(words[1], keep, &listener);
  if (!trace) return fail(words[1]);
  pid_t pid = fork();
  if (pid < 0) return fail("fork");
  if (!pid) {
    if ((errno = reprise_trace_this_process(reprise_trace_socket(trace)))) _exit(fail("seccomp"));
    execvp(words[3], words + 3);
    _exit(fail(words[3]));
  }
  int status;
  reprise_trace_started(trace);
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  size_t length;
  char *text = reprise_trace_report(trace, &length);
  if (text) fwrite(text, 1, length, out);
  reprise_trace_free(text);
  reprise_trace_release(trace);
  if (fclose(out)) return fail(words[2]);
  int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  if (write(answer[1], &code, sizeof code) < 0) return 125;
  close(answer[1]);
  // Not the streams of the program, whose reader waits for their end.
  for (int stream = 0; stream < 3; stream++) close(stream);
  struct pollfd left = {listener, 0, 0};
  while (poll(&left, 1, -1) < 0 || !(left.revents & (POLLHUP | POLLERR | POLLNVAL))) {
  }
  return 0;
}
#else
int main(void) {
  fprintf(stderr, "TraceDriver: only Linux can watch the files of a program\n");
  return 125;
}
#endif
