// System calls that Swift cannot import: variadic ones, and those behind feature macros.

#ifndef CHILD_PROCESSES_SHIM_H
#define CHILD_PROCESSES_SHIM_H

#include <signal.h>
#include <stdint.h>
#include <sys/types.h>

/// Who is asked before the system calls of a program, see seccomp_unotify(2).
struct reprise_watch {
  /// The filter, a struct sock_fprog: which calls are asked about.
  const void *program;
  /// The end of a socket pair to which the program's listener is sent.
  int socket;
};

/// Starts a program in a new session with default signals, `/dev/null` as standard input and no
/// other descriptors than the two given. With a watch, its listener is sent before it starts; if it
/// cannot be watched, it starts all the same, and nothing is sent. Returns 0 or an error number.
int reprise_spawn(pid_t *pid, const char *path, char *const arguments[], char *const environment[],
                  const char *directory, int output, int errors, const struct reprise_watch *watch);

/// Starts a program in a process group of its own, in our session and with our standard streams, so
/// that it can use the terminal in the foreground. Returns 0 or an error number.
int reprise_spawn_in_group(pid_t *pid, const char *path, char *const arguments[],
                           char *const environment[], const char *directory);

/// Creates a pipe with close-on-exec descriptors of at least 3 and a non-blocking reading end.
/// Returns 0 or an error number.
int reprise_pipe(int ends[2]);

/// Opens a pseudo-terminal of a size, with close-on-exec descriptors of at least 3: a non-blocking one
/// to read what is written to the other, which is a terminal. Returns 0 or an error number.
int reprise_pseudo_terminal(int ends[2], int columns, int rows);

/// Makes a descriptor non-blocking.
void reprise_set_nonblocking(int descriptor);

/// Checks whether `count` more threads can be created; unless `always`, only if the limits are low
/// enough to doubt it. Returns 0 or the error number of a failed attempt.
int reprise_lacks_threads(int count, int always);

/// Gets the exit status of a child without reaping it. Returns 0 if it is running, 1 if it exited
/// with status *value, 2 if signal *value killed it, -1 if there is no such child.
int reprise_peek_exit(pid_t pid, int *value);

/// Makes this process adopt the orphans among its descendants. Returns whether the system supports
/// it.
int reprise_adopt_orphans(void);

/// Makes the C library retain up to `bytes` of freed memory and, if the address space is limited,
/// use one heap for all threads; no effect if the C library does not support it.
void reprise_set_up_memory(int bytes);

/// Flushes output and ends the process. Unlike exit(3), it does not wait for a thread that is
/// reading standard input and holds its lock.
_Noreturn void reprise_end(int status);

/// Flushes the standard output. Returns 0 or an error number.
int reprise_flush_output(void);

/// fork(2), for a process with one thread.
pid_t reprise_fork(void);

/// Creates two connected close-on-exec sockets. Returns 0 or an error number.
int reprise_socket_pair(int ends[2]);

/// Closes every descriptor from 3 on, except one.
void reprise_close_all_but(int descriptor);

/// Sends a duplicate of a descriptor with a text through a socket. The peer holds the descriptor
/// from then on, even if it does not read the message. Returns 0 or an error number.
int reprise_send_descriptor(int socket, int descriptor, const char *text);

/// The maximum number of descriptors in one message.
#define REPRISE_DESCRIPTORS_MAX 250

/// Sends duplicates of at most REPRISE_DESCRIPTORS_MAX descriptors in one message, without waiting
/// for room. Returns 0 or an error number.
int reprise_send_descriptors(int socket, const int *descriptors, int count);

/// Receives one message from a socket, if there is one, and closes the descriptors in it.
void reprise_drop_descriptors(int socket);

/// Gets a state change of any child, as waitpid(2) does. Returns 0 if there is none, or 1 with
/// *kind 1 for an exit with status *value, 2 for termination and 3 for a stop by signal *value, 4 for
/// the end of a stop.
int reprise_wait_any(int options, pid_t *pid, int *kind, int *value);

/// Returns whether this process ignores a signal.
int reprise_is_ignored(int signal_number);

/// Returns whether this process has a child that has not been reaped.
int reprise_has_children(void);

/// Waits for one of the signals, which must be blocked. Returns its number, and whether a process
/// sent it instead of the kernel; 0 if none arrives within the time (Linux only).
int reprise_wait_for_signal(const sigset_t *set, int milliseconds, int *sent_by_process);

#ifdef __linux__
/// Returns whether control groups (version 2) are mounted at a folder.
int reprise_holds_control_groups(const char *folder);

/// Starts all future programs in the control group with the given folder. If the system cannot
/// start one there, this process joins the group itself when it starts the first one.
void reprise_start_children_in(const char *folder);

/// A process in the process table.
struct reprise_process {
  pid_t pid, parent, group, session;
  int is_zombie;
  /// When it was started, in a unit of the system.
  unsigned long long start;
};

/// Stores all processes and returns their number, or capacity + 1 if there are more. *is_torn is
/// set to whether processes ended during the call, or could not be read.
int reprise_list_processes(struct reprise_process *list, int capacity, int *is_torn);

/// Returns whether a system call sleeps for a time.
int reprise_is_sleep(int call);

/// Returns a descriptor that becomes readable when the process ends, or -1.
int reprise_pidfd_open(pid_t pid);

/// epoll, for reading only.
int reprise_epoll_create(void);
void reprise_epoll_watch(int epoll, int descriptor);
void reprise_epoll_unwatch(int epoll, int descriptor);
/// Stores the readable descriptors and returns their number. Waits at most `milliseconds` (-1: no
/// timeout).
int reprise_epoll_wait(int epoll, int *descriptors, int count, int milliseconds);
#endif

#endif
