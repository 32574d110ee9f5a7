// pty-watch SETTLE SECONDS REPORT COMMAND [ARGUMENT…]
//
// Runs `reprise` in a pseudo-terminal of 120 × 40, reads its output, and after SETTLE seconds
// observes it for SECONDS (both may have fractions). Then it terminates the command and writes to
// REPORT: the observed seconds, the bytes and redraws during that time, and the processor time in
// clock ticks of the command's first process (the guardian) and of its children (the engine). The
// steps are children of the engine, so neither they nor their time after they end is counted.
//
// A redraw starts with the code that hides the cursor (Screen.swift), so these codes are counted.

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const char redraw[] = "\033[?25l";

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/// Returns the user and system time of one process, without its children, in clock ticks.
static long ticks_of(long process) {
  char path[64], text[1024];
  snprintf(path, sizeof path, "/proc/%ld/stat", process);
  FILE *file = fopen(path, "r");
  if (file == NULL) return 0;
  size_t length = fread(text, 1, sizeof text - 1, file);
  fclose(file);
  text[length] = 0;
  // The name, in parentheses, may contain anything. Fields 3 and so on follow the last parenthesis.
  char *rest = strrchr(text, ')');
  long user = 0, system = 0;
  if (rest != NULL)
    sscanf(rest + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %ld %ld", &user, &system);
  return user + system;
}

// Whether two processes run programs of one name.
static int has_name_of(long process, long other) {
  char path[64], names[2][32] = {"", ""};
  for (int index = 0; index < 2; index++) {
    snprintf(path, sizeof path, "/proc/%ld/comm", index == 0 ? process : other);
    FILE *file = fopen(path, "r");
    if (file == NULL) return 0;
    if (fgets(names[index], sizeof names[index], file) == NULL) names[index][0] = 0;
    fclose(file);
  }
  return strcmp(names[0], names[1]) == 0;
}

static long ticks_of_engine(long process) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%ld/task/%ld/children", process, process);
  long ticks = ticks_of(process), child;
  FILE *file = fopen(path, "r");
  if (file == NULL) return ticks;
  // On a terminal, the guardian has a parent that restores it. Steps have other names.
  while (fscanf(file, "%ld", &child) == 1)
    if (has_name_of(child, process)) ticks += ticks_of_engine(child);
  fclose(file);
  return ticks;
}

static unsigned long bytes_read, redraws_read;

/// Reads output until a deadline. Returns 0 if the terminal is closed before.
static int read_until(int terminal, double end) {
  static size_t matched;
  for (double now; (now = seconds()) < end;) {
    struct pollfd polled = {terminal, POLLIN, 0};
    if (poll(&polled, 1, (int)((end - now) * 1000) + 1) <= 0) continue;
    static char bytes[65536];
    ssize_t count = read(terminal, bytes, sizeof bytes);
    if (count <= 0) return count < 0 && errno == EINTR;
    bytes_read += (unsigned long)count;
    for (ssize_t index = 0; index < count; index++) {
      matched = bytes[index] == redraw[matched] ? matched + 1 : bytes[index] == redraw[0];
      if (matched + 1 == sizeof redraw) {
        redraws_read++;
        matched = 0;
      }
    }
  }
  return 1;
}

static pid_t start(int terminal, char **command) {
  const char *name = ptsname(terminal);
  pid_t child = fork();
  if (child != 0) return child;
  setsid();
  int end = open(name, O_RDWR);
  ioctl(end, TIOCSCTTY, 0);
  struct winsize size = {40, 120, 0, 0};
  ioctl(end, TIOCSWINSZ, &size);
  for (int stream = 0; stream < 3; stream++) dup2(end, stream);
  if (end > 2) close(end);
  setenv("TERM", "xterm-256color", 1);
  execvp(command[0], command);
  _exit(127);
}

int main(int count, char **arguments) {
  if (count < 5) return 64;
  int terminal = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (terminal < 0 || grantpt(terminal) != 0 || unlockpt(terminal) != 0) return 71;
  pid_t child = start(terminal, arguments + 4);
  int is_alive = read_until(terminal, seconds() + atof(arguments[1]));

  unsigned long bytes = bytes_read, redraws = redraws_read;
  long ticks = ticks_of_engine(child);
  double start_time = seconds();
  is_alive = is_alive && read_until(terminal, start_time + atof(arguments[2]));
  double observed = seconds() - start_time;
  ticks = ticks_of_engine(child) - ticks;
  bytes = bytes_read - bytes;
  redraws = redraws_read - redraws;

  // The first signal cancels, the second one kills. Reading continues, so that nothing blocks.
  int status;
  for (int attempt = 0; attempt < 100 && waitpid(child, &status, WNOHANG) == 0; attempt++) {
    if (attempt < 2 || attempt == 50) kill(child, SIGTERM);
    read_until(terminal, seconds() + 0.1);
  }
  FILE *report = fopen(arguments[3], "w");
  if (report == NULL) return 73;
  fprintf(report, "%f %lu %lu %f\n", observed, bytes, redraws,
          (double)ticks / (double)sysconf(_SC_CLK_TCK));
  fclose(report);
  return is_alive ? 0 : 70;
}
