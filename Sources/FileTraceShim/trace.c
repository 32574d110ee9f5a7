// The filter, and the thread that answers for one process tree.
#ifdef __linux__
#define _GNU_SOURCE
#include "FileTraceShim.h"
#include "calls.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#if defined(SECCOMP_RET_USER_NOTIF) && defined(SECCOMP_USER_NOTIF_FLAG_CONTINUE) && \
    (defined(__x86_64__) || defined(__aarch64__))

// Since Linux 6.6; missing in older headers.
#ifndef SECCOMP_IOCTL_NOTIF_SET_FLAGS
#define SECCOMP_IOCTL_NOTIF_SET_FLAGS SECCOMP_IOW(4, __u64)
#endif
#define WAKE_ON_THIS_PROCESSOR 1UL

#ifdef __x86_64__
#define OWN_ARCHITECTURE AUDIT_ARCH_X86_64
#else
#define OWN_ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

#define FILTER_MAX 512
static struct sock_filter filter[FILTER_MAX];
static struct sock_fprog program = {0, filter};

static void add(unsigned short code, unsigned k, unsigned char if_true, unsigned char if_false) {
  if (program.len < FILTER_MAX)
    filter[program.len++] = (struct sock_filter){code, if_true, if_false, k};
}

static void add_return(unsigned action) { add(BPF_RET | BPF_K, action, 0, 0); }

static void add_load(size_t offset) { add(BPF_LD | BPF_W | BPF_ABS, (unsigned)offset, 0, 0); }

/// A call that is not in the list runs at full speed: the kernel remembers that for each number.
static void build_filter(void) {
  add_load(offsetof(struct seccomp_data, arch));
  add(BPF_JMP | BPF_JEQ | BPF_K, OWN_ARCHITECTURE, 1, 0);
  add_return(SECCOMP_RET_USER_NOTIF);
  add_load(offsetof(struct seccomp_data, nr));
  for (int i = 0; i < watched_count; i++) {
    int number = watched_calls[i];
    int flags = number == SYS_newfstatat ? 3 : number == SYS_statx ? 2 : -1;
    if (flags < 0) {
      add(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)number, 0, 1);
      add_return(SECCOMP_RET_USER_NOTIF);
      continue;
    }
    // fstat in disguise, a third of all such calls: an empty path on a descriptor.
    add(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)number, 0, 6);
    add_load(offsetof(struct seccomp_data, args) + 8 * (size_t)flags);
    add(BPF_JMP | BPF_JSET | BPF_K, AT_EMPTY_PATH, 0, 3);
    add_load(offsetof(struct seccomp_data, args));
    add(BPF_JMP | BPF_JGE | BPF_K, 0x80000000u, 1, 0);
    add_return(SECCOMP_RET_ALLOW);
    add_return(SECCOMP_RET_USER_NOTIF);
  }
  add_return(SECCOMP_RET_ALLOW);
}

const void *reprise_trace_filter(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, build_filter);
  return &program;
}

/// Closed when the last process that is watched has ended and its owner has released it.
struct reprise_trace {
  pthread_mutex_t lock;
  pthread_cond_t changed;
  struct book *book;
  struct changes changes;
  void (*arrived)(void *context, int listener);
  void *context;
  int receiving, sending, listener;
  int is_settled;  // whether the listener has arrived, or never will
  int is_closed;   // whether the book is complete
  int owners;      // the thread and the caller
};

static void release(struct reprise_trace *trace) {
  pthread_mutex_lock(&trace->lock);
  int left = --trace->owners;
  pthread_mutex_unlock(&trace->lock);
  if (left) return;
  if (trace->listener >= 0) close(trace->listener);
  if (trace->sending >= 0) close(trace->sending);
  if (trace->receiving >= 0) close(trace->receiving);
  if (trace->book) book_free(trace->book);
  pthread_mutex_destroy(&trace->lock);
  pthread_cond_destroy(&trace->changed);
  free(trace);
}

static int receive_listener(int socket) {
  char byte;
  struct iovec part = {&byte, 1};
  union {
    char space[CMSG_SPACE(sizeof(int))];
    struct cmsghdr aligned;
  } control = {{0}};
  struct msghdr message = {.msg_iov = &part,
                           .msg_iovlen = 1,
                           .msg_control = control.space,
                           .msg_controllen = sizeof control.space};
  ssize_t count;
  while ((count = recvmsg(socket, &message, MSG_CMSG_CLOEXEC)) < 0 && errno == EINTR) {
  }
  struct cmsghdr *header = count > 0 ? CMSG_FIRSTHDR(&message) : NULL;
  if (!header || header->cmsg_type != SCM_RIGHTS) return -1;
  int listener;
  memcpy(&listener, CMSG_DATA(header), sizeof listener);
  return listener;
}

/// Whether no process with the filter is left.
static int is_over(int listener) {
  struct pollfd one = {listener, POLLIN, 0};
  return poll(&one, 1, 0) >= 0 && one.revents & (POLLHUP | POLLERR | POLLNVAL);
}

static void answer(struct reprise_trace *trace, int listener) {
  struct seccomp_notif question;
  memset(&question, 0, sizeof question);
  if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &question)) return;
  struct call call = {(int)question.pid, question.data.nr, question.data.arch,
                      {question.data.args[0], question.data.args[1], question.data.args[2],
                       question.data.args[3], question.data.args[4], question.data.args[5]}};
  pthread_mutex_lock(&trace->lock);
  int error = trace->is_closed ? 0 : note_call(trace->book, &trace->changes, &call);
  pthread_mutex_unlock(&trace->lock);
  struct seccomp_notif_resp reply = {.id = question.id};
  if (error)
    reply.error = -error;
  else
    reply.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
  ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &reply);
}

static void *serve(void *argument) {
  struct reprise_trace *trace = argument;
  int listener = receive_listener(trace->receiving);
  if (listener >= 0 && trace->arrived) trace->arrived(trace->context, listener);
  pthread_mutex_lock(&trace->lock);
  trace->listener = listener;
  trace->is_settled = 1;
  pthread_cond_broadcast(&trace->changed);
  pthread_mutex_unlock(&trace->lock);
  if (listener >= 0) {
    ioctl(listener, SECCOMP_IOCTL_NOTIF_SET_FLAGS, WAKE_ON_THIS_PROCESSOR);
    for (;;) {
      struct pollfd one = {listener, POLLIN, 0};
      if (poll(&one, 1, -1) < 0) continue;
      if (one.revents & POLLIN) answer(trace, listener);
      else if (is_over(listener)) break;
    }
  }
  release(trace);
  return NULL;
}

/// Starts a thread that gets no signals, which belong to other threads.
static int start_thread(struct reprise_trace *trace) {
  pthread_attr_t attributes;
  pthread_t thread;
  sigset_t all, before;
  sigfillset(&all);
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_attr_setstacksize(&attributes, 1 << 20);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  int error = pthread_create(&thread, &attributes, serve, trace);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  pthread_attr_destroy(&attributes);
  return error;
}

struct reprise_trace *reprise_trace_begin(const char *root,
                                          void (*arrived)(void *context, int listener),
                                          void *context) {
  struct reprise_trace *trace = calloc(1, sizeof *trace);
  if (!trace) return NULL;
  trace->arrived = arrived;
  trace->context = context;
  int ends[2] = {-1, -1};
  pthread_mutex_init(&trace->lock, NULL);
  pthread_cond_init(&trace->changed, NULL);
  trace->listener = -1;
  trace->owners = 1;
  int error = socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) ? errno : 0;
  trace->receiving = ends[0];
  trace->sending = ends[1];
  if (!error && !(trace->book = book_open(root))) error = errno;
  if (!error) {
    trace->owners = 2;
    error = start_thread(trace);
    if (error) trace->owners = 1;
  }
  if (!error) return trace;
  release(trace);
  errno = error;
  return NULL;
}

int reprise_trace_socket(const struct reprise_trace *trace) { return trace->sending; }

/// Closes the end that the process sends through; if nothing was sent, the thread finds the end.
static void close_sending(struct reprise_trace *trace) {
  pthread_mutex_lock(&trace->lock);
  if (trace->sending >= 0) close(trace->sending);
  trace->sending = -1;
  while (!trace->is_settled) pthread_cond_wait(&trace->changed, &trace->lock);
  pthread_mutex_unlock(&trace->lock);
}

void reprise_trace_started(struct reprise_trace *trace) { close_sending(trace); }

char *reprise_trace_report(struct reprise_trace *trace, size_t *length) {
  char *text = NULL;
  pthread_mutex_lock(&trace->lock);
  FILE *out = trace->listener < 0 || trace->is_closed ? NULL : open_memstream(&text, length);
  if (out) {
    changes_end(&trace->changes, trace->book);
    book_print(trace->book, out);
    if (fclose(out)) {
      free(text);
      text = NULL;
    }
  }
  trace->is_closed = 1;
  pthread_mutex_unlock(&trace->lock);
  return text;
}

int reprise_trace_changes(struct reprise_trace *trace, const char *path) {
  pthread_mutex_lock(&trace->lock);
  if (!trace->is_closed) changes_settle(&trace->changes, trace->book, 0);
  unsigned use = book_use(trace->book, path);
  pthread_mutex_unlock(&trace->lock);
  return (use & (WRITTEN | TEMPORARY | REMOVED)) != 0;
}

void reprise_trace_free(char *report) { free(report); }

void reprise_trace_release(struct reprise_trace *trace) {
  close_sending(trace);
  release(trace);
}

// ---- The test of this system. ----

static long filter_this_process(unsigned long flags) {
  long listener = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, reprise_trace_filter());
  if (listener >= 0 || errno != EACCES) return listener;
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, reprise_trace_filter());
}

int reprise_trace_this_process(int socket) {
  const unsigned long flags = SECCOMP_FILTER_FLAG_NEW_LISTENER | SECCOMP_FILTER_FLAG_SPEC_ALLOW;
  const unsigned long only_fatal_signals = 1UL << 5;  // since Linux 5.19; missing in older headers
  long listener = filter_this_process(flags | only_fatal_signals);
  if (listener < 0 && errno == EINVAL) listener = filter_this_process(flags);
  if (listener < 0) return errno;
  int descriptor = (int)listener;
  char byte = 0;
  struct iovec part = {&byte, 1};
  union {
    char space[CMSG_SPACE(sizeof(int))];
    struct cmsghdr aligned;
  } control = {{0}};
  struct msghdr message = {.msg_iov = &part,
                           .msg_iovlen = 1,
                           .msg_control = control.space,
                           .msg_controllen = sizeof control.space};
  struct cmsghdr *header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof(int));
  memcpy(CMSG_DATA(header), &descriptor, sizeof descriptor);
  if (sendmsg(socket, &message, MSG_NOSIGNAL) != 1) return errno;
  close(descriptor);
  return 0;
}

/// In the child of a process with threads: only system calls.
static void try_to_be_watched(int socket) {
  int error = reprise_trace_this_process(socket);
  if (error) _exit(error);
  _exit(open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC) < 0 ? errno : 0);
}

/// Waits for a child for a second. Returns its status, or -1 if it had to be killed.
static int end_of(pid_t pid) {
  for (int i = 0; i < 1000; i++) {
    int status = 0;
    pid_t ended = waitpid(pid, &status, WNOHANG);
    // Another thread may have reaped it.
    if (ended < 0 && errno == ECHILD) return 0;
    if (ended == pid) return WIFEXITED(status) ? WEXITSTATUS(status) : EINTR;
    poll(NULL, 0, 1);
  }
  kill(pid, SIGKILL);
  while (waitpid(pid, NULL, 0) < 0 && errno == EINTR) {
  }
  return -1;
}

static const char *problem;

static void find_problem(void) {
  reprise_trace_filter();
  __u32 action = SECCOMP_RET_USER_NOTIF;
  if (syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action)) {
    problem = "the kernel does not ask about system calls (Linux 5.5 and later do)";
    return;
  }
  problem = "there are no descriptors, threads or processes left";
  struct reprise_trace *trace = reprise_trace_begin("/", NULL, NULL);
  if (!trace) return;
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pid_t pid = fork();
  if (!pid) try_to_be_watched(trace->sending);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (pid > 0) {
    // Not while the thread that answers is needed: the child may wait for it.
    int status = end_of(pid);
    reprise_trace_started(trace);
    size_t length = 0;
    char *text = reprise_trace_report(trace, &length);
    if (status == EBUSY)
      problem = "another program asks about system calls already";
    else if (status > 0)
      problem = "this system forbids to filter system calls (seccomp)";
    else if (status < 0)
      problem = "this system forbids to answer the kernel about system calls (seccomp)";
    else if (!text || !strstr(text, "\t/\n"))
      problem = "this system forbids to read the memory of other processes (ptrace)";
    else
      problem = NULL;
    free(text);
  }
  reprise_trace_release(trace);
}

const char *reprise_trace_problem(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, find_problem);
  return problem;
}

#else
#define CANNOT_WATCH "this kind of processor is not supported"
#endif
#else
#include "FileTraceShim.h"
#define CANNOT_WATCH "only Linux can do this"
#endif

#ifdef CANNOT_WATCH
const char *reprise_trace_problem(void) { return CANNOT_WATCH; }
const void *reprise_trace_filter(void) { return NULL; }
int reprise_trace_this_process(int socket) { return -1; }
struct reprise_trace *reprise_trace_begin(const char *root,
                                          void (*arrived)(void *context, int listener),
                                          void *context) {
  return NULL;
}
int reprise_trace_socket(const struct reprise_trace *trace) { return -1; }
void reprise_trace_started(struct reprise_trace *trace) {}
char *reprise_trace_report(struct reprise_trace *trace, size_t *length) { return NULL; }
int reprise_trace_changes(struct reprise_trace *trace, const char *path) { return 0; }
void reprise_trace_free(char *report) {}
void reprise_trace_release(struct reprise_trace *trace) {}
#endif
