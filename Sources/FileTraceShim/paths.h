// From the words of a process to the true name of a file.

#ifndef PATHS_H
#define PATHS_H

#include "book.h"

enum found { UNKNOWN = -1, MISSING = 0, FOUND = 1 };

/// Finds the file that a process names, without touching it.
///
/// `folder` is a descriptor of the process, or AT_FDCWD. The true name is written to `name`, which has
/// room for PATH_MAX bytes; of a file that is missing, the name that it would have. Links on the way
/// are noted as read. Returns UNKNOWN for what has no name.
enum found find_file(struct book *book, int pid, int folder, const char *path, int follows,
                     char *name, struct stat *status);

/// Copies a text from the memory of a process. Returns 0, or -1 with errno.
int copy_text(int pid, uint64_t address, char *text, size_t room);

/// Reads where a link leads. Returns 0 or -1.
int read_link(const char *path, char *target);

/// Notes a program that is run, and the one that its first line names.
void note_program(struct book *book, int pid, const char *path, const struct stat *status,
                  int depth);

#endif
