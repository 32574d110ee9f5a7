// Calls that change files, from the moment before they run until it is known what they did.

#ifndef CHANGES_H
#define CHANGES_H

#include "book.h"

enum change_kind {
  MAKES,      // a name that was not there
  REPLACES,   // renames a file or folder, over another one or not
  EXCHANGES,  // renames two files at once
  LINKS,      // gives a file another name
  REMOVES,    // a file or folder
  SETS,       // mode, owner, time or other attributes
};

/// A call that was let go, whose result is not known: the kernel does not tell.
struct change {
  enum change_kind kind;
  int thread;
  unsigned use;            // FOLDER for a folder that is made
  int other_existed;
  char *path, *other;      // other: the new name of a file
  struct stat status;      // of path, before the call
  struct change *next;
};

/// The changes of a process tree whose results are open.
struct changes {
  struct change *first;
};

/// Adds a change that a thread is about to make; copies the names.
void change_begins(struct changes *changes, struct book *book, const struct change *change);

/// Books the changes whose results can be known when a thread makes its next call: its own, those of
/// threads that have ended, and those of others that are visible.
void changes_settle(struct changes *changes, struct book *book, int thread);

/// Books all changes at the end.
void changes_end(struct changes *changes, struct book *book);

#endif
