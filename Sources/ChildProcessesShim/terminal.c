// Starts programs that use the terminal: in our session, with our standard streams.
#define _GNU_SOURCE
#include "ChildProcessesShim.h"

#include <signal.h>
#include <spawn.h>

int reprise_spawn_in_group(pid_t *pid, const char *path, char *const arguments[],
                           char *const environment[], const char *directory) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  int error = posix_spawn_file_actions_init(&actions);
  if (error) return error;
  error = posix_spawnattr_init(&attributes);
  if (error) {
    posix_spawn_file_actions_destroy(&actions);
    return error;
  }
  sigset_t all, none;
  sigfillset(&all);
  sigemptyset(&none);
  short flags = POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP;
  error = posix_spawnattr_setsigdefault(&attributes, &all);
  if (!error) error = posix_spawnattr_setsigmask(&attributes, &none);
  if (!error) error = posix_spawnattr_setpgroup(&attributes, 0);
#ifdef POSIX_SPAWN_CLOEXEC_DEFAULT
  flags |= POSIX_SPAWN_CLOEXEC_DEFAULT;
  for (int stream = 0; stream < 3 && !error; stream++)
    error = posix_spawn_file_actions_addinherit_np(&actions, stream);
#endif
  if (!error) error = posix_spawnattr_setflags(&attributes, flags);
  if (!error && directory) error = posix_spawn_file_actions_addchdir_np(&actions, directory);
#ifdef __GLIBC__
  if (!error) error = posix_spawn_file_actions_addclosefrom_np(&actions, 3);
#endif
  if (!error) error = posix_spawn(pid, path, &actions, &attributes, arguments, environment);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return error;
}
