// What a call did is seen on the disk when its thread goes on: the disk has the last word.
#ifdef __linux__
#define _GNU_SOURCE
#include "changes.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static int is_same(const struct stat *one, const struct stat *other) {
  return one->st_ino == other->st_ino && one->st_dev == other->st_dev;
}

void change_begins(struct changes *changes, struct book *book, const struct change *change) {
  struct change *copy = malloc(sizeof *copy);
  if (copy) {
    *copy = *change;
    copy->path = strdup(change->path);
    copy->other = change->other ? strdup(change->other) : NULL;
  }
  if (!copy || !copy->path || (change->other && !copy->other)) {
    if (copy) {
      free(copy->path);
      free(copy->other);
    }
    free(copy);
    return book_note(book, "no memory", "");
  }
  copy->next = changes->first;
  changes->first = copy;
}

/// Whether the change is visible on the disk.
static int has_happened(const struct change *change) {
  struct stat now, other;
  int is_there = !lstat(change->path, &now);
  switch (change->kind) {
  case MAKES: return is_there;
  case REMOVES: return !is_there || !is_same(&now, &change->status);
  case SETS:
    return is_there && is_same(&now, &change->status) &&
           (now.st_ctim.tv_sec != change->status.st_ctim.tv_sec ||
            now.st_ctim.tv_nsec != change->status.st_ctim.tv_nsec);
  case REPLACES: case EXCHANGES: case LINKS:
    return !lstat(change->other, &other) && is_same(&other, &change->status);
  }
  return 0;
}

/// Books the files of a folder that was there before and was renamed.
static void move_files(struct book *book, const char *from, const char *to, int depth) {
  DIR *stream = depth < 64 ? opendir(to) : NULL;
  if (!stream) return book_note(book, "a folder that cannot be read was renamed", from);
  struct dirent *item;
  while ((item = readdir(stream))) {
    if (!strcmp(item->d_name, ".") || !strcmp(item->d_name, "..")) continue;
    char *old = NULL, *new = NULL;
    struct stat status;
    if (asprintf(&old, "%s/%s", from, item->d_name) < 0) old = NULL;
    if (asprintf(&new, "%s/%s", to, item->d_name) < 0) new = NULL;
    if (old && new && !lstat(new, &status)) {
      int is_folder = S_ISDIR(status.st_mode);
      if (!(book_use(book, old) & (WRITTEN | TEMPORARY))) {
        book_saw(book, old, is_folder ? LOOKED_AT : READ, &status);
        book_removed(book, old);
        book_made(book, new, 0, is_folder ? FOLDER : 0);
      }
      if (is_folder) move_files(book, old, new, depth + 1);
    }
    free(old);
    free(new);
  }
  closedir(stream);
}

static void book_rename(struct book *book, const struct change *change) {
  int is_folder = S_ISDIR(change->status.st_mode);
  unsigned use = book_use(book, change->path) & FOLDER;
  if (!(book_use(book, change->path) & WRITTEN))
    book_saw(book, change->path, is_folder ? LOOKED_AT : READ, &change->status);
  if (is_folder) {
    book_moved(book, change->path, change->other);
    move_files(book, change->path, change->other, 0);
  }
  book_removed(book, change->path);
  book_made(book, change->other, change->other_existed, use || is_folder ? FOLDER : 0);
}

static void book_change(struct book *book, const struct change *change) {
  switch (change->kind) {
  case MAKES: book_made(book, change->path, 0, change->use); break;
  case REMOVES: book_removed(book, change->path); break;
  case SETS: book_touched(book, change->path, CHANGED_META); break;
  case REPLACES: book_rename(book, change); break;
  case EXCHANGES:
    book_made(book, change->path, 1, 0);
    book_made(book, change->other, 1, 0);
    break;
  case LINKS:
    book_saw(book, change->path, READ, &change->status);
    book_touched(book, change->path, LINKED);
    book_made(book, change->other, 0, 0);
    break;
  }
}

/// Books a change that has failed: what it looked at.
static void book_failure(struct book *book, const struct change *change) {
  if (change->kind == MAKES) book_saw(book, change->path, ABSENT, NULL);
  if (change->kind == REPLACES || change->kind == LINKS)
    book_saw(book, change->path, LOOKED_AT, &change->status);
}

static void settle(struct changes *changes, struct book *book, int thread, int is_end) {
  // The newest is the first in the list, and the last that is booked.
  struct change *done = NULL, **link = &changes->first;
  while (*link) {
    struct change *change = *link;
    int is_over = is_end || change->thread == thread ||
                  (syscall(SYS_tkill, change->thread, 0) && errno == ESRCH);
    if (!is_over && !has_happened(change)) {
      link = &change->next;
      continue;
    }
    *link = change->next;
    change->next = done;
    done = change;
  }
  for (struct change *next; done; done = next) {
    next = done->next;
    if (has_happened(done))
      book_change(book, done);
    else
      book_failure(book, done);
    free(done->path);
    free(done->other);
    free(done);
  }
}

void changes_settle(struct changes *changes, struct book *book, int thread) {
  if (changes->first) settle(changes, book, thread, 0);
}

void changes_end(struct changes *changes, struct book *book) { settle(changes, book, 0, 1); }
#endif
