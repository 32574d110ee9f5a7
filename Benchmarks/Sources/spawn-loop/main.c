// spawn-loop COUNT (pipes | plain) COMMAND [ARGUMENT…]
//
// Starts a command COUNT times with posix_spawn, two at a time, and waits for them: the minimum
// work of any program that starts processes. With `pipes`, each child gets a pipe for standard
// output and one for standard error, which are read until both end before the child is waited for,
// as a program that captures output must do. With `plain`, children inherit the output of this
// program and are only waited for.

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { PLACES = 2 };

/// A child with the reading ends of its two pipes; -1 for a pipe that has ended.
struct place {
  pid_t child;
  int ends[2];
};

static int is_failed;

static pid_t spawn(char **command, int *writers) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  for (int stream = 0; writers != NULL && stream < 2; stream++)
    posix_spawn_file_actions_adddup2(&actions, writers[stream], stream + 1);
  pid_t child;
  int error = posix_spawnp(&child, command[0], &actions, NULL, command, environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) {
    fprintf(stderr, "%s: %s\n", command[0], strerror(error));
    exit(66);
  }
  return child;
}

static void reap(pid_t child) {
  int status;
  if (waitpid(child, &status, 0) < 0 || !WIFEXITED(status) || WEXITSTATUS(status) != 0)
    is_failed = 1;
}

static void start(struct place *place, char **command) {
  int writers[2];
  for (int stream = 0; stream < 2; stream++) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) exit(71);
    place->ends[stream] = ends[0];
    writers[stream] = ends[1];
  }
  place->child = spawn(command, writers);
  close(writers[0]);
  close(writers[1]);
}

/// Waits until output of a child can be read, and reads it.
static void drain(struct place *places) {
  struct pollfd polled[PLACES * 2];
  for (int index = 0; index < PLACES * 2; index++) {
    struct place *place = &places[index / 2];
    polled[index].fd = place->child != 0 ? place->ends[index % 2] : -1;
    polled[index].events = POLLIN;
  }
  if (poll(polled, PLACES * 2, -1) < 0 && errno != EINTR) exit(71);
  for (int index = 0; index < PLACES * 2; index++) {
    static char bytes[65536];
    if (polled[index].fd < 0 || polled[index].revents == 0) continue;
    if (read(polled[index].fd, bytes, sizeof bytes) > 0) continue;
    close(polled[index].fd);
    struct place *place = &places[index / 2];
    place->ends[index % 2] = -1;
    if (place->ends[0] >= 0 || place->ends[1] >= 0) continue;
    reap(place->child);
    place->child = 0;
  }
}

static void run_with_pipes(int count, char **command) {
  struct place places[PLACES] = {0};
  int left = count, running;
  do {
    running = 0;
    for (int index = 0; index < PLACES; index++) {
      if (places[index].child == 0 && left > 0) {
        start(&places[index], command);
        left--;
      }
      if (places[index].child != 0) running++;
    }
    if (running > 0) drain(places);
  } while (running > 0 || left > 0);
}

static void run_plain(int count, char **command) {
  int running = 0;
  for (int left = count; left > 0; left--) {
    if (running == PLACES) {
      reap(-1);
      running--;
    }
    spawn(command, NULL);
    running++;
  }
  while (running-- > 0) reap(-1);
}

int main(int count, char **arguments) {
  if (count < 4) return 64;
  if (strcmp(arguments[2], "pipes") == 0)
    run_with_pipes(atoi(arguments[1]), arguments + 3);
  else
    run_plain(atoi(arguments[1]), arguments + 3);
  return is_failed;
}
