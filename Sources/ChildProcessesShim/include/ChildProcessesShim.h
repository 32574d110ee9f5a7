// The system calls that Swift cannot say: variadic ones, and those behind feature macros.

#ifndef CHILD_PROCESSES_SHIM_H
#define CHILD_PROCESSES_SHIM_H

#include <signal.h>
#include <stdint.h>
#include <sys/types.h>

/// Starts a program in a session of its own with default signals, `/dev/null` as standard input and
/// no other descriptors than the two given. Returns 0 or an error number.
int reprise_spawn(pid_t *pid, const char *path, char *const arguments[], char *const environment[],
                  const char *directory, int output, int errors);

/// Makes a pipe whose ends are at least 3 and are closed in children; reading returns at once when
/// nothing is there. Returns 0 or an error number.
int reprise_pipe(int ends[2]);

/// Makes reads (and writes) of a descriptor return at once when nothing is there.
void reprise_set_nonblocking(int descriptor);

/// Whether this process cannot have so many more threads at once, as far as its limits are low enough to be in
/// doubt. Returns 0 or an error number.
int reprise_lacks_threads(int count);

/// How a child ended, without reaping it. Returns 0 when it still runs, 1 when it exited with
/// *value as its status, 2 when the signal *value ended it, -1 when there is no such child.
int reprise_peek_exit(pid_t pid, int *value);

/// Makes this process adopt the orphans among its descendants, where the system can do that.
/// Returns whether it does.
int reprise_adopt_orphans(void);

/// Has the C library keep so many bytes of what is freed, and reserve no addresses for threads where these are
/// limited; where it can be told.
void reprise_set_up_memory(int bytes);

/// Ends the process with what it has written. Unlike exit(3) it does not wait for a thread that reads standard
/// input, which holds its lock until there is something to read.
_Noreturn void reprise_end(int status);

/// Writes what the C library still holds of the standard output. Returns 0 or an error number.
int reprise_flush_output(void);

/// fork(2), for a process that has one thread.
pid_t reprise_fork(void);

/// Makes two connected sockets that are closed in children. Returns 0 or an error number.
int reprise_socket_pair(int ends[2]);

/// Closes every descriptor from 3 on but one.
void reprise_close_all_but(int descriptor);

/// Sends a copy of a descriptor with a text through a socket: whoever holds the other end holds the
/// descriptor from then on, read or not. Returns 0 or an error number.
int reprise_send_descriptor(int socket, int descriptor, const char *text);

/// How many descriptors go in one message.
#define REPRISE_DESCRIPTORS_MAX 250

/// Sends copies of at most so many descriptors in one message, without waiting for room. Returns 0 or an
/// error number.
int reprise_send_descriptors(int socket, const int *descriptors, int count);

/// Takes one message from a socket, if there is one, and closes the descriptors in it.
void reprise_drop_descriptors(int socket);

/// Takes the news of any child, as waitpid(2) does. Returns 0 when there are none, or 1 with *kind 1
/// for an exit with the status *value, 2 for an end and 3 for a stop by the signal *value.
int reprise_wait_any(int options, pid_t *pid, int *kind, int *value);

/// Whether this process ignores a signal.
int reprise_is_ignored(int signal_number);

/// Whether this process has a child that has not been reaped.
int reprise_has_children(void);

/// Waits for one of the signals, which must be blocked. Returns its number, and whether a process sent
/// it rather than the kernel.
int reprise_wait_for_signal(const sigset_t *set, int *sent_by_process);

#ifdef __linux__
/// Whether control groups of version 2 are mounted at a folder.
int reprise_holds_control_groups(const char *folder);

/// Has all programs be started in a control group from now on, which is the folder of that name. Where the
/// system cannot start one there, this process goes into the group itself at the first.
void reprise_start_children_in(const char *folder);

/// One process as the system lists it.
struct reprise_process {
  pid_t pid, parent, group, session;
  int is_zombie;
};

/// Stores all processes and returns how many there are; one more than the capacity when that is too
/// small. *is_torn tells whether some ended while they were read, or could not be read.
int reprise_list_processes(struct reprise_process *list, int capacity, int *is_torn);

/// A descriptor that becomes readable when the process ends, or -1.
int reprise_pidfd_open(pid_t pid);

/// epoll, for reading only.
int reprise_epoll_create(void);
void reprise_epoll_watch(int epoll, int descriptor);
void reprise_epoll_unwatch(int epoll, int descriptor);
/// Stores the descriptors with news and returns how many, waiting at most so long (-1: for ever).
int reprise_epoll_wait(int epoll, int *descriptors, int count, int milliseconds);
#endif

#endif
