// Watches which files a process and its descendants use, with seccomp's user notification: the
// kernel asks a thread of ours before each call that names a file.

#ifndef FILE_TRACE_SHIM_H
#define FILE_TRACE_SHIM_H

#include <stddef.h>

/// One process tree that is watched.
struct reprise_trace;

/// Returns why processes cannot be watched here, as a clause; NULL if they can.
///
/// Watches a small process, for a second at most.
const char *reprise_trace_problem(void);

/// Returns the filter that a process must install before it starts the program that is watched, a
/// struct sock_fprog; NULL where this is not possible.
const void *reprise_trace_filter(void);

/// Installs the filter in this process and sends its listener through a socket, with system calls only.
/// Returns 0 or an error number.
int reprise_trace_this_process(int socket);

/// Starts the thread that answers the kernel.
///
/// `root` is the folder whose files are reported by name. `arrived` is called by the thread with
/// `context` and the listener, before any call of the process is answered: as long as any process holds
/// a duplicate of the listener, a call waits for an answer; without one, it fails. Returns NULL, with
/// errno, if there is no memory, descriptor or thread.
struct reprise_trace *reprise_trace_begin(const char *root,
                                          void (*arrived)(void *context, int listener),
                                          void *context);

/// Returns the end of a socket pair through which the process must send the listener of its filter.
int reprise_trace_socket(const struct reprise_trace *trace);

/// Says that the process has started, or never will: nothing is sent any more.
void reprise_trace_started(struct reprise_trace *trace);

/// Ends the book and returns it as text; NULL if the processes were not watched until now.
///
/// Calls of processes that still run are answered, but not noted any more.
char *reprise_trace_report(struct reprise_trace *trace, size_t *length);

/// Whether the processes have made, changed or removed a file until now.
int reprise_trace_changes(struct reprise_trace *trace, const char *path);

/// Frees a report.
void reprise_trace_free(char *report);

/// Gives up the trace; `arrived` is not called after this. Its thread ends with the last process that
/// is watched.
void reprise_trace_release(struct reprise_trace *trace);

#endif
