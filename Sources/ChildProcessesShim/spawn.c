// Starts programs, and wraps the system calls that the reactor needs.
#define _GNU_SOURCE
#include "ChildProcessesShim.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#ifdef __GLIBC__
#include <malloc.h>
#endif

#ifdef __linux__
#include "clone.h"

#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#endif

static int at_least_3(int descriptor) {
  if (descriptor >= 3 || descriptor < 0) return descriptor;
  int higher = fcntl(descriptor, F_DUPFD_CLOEXEC, 3);
  close(descriptor);
  return higher;
}

/// What to start a program with: default actions of signals, none blocked, and only the descriptors that
/// are named.
struct spawning {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
};

/// Initializes it, with more flags; what succeeds is ended by spawn_with.
static int begin_spawning(struct spawning *spawning, short more_flags, const char *directory) {
  int error = posix_spawn_file_actions_init(&spawning->actions);
  if (error) return error;
  error = posix_spawnattr_init(&spawning->attributes);
  if (error) {
    posix_spawn_file_actions_destroy(&spawning->actions);
    return error;
  }
  sigset_t all, none;
  sigfillset(&all);
  sigemptyset(&none);
  short flags = POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | more_flags;
#ifdef POSIX_SPAWN_CLOEXEC_DEFAULT
  flags |= POSIX_SPAWN_CLOEXEC_DEFAULT;
#endif
  error = posix_spawnattr_setsigdefault(&spawning->attributes, &all);
  if (!error) error = posix_spawnattr_setsigmask(&spawning->attributes, &none);
  if (!error) error = posix_spawnattr_setflags(&spawning->attributes, flags);
  if (!error && directory)
    error = posix_spawn_file_actions_addchdir_np(&spawning->actions, directory);
  if (error) {
    posix_spawnattr_destroy(&spawning->attributes);
    posix_spawn_file_actions_destroy(&spawning->actions);
  }
  return error;
}

/// Starts the program, unless there was an error before.
static int spawn_with(struct spawning *spawning, int error, pid_t *pid, const char *path,
                      char *const arguments[], char *const environment[]) {
#ifdef __GLIBC__
  if (!error) error = posix_spawn_file_actions_addclosefrom_np(&spawning->actions, 3);
#endif
  if (!error)
    error = posix_spawn(pid, path, &spawning->actions, &spawning->attributes, arguments, environment);
  posix_spawnattr_destroy(&spawning->attributes);
  posix_spawn_file_actions_destroy(&spawning->actions);
  return error;
}

static int spawn_portably(pid_t *pid, const char *path, char *const arguments[],
                          char *const environment[], const char *directory, int output,
                          int errors) {
  struct spawning spawning;
  int error = begin_spawning(&spawning, POSIX_SPAWN_SETSID, directory);
  if (error) return error;
  error = posix_spawn_file_actions_addopen(&spawning.actions, 0, "/dev/null", O_RDONLY, 0);
  if (!error) error = posix_spawn_file_actions_adddup2(&spawning.actions, output, 1);
  if (!error) error = posix_spawn_file_actions_adddup2(&spawning.actions, errors, 2);
  return spawn_with(&spawning, error, pid, path, arguments, environment);
}

int reprise_spawn_in_group(pid_t *pid, const char *path, char *const arguments[],
                           char *const environment[], const char *directory) {
  struct spawning spawning;
  int error = begin_spawning(&spawning, POSIX_SPAWN_SETPGROUP, directory);
  if (error) return error;
  error = posix_spawnattr_setpgroup(&spawning.attributes, 0);
#ifdef POSIX_SPAWN_CLOEXEC_DEFAULT
  for (int stream = 0; stream < 3 && !error; stream++)
    error = posix_spawn_file_actions_addinherit_np(&spawning.actions, stream);
#endif
  return spawn_with(&spawning, error, pid, path, arguments, environment);
}

#ifdef __linux__
/// The control group in which children are started; -1 for our own.
static int control_group = -1;

/// Moves this process into the control group, so that its children will be in it.
static void join_control_group(void) {
  if (control_group < 0) return;
  int descriptor = openat(control_group, "cgroup.procs", O_WRONLY | O_CLOEXEC);
  // If this is refused, processes are found as on systems without control groups.
  if (descriptor >= 0 && write(descriptor, "0", 1) < 0) errno = 0;
  if (descriptor >= 0) close(descriptor);
  close(control_group);
  control_group = -1;
}

int reprise_holds_control_groups(const char *folder) {
  struct statfs status;
  // CGROUP2_SUPER_MAGIC of linux/magic.h.
  return statfs(folder, &status) == 0 && status.f_type == 0x63677270;
}

void reprise_start_children_in(const char *folder) {
  control_group = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

int reprise_spawn(pid_t *pid, const char *path, char *const arguments[], char *const environment[],
                  const char *directory, int output, int errors,
                  const struct reprise_watch *watch) {
  // Opened once: opening it takes as long as everything else that a child does before its program
  // starts.
  static int empty = -1;
  if (empty < 0) empty = at_least_3(open("/dev/null", O_RDONLY | O_CLOEXEC));
  if (empty < 0) return errno;
  int error = reprise_clone(pid, path, arguments, environment, directory, empty, output, errors,
                            control_group, watch);
  if (error != ENOSYS) return error;
  join_control_group();
  return spawn_portably(pid, path, arguments, environment, directory, output, errors);
}
#else
int reprise_spawn(pid_t *pid, const char *path, char *const arguments[], char *const environment[],
                  const char *directory, int output, int errors,
                  const struct reprise_watch *watch) {
  return spawn_portably(pid, path, arguments, environment, directory, output, errors);
}
#endif

int reprise_pipe(int ends[2]) {
#ifdef __linux__
  if (pipe2(ends, O_CLOEXEC)) return errno;
#else
  if (pipe(ends)) return errno;
  fcntl(ends[0], F_SETFD, FD_CLOEXEC);
  fcntl(ends[1], F_SETFD, FD_CLOEXEC);
#endif
  ends[0] = at_least_3(ends[0]);
  ends[1] = at_least_3(ends[1]);
  if (ends[0] >= 0 && ends[1] >= 0 && fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0) return 0;
  int error = errno;
  if (ends[0] >= 0) close(ends[0]);
  if (ends[1] >= 0) close(ends[1]);
  return error;
}

int reprise_pseudo_terminal(int ends[2], int columns, int rows) {
  ends[1] = -1;
#ifdef __linux__
  ends[0] = at_least_3(posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC));
#else
  ends[0] = at_least_3(posix_openpt(O_RDWR | O_NOCTTY));
  if (ends[0] >= 0) fcntl(ends[0], F_SETFD, FD_CLOEXEC);
#endif
  if (ends[0] < 0) return errno;
  char path[128];
  struct termios settings;
  struct winsize size = {.ws_col = (unsigned short)columns, .ws_row = (unsigned short)rows};
  if (grantpt(ends[0]) == 0 && unlockpt(ends[0]) == 0 &&
      ptsname_r(ends[0], path, sizeof path) == 0)
    ends[1] = at_least_3(open(path, O_RDWR | O_NOCTTY | O_CLOEXEC));
  if (ends[1] >= 0 && tcgetattr(ends[1], &settings) == 0) {
    // Line feeds stay as they are, and nothing that is typed is there to be echoed.
    settings.c_oflag &= ~(tcflag_t)OPOST;
    settings.c_lflag &= ~(tcflag_t)ECHO;
    if (tcsetattr(ends[1], TCSANOW, &settings) == 0 && ioctl(ends[1], TIOCSWINSZ, &size) == 0 &&
        fcntl(ends[0], F_SETFL, O_RDWR | O_NONBLOCK) == 0)
      return 0;
  }
  int error = errno;
  close(ends[0]);
  if (ends[1] >= 0) close(ends[1]);
  return error;
}

void reprise_set_nonblocking(int descriptor) {
  fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK);
}

int reprise_flush_output(void) {
  return fflush(stdout) ? errno : 0;
}

void reprise_end(int status) {
  fflush(stdout);
  fflush(stderr);
  _exit(status);
}

void reprise_set_up_memory(int bytes) {
#ifdef __GLIBC__
  mallopt(M_TRIM_THRESHOLD, bytes);
  // An arena reserves 64 MiB of addresses; if these are limited, none would be left for the stacks
  // of threads.
  struct rlimit limit;
  if (!getrlimit(RLIMIT_AS, &limit) && limit.rlim_cur != RLIM_INFINITY) mallopt(M_ARENA_MAX, 1);
#endif
}

int reprise_peek_exit(pid_t pid, int *value) {
  siginfo_t info = {0};
  while (waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT)) {
    if (errno != EINTR) return -1;
  }
  if (info.si_pid == 0) return 0;
  *value = info.si_status;
  return info.si_code == CLD_EXITED ? 1 : 2;
}

int reprise_adopt_orphans(void) {
#ifdef __linux__
  return prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0;
#else
  return 0;
#endif
}

#ifdef __linux__
int reprise_is_sleep(int call) {
#ifdef SYS_nanosleep
  if (call == SYS_nanosleep) return 1;
#endif
  return call == SYS_clock_nanosleep;
}

int reprise_pidfd_open(pid_t pid) { return (int)syscall(SYS_pidfd_open, pid, 0); }

int reprise_epoll_create(void) { return epoll_create1(EPOLL_CLOEXEC); }

void reprise_epoll_watch(int epoll, int descriptor) {
  struct epoll_event event = {.events = EPOLLIN, .data.fd = descriptor};
  epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event);
}

void reprise_epoll_unwatch(int epoll, int descriptor) {
  epoll_ctl(epoll, EPOLL_CTL_DEL, descriptor, NULL);
}

int reprise_epoll_wait(int epoll, int *descriptors, int count, int milliseconds) {
  struct epoll_event events[256];
  int ready = epoll_wait(epoll, events, count < 256 ? count : 256, milliseconds);
  for (int i = 0; i < ready; i++) descriptors[i] = events[i].data.fd;
  return ready < 0 ? 0 : ready;
}
#endif
