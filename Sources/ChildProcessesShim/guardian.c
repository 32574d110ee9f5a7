// C library calls for the guardian and its engine: fork, the link between the two, and wait
// statuses.
#define _GNU_SOURCE
#include "ChildProcessesShim.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

pid_t reprise_fork(void) { return fork(); }

int reprise_socket_pair(int ends[2]) {
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends)) return errno;
  fcntl(ends[0], F_SETFD, FD_CLOEXEC);
  fcntl(ends[1], F_SETFD, FD_CLOEXEC);
  return 0;
}

void reprise_close_all_but(int descriptor) {
  long limit = sysconf(_SC_OPEN_MAX);
#ifdef __GLIBC__
  if (descriptor > 3) close_range(3, descriptor - 1, 0);
  if (close_range(descriptor + 1, ~0U, 0) == 0) return;
#endif
  for (int other = 3; other < limit; other++) {
    if (other != descriptor) close(other);
  }
}

static int send_descriptors(int socket, const int *descriptors, int count, const void *bytes,
                            size_t length, int flags) {
  struct iovec part = {.iov_base = (void *)bytes, .iov_len = length};
  union {
    char space[CMSG_SPACE(sizeof(int) * REPRISE_DESCRIPTORS_MAX)];
    struct cmsghdr aligned;
  } control = {0};
  struct msghdr message = {.msg_iov = &part,
                           .msg_iovlen = 1,
                           .msg_control = control.space,
                           .msg_controllen = CMSG_SPACE(sizeof(int) * count)};
  struct cmsghdr *header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof(int) * count);
  memcpy(CMSG_DATA(header), descriptors, sizeof(int) * count);
  while (sendmsg(socket, &message, flags) < 0) {
    if (errno != EINTR) return errno;
  }
  return 0;
}

int reprise_send_descriptor(int socket, int descriptor, const char *text) {
  // A stream socket only transmits a descriptor together with at least one byte.
  size_t length = strlen(text) ? strlen(text) : 1;
  return send_descriptors(socket, &descriptor, 1, text, length, 0);
}

int reprise_send_descriptors(int socket, const int *descriptors, int count) {
  return send_descriptors(socket, descriptors, count, "", 1, MSG_DONTWAIT);
}

void reprise_drop_descriptors(int socket) {
  char byte;
  struct iovec part = {.iov_base = &byte, .iov_len = 1};
  union {
    char space[CMSG_SPACE(sizeof(int) * REPRISE_DESCRIPTORS_MAX)];
    struct cmsghdr aligned;
  } control;
  struct msghdr message = {.msg_iov = &part,
                           .msg_iovlen = 1,
                           .msg_control = control.space,
                           .msg_controllen = sizeof control.space};
  ssize_t count;
  while ((count = recvmsg(socket, &message, MSG_DONTWAIT)) < 0 && errno == EINTR) {}
  if (count <= 0) return;
  struct cmsghdr *header = CMSG_FIRSTHDR(&message);
  if (!header || header->cmsg_type != SCM_RIGHTS) return;
  size_t received = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
  for (size_t position = 0; position < received; position++) {
    int descriptor;
    memcpy(&descriptor, CMSG_DATA(header) + position * sizeof(int), sizeof descriptor);
    close(descriptor);
  }
}

int reprise_wait_any(int options, pid_t *pid, int *kind, int *value) {
  int status = 0;
  while ((*pid = waitpid(-1, &status, options)) < 0) {
    if (errno != EINTR) return 0;
  }
  if (*pid == 0) return 0;
  if (WIFEXITED(status)) {
    *kind = 1;
    *value = WEXITSTATUS(status);
  } else if (WIFSIGNALED(status)) {
    *kind = 2;
    *value = WTERMSIG(status);
  } else {
    *kind = WIFSTOPPED(status) ? 3 : 4;
    *value = WIFSTOPPED(status) ? WSTOPSIG(status) : 0;
  }
  return 1;
}

int reprise_is_ignored(int signal_number) {
  struct sigaction action;
  return !sigaction(signal_number, NULL, &action) && action.sa_handler == SIG_IGN;
}

int reprise_has_children(void) {
  siginfo_t info;
  while (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT)) {
    if (errno != EINTR) return 0;
  }
  return 1;
}

int reprise_wait_for_signal(const sigset_t *set, int milliseconds, int *sent_by_process) {
  siginfo_t info;
  int number;
#ifdef __linux__
  struct timespec time = {milliseconds / 1000, milliseconds % 1000 * 1000000L};
  while ((number = sigtimedwait(set, &info, &time)) < 0) {
    if (errno == EAGAIN) return 0;
  }
  *sent_by_process = info.si_code <= 0;
#else
  (void)milliseconds;
  sigwait(set, &number);
  *sent_by_process = 0;
#endif
  return number;
}
