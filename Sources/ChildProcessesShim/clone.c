// Starts a program with clone3(2): directly in a control group, which posix_spawn cannot do before
// glibc 2.39, and with a third fewer system calls.
#ifdef __linux__
#define _GNU_SOURCE
#include "ChildProcessesShim.h"
#include "clone.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#if defined(SYS_clone3) && defined(SYS_close_range) && (defined(__x86_64__) || defined(__aarch64__))

// From linux/sched.h; the last of these is missing on older systems.
#define CLEAR_SIGNAL_HANDLERS 0x100000000ULL
#define INTO_CONTROL_GROUP 0x200000000ULL
#define SHARE_MEMORY 0x00000100ULL
#define HOLD_PARENT 0x00004000ULL

struct clone_arguments {
  uint64_t flags, pidfd, child_tid, parent_tid, exit_signal, stack, stack_size, tls, set_tid,
      set_tid_size, control_group;
};

/// The child's input. The child shares our memory, and we are suspended until its program starts.
struct job {
  const char *path;
  char *const *arguments, *const *environment;
  const char *directory;
  int input, output, errors;
  /// The highest number of a signal that may be ignored.
  int last_signal;
  /// Who is asked before calls of the program; NULL for nobody.
  const struct reprise_watch *watch;
  int error;
  /// Whether the listener could not be sent: without anyone at it, each watched call would fail.
  int is_deaf;
};

// A sanitizer would track calls that never return, and descriptors that are not ours.
#if defined(__has_attribute)
#if __has_attribute(disable_sanitizer_instrumentation)
#define UNSANITIZED __attribute__((disable_sanitizer_instrumentation))
#endif
#endif
#ifndef UNSANITIZED
#define UNSANITIZED
#endif

// The kernel's struct sigaction: handler, flags, restorer, mask.
struct action {
  unsigned long handler, flags, restorer, mask;
};

/// Returns whether this process ignores real-time signals, which it can only have inherited; the
/// result is cached.
static int ignores_real_time_signals(void) {
  static int answer = -1;
  if (answer >= 0) return answer;
  int found = 0;
  for (int number = 32; number <= 64; number++) {
    struct action action;
    if (!syscall(SYS_rt_sigaction, number, NULL, &action, 8) &&
        action.handler == (unsigned long)SIG_IGN)
      found = 1;
  }
  return answer = found;
}

/// Resets ignored signals to their default. The kernel has already reset handled signals.
UNSANITIZED static void stop_ignoring(int last) {
  for (int number = 1; number <= last; number++) {
    struct action action;
    if (syscall(SYS_rt_sigaction, number, NULL, &action, 8) ||
        action.handler != (unsigned long)SIG_IGN)
      continue;
    action.handler = action.flags = action.restorer = action.mask = 0;
    syscall(SYS_rt_sigaction, number, &action, NULL, 8);
  }
}

// From linux/seccomp.h, in order: a listener, no slow-down of calls that are let through, and only a
// fatal signal ends the wait for an answer (since Linux 5.19).
#define LISTENER 8UL
#define NO_SLOW_DOWN 4UL
#define ONLY_FATAL_SIGNALS 32UL

UNSANITIZED static long filter_calls(const void *program, unsigned long flags) {
  long listener = syscall(SYS_seccomp, 1 /* SECCOMP_SET_MODE_FILTER */, flags, program);
  if (listener >= 0 || errno != EACCES) return listener;
  // Without this, only root may filter; set-uid programs get no more rights from here on.
  syscall(SYS_prctl, PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  return syscall(SYS_seccomp, 1, flags, program);
}

/// Lets the kernel ask before each call that the filter names. A program that cannot be watched runs
/// all the same: its watcher sees the end of the socket.
UNSANITIZED static void be_watched(struct job *job) {
  long listener = filter_calls(job->watch->program, LISTENER | NO_SLOW_DOWN | ONLY_FATAL_SIGNALS);
  if (listener < 0 && errno == EINVAL)
    listener = filter_calls(job->watch->program, LISTENER | NO_SLOW_DOWN);
  if (listener < 0) return;
  int descriptor = (int)listener;
  char byte = 0;
  struct iovec part = {&byte, 1};
  union {
    char space[CMSG_SPACE(sizeof(int))];
    struct cmsghdr aligned;
  } control;
  struct msghdr message;
  memset(&control, 0, sizeof control);
  memset(&message, 0, sizeof message);
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control.space;
  message.msg_controllen = sizeof control.space;
  control.aligned.cmsg_level = SOL_SOCKET;
  control.aligned.cmsg_type = SCM_RIGHTS;
  control.aligned.cmsg_len = CMSG_LEN(sizeof(int));
  memcpy(CMSG_DATA(&control.aligned), &descriptor, sizeof descriptor);
  if (syscall(SYS_sendmsg, job->watch->socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT) != 1)
    job->is_deaf = 1;
}

/// Runs in the child, with system calls only: it must not modify our memory, except the job.
UNSANITIZED __attribute__((used, noreturn)) static void become(struct job *job) {
  uint64_t none = 0;
  stop_ignoring(job->last_signal);
  int is_ready = syscall(SYS_setsid) >= 0 &&
                 (!job->directory || !syscall(SYS_chdir, job->directory));
  // While its descriptors are open.
  if (is_ready && job->watch) be_watched(job);
  if (is_ready && !job->is_deaf &&
      syscall(SYS_dup3, job->input, 0, 0) >= 0 && syscall(SYS_dup3, job->output, 1, 0) >= 0 &&
      syscall(SYS_dup3, job->errors, 2, 0) >= 0 && !syscall(SYS_close_range, 3, ~0U, 0) &&
      !syscall(SYS_rt_sigprocmask, SIG_SETMASK, &none, NULL, 8))
    syscall(SYS_execve, job->path, job->arguments, job->environment);
  job->error = errno;
  while (1) syscall(SYS_exit, 127);
}

/// Calls clone3. The child has its own empty stack, so it cannot return from the system call like
/// the parent; it continues in `become`.
UNSANITIZED static long clone_into(struct clone_arguments *arguments, struct job *job) {
#ifdef __x86_64__
  long result = SYS_clone3;
  register struct job *kept __asm__("r8") = job;
  __asm__ volatile(
      "syscall\n\t"
      "test %%rax, %%rax\n\t"
      "jnz 1f\n\t"
      "xor %%ebp, %%ebp\n\t"
      "mov %%r8, %%rdi\n\t"
      "call *%[become]\n"
      "1:"
      : "+a"(result)
      : "D"(arguments), "S"(sizeof *arguments), "r"(kept), [become] "b"(become)
      : "rcx", "r11", "memory", "cc");
  return result;
#else
  register long number __asm__("x8") = SYS_clone3;
  register long result __asm__("x0") = (long)arguments;
  register long size __asm__("x1") = sizeof *arguments;
  register struct job *kept __asm__("x9") = job;
  register void (*next)(struct job *) __asm__("x10") = become;
  __asm__ volatile(
      "svc 0\n\t"
      "cbnz x0, 1f\n\t"
      "mov x29, 0\n\t"
      "mov x0, x9\n\t"
      "blr x10\n"
      "1:"
      : "+r"(result)
      : "r"(number), "r"(size), "r"(kept), "r"(next)
      : "memory", "cc");
  return result;
#endif
}

int reprise_clone(pid_t *pid, const char *path, char *const arguments[], char *const environment[],
                  const char *directory, int input, int output, int errors, int control_group,
                  const struct reprise_watch *watch) {
  // The stack is used only until the program starts; the calls above need some hundred bytes.
  _Alignas(16) char stack[8192];
  struct job job = {path, arguments, environment, directory, input, output, errors,
                    ignores_real_time_signals() ? 64 : 31, watch, 0, 0};
  struct clone_arguments call = {
      .flags = SHARE_MEMORY | HOLD_PARENT | CLEAR_SIGNAL_HANDLERS,
      .exit_signal = SIGCHLD,
      .stack = (uint64_t)(uintptr_t)stack,
      .stack_size = sizeof stack,
  };
  if (control_group >= 0) {
    call.flags |= INTO_CONTROL_GROUP;
    call.control_group = (uint64_t)control_group;
  }
  // Until its setsid, the child is in our process group: a terminal signal such as SIGTSTP would
  // stop it, and us with it.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  long result = clone_into(&call, &job);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  // Any other error means that a flag is unknown, not permitted, or not possible for the group.
  if (result < 0) return result == -EAGAIN || result == -ENOMEM ? (int)-result : ENOSYS;
  if (job.error) {
    int status;
    while (waitpid((pid_t)result, &status, 0) < 0 && errno == EINTR) {
    }
    if (job.is_deaf)
      return reprise_clone(pid, path, arguments, environment, directory, input, output, errors,
                           control_group, NULL);
    return job.error;
  }
  *pid = (pid_t)result;
  return 0;
}

#else

int reprise_clone(pid_t *pid, const char *path, char *const arguments[], char *const environment[],
                  const char *directory, int input, int output, int errors, int control_group,
                  const struct reprise_watch *watch) {
  return ENOSYS;
}

#endif
#endif
