// Resolves paths as the kernel does, from where a process stands.
#ifdef __linux__
#define _GNU_SOURCE
#include "paths.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#define LINKS_MAX 40
/// Room for a path that is put together of two.
#define LONG_PATH (PATH_MAX * 2)

int copy_text(int pid, uint64_t address, char *text, size_t room) {
  size_t count = 0;
  while (count < room) {
    // Not across a page, which need not exist; the first part is short, as most paths are.
    size_t wanted = 4096 - ((address + count) & 4095);
    if (count == 0 && wanted > 256) wanted = 256;
    if (wanted > room - count) wanted = room - count;
    struct iovec local = {text + count, wanted};
    struct iovec remote = {(void *)(uintptr_t)(address + count), wanted};
    ssize_t got = process_vm_readv(pid, &local, 1, &remote, 1, 0);
    if (got <= 0) return -1;
    if (memchr(text + count, 0, (size_t)got)) return 0;
    count += (size_t)got;
  }
  errno = ENAMETOOLONG;
  return -1;
}

int read_link(const char *path, char *target) {
  ssize_t length = readlink(path, target, PATH_MAX - 1);
  if (length < 0) return -1;
  target[length] = 0;
  return 0;
}

static int is_part(const char *part, size_t length, const char *name) {
  return length == strlen(name) && !strncmp(part, name, length);
}

/// Walks an absolute path part by part, and notes each link in the project as read.
static enum found walk(struct book *book, const char *path, int follows, char *name,
                       struct stat *status) {
  char rest[LONG_PATH], next[LONG_PATH], target[PATH_MAX];
  if (snprintf(rest, sizeof rest, "%s", path) >= (int)sizeof rest) return UNKNOWN;
  size_t length = 0;
  int links = 0, is_missing = 0;
  char *part = rest;
  name[0] = 0;
  for (;;) {
    part += strspn(part, "/");
    size_t count = strcspn(part, "/");
    if (!count) break;
    if (is_part(part, count, ".")) {
      part += count;
      continue;
    }
    if (is_part(part, count, "..")) {
      char *slash = strrchr(name, '/');
      length = slash ? (size_t)(slash - name) : 0;
      name[length] = 0;
      part += count;
      continue;
    }
    if (length + count + 2 > PATH_MAX) return UNKNOWN;
    name[length] = '/';
    memcpy(name + length + 1, part, count);
    size_t before = length;
    length += count + 1;
    name[length] = 0;
    part += count;
    if (is_missing) continue;
    struct stat found;
    if (lstat(name, &found)) {
      is_missing = 1;
      continue;
    }
    int is_last = !part[strspn(part, "/")];
    if (!S_ISLNK(found.st_mode) || (is_last && !follows && !*part)) {
      *status = found;
      continue;
    }
    if (++links > LINKS_MAX || read_link(name, target)) return UNKNOWN;
    if (book_contains(book, name)) book_saw(book, name, READ, &found);
    if (snprintf(next, sizeof next, "%s%s", target, part) >= (int)sizeof next) return UNKNOWN;
    memcpy(rest, next, strlen(next) + 1);
    part = rest;
    length = *target == '/' ? 0 : before;
    name[length] = 0;
  }
  if (!length) {
    memcpy(name, "/", 2);
    return lstat(name, status) ? UNKNOWN : FOUND;
  }
  if (is_missing) return MISSING;
  return lstat(name, status) ? MISSING : FOUND;
}

/// Splits a path that begins with a descriptor or folder of a process, such as /proc/self/fd/3/name.
/// Returns the rest after it; NULL for other paths.
static const char *rest_after_descriptor(int pid, const char *path, char *link, size_t room) {
  int length = 0, number;
  if (sscanf(path, "/proc/self/fd/%d%n", &number, &length) != 1 &&
      sscanf(path, "/dev/fd/%d%n", &number, &length) != 1 &&
      sscanf(path, "/proc/%*d/fd/%d%n", &number, &length) != 1)
    return NULL;
  if (!length || path[length] != '/') return NULL;
  snprintf(link, room, "/proc/%d/fd/%d", pid, number);
  return path + length;
}

/// Returns the path as an absolute one, of which parts may be links.
static int absolute(int pid, int folder, const char *path, char *full) {
  char here[64], base[PATH_MAX];
  const char *rest = rest_after_descriptor(pid, path, here, sizeof here);
  if (rest) {
    if (read_link(here, base) || *base != '/') return -1;
    return snprintf(full, LONG_PATH, "%s%s", base, rest) < LONG_PATH ? 0 : -1;
  }
  if (!strncmp(path, "/proc/", 6) || !strncmp(path, "/dev/", 5)) return -1;
  if (*path == '/') return snprintf(full, LONG_PATH, "%s", path) < LONG_PATH ? 0 : -1;
  if (folder == AT_FDCWD)
    snprintf(here, sizeof here, "/proc/%d/cwd", pid);
  else
    snprintf(here, sizeof here, "/proc/%d/fd/%d", pid, folder);
  if (read_link(here, base) || *base != '/') return -1;
  return snprintf(full, LONG_PATH, "%s/%s", base, path) < LONG_PATH ? 0 : -1;
}

/// The name under which this process reaches a path of another one.
static int reach(int pid, int folder, const char *path, char *at) {
  int length;
  if (!strncmp(path, "/proc/self/", 11))
    length = snprintf(at, LONG_PATH, "/proc/%d/%s", pid, path + 11);
  else if (!strncmp(path, "/dev/fd/", 8))
    length = snprintf(at, LONG_PATH, "/proc/%d/fd/%s", pid, path + 8);
  else if (!strcmp(path, "/dev/stdin") || !strcmp(path, "/dev/stdout") || !strcmp(path, "/dev/stderr"))
    length = snprintf(at, LONG_PATH, "/proc/%d/fd/%d", pid,
                      path[8] == 'i' ? 0 : path[8] == 'o' ? 1 : 2);
  else if (*path == '/')
    length = snprintf(at, LONG_PATH, "%s", path);
  else if (folder == AT_FDCWD)
    length = snprintf(at, LONG_PATH, "/proc/%d/cwd/%s", pid, path);
  else
    length = snprintf(at, LONG_PATH, "/proc/%d/fd/%d%s%s", pid, folder, *path ? "/" : "", path);
  return length < LONG_PATH ? 0 : -1;
}

enum found find_file(struct book *book, int pid, int folder, const char *path, int follows,
                     char *name, struct stat *status) {
  char at[LONG_PATH], full[LONG_PATH], here[64];
  if (reach(pid, folder, path, at)) return UNKNOWN;
  int descriptor = open(at, O_PATH | O_CLOEXEC | (follows ? 0 : O_NOFOLLOW));
  if (descriptor < 0) {
    if (errno != ENOENT && errno != ENOTDIR && errno != EACCES && errno != ELOOP) return UNKNOWN;
    if (absolute(pid, folder, path, full)) return UNKNOWN;
    return walk(book, full, follows, name, status);
  }
  snprintf(here, sizeof here, "/proc/self/fd/%d", descriptor);
  int bad = read_link(here, name) || *name != '/' || fstat(descriptor, status);
  // A file without a name says nothing.
  if (!bad && status->st_nlink == 0) bad = 1;
  close(descriptor);
  if (bad) return UNKNOWN;
  // A name that differs from the words has passed a link, or has dots in it.
  if (!absolute(pid, folder, path, full) && strcmp(full, name)) {
    char walked[PATH_MAX];
    struct stat ignored;
    walk(book, full, follows, walked, &ignored);
  }
  return FOUND;
}

void note_program(struct book *book, int pid, const char *path, const struct stat *status,
                  int depth) {
  // The call fails for a file that nobody may run.
  if (!S_ISREG(status->st_mode) || !(status->st_mode & (S_IXUSR | S_IXGRP | S_IXOTH)))
    return book_saw(book, path, LOOKED_AT, status);
  if (geteuid() && status->st_mode & S_ISUID)
    book_note(book, "a watched set-uid program has no more rights than its caller", path);
  char line[512], name[PATH_MAX];
  int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  ssize_t count = descriptor < 0 ? 0 : read(descriptor, line, sizeof line - 1);
  if (descriptor >= 0) close(descriptor);
  if (count < 3 || line[0] != '#' || line[1] != '!' || depth > 4)
    return book_saw(book, path, READ | RUN, status);
  line[count] = 0;
  char *interpreter = line + 2;
  interpreter += strspn(interpreter, " \t");
  interpreter[strcspn(interpreter, " \t\n")] = 0;
  struct stat found;
  switch (find_file(book, pid, AT_FDCWD, interpreter, 1, name, &found)) {
  case FOUND:
    book_saw(book, path, READ | RUN, status);
    note_program(book, pid, name, &found, depth + 1);
    break;
  case MISSING:
    book_saw(book, path, READ, status);
    book_saw(book, name, ABSENT, NULL);
    break;
  case UNKNOWN: book_saw(book, path, READ | RUN, status); break;
  }
}
#endif
