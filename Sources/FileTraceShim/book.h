// The book of one watched process tree: which files it has used, and how.

#ifndef BOOK_H
#define BOOK_H

#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>

enum use {
  READ = 1,        // its content was read
  WRITTEN = 2,     // it was written, or replaced
  ABSENT = 4,      // it was looked for, and was not there
  LISTED = 8,      // a folder whose names were read
  REMOVED = 16,    // it was there before, and is gone
  LOOKED_AT = 32,  // its attributes were read
  TEMPORARY = 64,  // made and removed again
  FOLDER = 128,    // a folder that was made, or would have been if it were not there
  CHANGED_META = 256,  // its mode, owner or time was set
  RUN = 512,       // it was run as a program
  EXISTED = 1024,  // it was there before the first change
  LINKED = 2048,   // it has got another name, which changes its attributes
  UNSURE = 4096,   // another name of a file that was changed, or of which only the attributes were
};

/// What a file was when it was used first.
struct first {
  ino_t inode;
  off_t size;
  mode_t mode;
  nlink_t links;
  struct timespec modified, changed;
};

struct entry {
  char *path;
  unsigned use;
  int is_known;          // whether `first` is set
  int is_hashed;         // whether `before` is set
  int is_young;          // whether its times cannot tell another change soon after
  struct first first;
  uint64_t before[2];    // a hash of the content before it was written
  struct entry *next;
};

struct book;

struct book *book_open(const char *root);
void book_free(struct book *book);

/// Whether a path is in the folder of the project; it must be a true name, without links.
int book_contains(const struct book *book, const char *path);

/// Notes that a file was used, unless the processes have made it themselves.
void book_saw(struct book *book, const char *path, unsigned use, const struct stat *status);
/// Notes that a file is about to be changed in place, before the call.
void book_will_write(struct book *book, const char *path, const struct stat *status,
                     int reads_content);
/// Notes what a file was before it is replaced or removed.
void book_remember(struct book *book, const char *path, const struct stat *status);
/// Notes that a file was made or written.
void book_made(struct book *book, const char *path, int existed, unsigned use);
/// Notes that a file was removed.
void book_removed(struct book *book, const char *path);
/// Notes that a folder was renamed: what was made in it moves along.
void book_moved(struct book *book, const char *from, const char *to);
/// Notes that its mode, owner or time was set, or that it has got another name.
void book_touched(struct book *book, const char *path, unsigned use);
/// Returns what is noted of a path.
unsigned book_use(struct book *book, const char *path);

/// Returns whether a name was used in a way before, and notes it; for names outside of the project.
int book_knows(struct book *book, const char *name, int is_attributes);

/// Notes a socket that the processes have made, or returns whether they have made it.
void book_own_socket(struct book *book, const char *path);
int book_owns_socket(struct book *book, const char *path);

/// Notes that the processes have connected to an address of the network.
void book_uses_network(struct book *book);

/// Notes something that cannot be seen.
void book_note(struct book *book, const char *what, const char *who);

void book_count(struct book *book);

/// Compares the book with the disk, and writes it.
///
/// A line for each path: letters for its uses, then size, time of the last change of the content and
/// of the attributes in nanoseconds, inode and mode of its first use, or `-` for each, and its path.
/// Lines of notes begin with `N`; a line `P` says that the network was used; the last line is `end` and the number of calls.
void book_print(struct book *book, FILE *out);

#endif
