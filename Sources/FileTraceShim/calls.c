// The table of system calls that name files: x86-64 has all of them, arm64 only those with `at`.
#ifdef __linux__
#define _GNU_SOURCE
#include "calls.h"
#include "paths.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/openat2.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

#ifdef __x86_64__
#define OWN_ARCHITECTURE AUDIT_ARCH_X86_64
#else
#define OWN_ARCHITECTURE AUDIT_ARCH_AARCH64
#endif
#ifndef SYS_fchmodat2
#define SYS_fchmodat2 452
#endif

const int watched_calls[] = {
#ifdef __x86_64__
    SYS_open, SYS_creat, SYS_stat, SYS_lstat, SYS_access, SYS_readlink, SYS_getdents, SYS_rename,
    SYS_link, SYS_symlink, SYS_unlink, SYS_rmdir, SYS_mkdir, SYS_mknod, SYS_chmod, SYS_chown,
    SYS_lchown, SYS_utime, SYS_utimes, SYS_futimesat,
#endif
#ifdef SYS_renameat
    SYS_renameat,
#endif
    SYS_openat, SYS_openat2, SYS_newfstatat, SYS_statx, SYS_faccessat, SYS_faccessat2,
    SYS_readlinkat, SYS_getdents64, SYS_chdir, SYS_execve, SYS_execveat, SYS_renameat2, SYS_linkat,
    SYS_symlinkat, SYS_unlinkat, SYS_mkdirat, SYS_mknodat, SYS_truncate, SYS_fchmodat,
    SYS_fchmodat2, SYS_fchownat, SYS_utimensat, SYS_setxattr, SYS_lsetxattr, SYS_removexattr,
    SYS_lremovexattr, SYS_fchmod, SYS_fchown, SYS_fsetxattr, SYS_fremovexattr, SYS_getxattr,
    SYS_lgetxattr, SYS_connect, SYS_bind, SYS_io_uring_setup, SYS_open_by_handle_at, SYS_chroot,
    SYS_pivot_root, SYS_setns, SYS_unshare, SYS_mount,
};
const int watched_count = sizeof watched_calls / sizeof *watched_calls;

/// A call that is being noted: it names one file or two.
struct noting {
  struct book *book;
  struct changes *changes;
  const struct call *call;
  int pid;
};

struct file {
  enum found found;
  char name[PATH_MAX];
  struct stat status;
};

static void note(struct noting *noting, const char *what) {
  char link[64], program[PATH_MAX];
  snprintf(link, sizeof link, "/proc/%d/exe", noting->pid);
  book_note(noting->book, what, read_link(link, program) ? "a program that has ended" : program);
}

/// Copies the path in an argument. Returns 0, or -1 if the call can only fail, or cannot be seen.
static int path_in(struct noting *noting, int argument, char *path) {
  if (!copy_text(noting->pid, noting->call->arguments[argument], path, PATH_MAX)) return 0;
  if (errno == EPERM || errno == EACCES) note(noting, "the memory of a protected program");
  return -1;
}

/// Finds the file that an argument names.
static int file_in(struct noting *noting, int folder, int argument, int follows,
                   struct file *file) {
  char path[PATH_MAX];
  if (path_in(noting, argument, path) || !*path) return -1;
  file->found =
      find_file(noting->book, noting->pid, folder, path, follows, file->name, &file->status);
  return file->found == UNKNOWN ? -1 : 0;
}

static void saw(struct noting *noting, struct file *file, unsigned use) {
  if (file->found == MISSING) {
    book_saw(noting->book, file->name, ABSENT, NULL);
    return;
  }
  mode_t mode = file->status.st_mode;
  if (use == READ && S_ISDIR(mode)) use = LOOKED_AT;
  if (use == READ && !S_ISREG(mode) && !S_ISLNK(mode)) {
    if (book_contains(noting->book, file->name) &&
        !(book_use(noting->book, file->name) & WRITTEN))
      book_note(noting->book, "it reads from a pipe or a device", file->name);
    return;
  }
  book_saw(noting->book, file->name, use, &file->status);
}

/// Notes that the folder of a name that is made must be there.
static void use_folder_of(struct noting *noting, const struct file *file) {
  char folder[PATH_MAX];
  struct stat status;
  if (!book_contains(noting->book, file->name)) return;
  memcpy(folder, file->name, sizeof folder);
  char *slash = strrchr(folder, '/');
  if (!slash || slash == folder) return;
  *slash = 0;
  if (!book_contains(noting->book, folder)) return;
  if (lstat(folder, &status))
    book_saw(noting->book, folder, ABSENT, NULL);
  else
    book_saw(noting->book, folder, LOOKED_AT, &status);
}

/// Notes a change whose result will be seen when the thread goes on.
static void begin(struct noting *noting, enum change_kind kind, struct file *file,
                  struct file *other, unsigned use) {
  if (!book_contains(noting->book, file->name) &&
      !(other && book_contains(noting->book, other->name)))
    return;
  if (kind == MAKES) use_folder_of(noting, file);
  if (other) use_folder_of(noting, other);
  struct change change = {.kind = kind, .thread = noting->pid, .use = use, .path = file->name};
  if (file->found == FOUND) change.status = file->status;
  if (other) {
    change.other = other->name;
    change.other_existed = other->found == FOUND;
  }
  change_begins(noting->changes, noting->book, &change);
}

static void look(struct noting *noting, int folder, int argument, int follows, unsigned use) {
  char path[PATH_MAX];
  struct file file;
  if (path_in(noting, argument, path) || !*path) return;
  // Most names outside of the project are used again and again.
  if (*path == '/' && !book_contains(noting->book, path) && strncmp(path, "/proc/", 6) &&
      strncmp(path, "/dev/", 5) && book_knows(noting->book, path, use == LOOKED_AT))
    return;
  file.found =
      find_file(noting->book, noting->pid, folder, path, follows, file.name, &file.status);
  if (file.found != UNKNOWN) saw(noting, &file, use);
}

/// Of anything but a link, readlink only says that it is none.
static void read_link_in(struct noting *noting, int folder, int argument) {
  struct file file;
  if (file_in(noting, folder, argument, 0, &file)) return;
  saw(noting, &file, file.found == FOUND && !S_ISLNK(file.status.st_mode) ? LOOKED_AT : READ);
}

static void open_file(struct noting *noting, int folder, int argument, uint64_t flags) {
  // A file that has no name until it is linked.
  if ((flags & O_TMPFILE) == O_TMPFILE) return look(noting, folder, argument, 1, LOOKED_AT);
  int follows = !(flags & O_NOFOLLOW);
  int is_exclusive = flags & O_CREAT && flags & O_EXCL;
  if (flags & O_PATH) return look(noting, folder, argument, follows, LOOKED_AT);
  if ((flags & O_ACCMODE) == O_RDONLY && !(flags & (O_CREAT | O_TRUNC)))
    return look(noting, folder, argument, follows, READ);
  struct file file;
  if (file_in(noting, folder, argument, follows && !is_exclusive, &file)) return;
  if (!book_contains(noting->book, file.name)) {
    // It may read, too, and what it makes outside is nobody's.
    if (file.found == FOUND && S_ISREG(file.status.st_mode) && (flags & O_ACCMODE) == O_RDONLY)
      saw(noting, &file, READ);
    return;
  }
  if (file.found == MISSING) {
    if (!(flags & O_CREAT)) return saw(noting, &file, READ);
    if (is_exclusive) saw(noting, &file, ABSENT);
    return begin(noting, MAKES, &file, NULL, 0);
  }
  if (is_exclusive) return saw(noting, &file, LOOKED_AT);  // fails
  if (!S_ISREG(file.status.st_mode)) return;
  int reads = !(flags & O_TRUNC);
  book_will_write(noting->book, file.name, &file.status, reads);
  if (reads) saw(noting, &file, READ);
  book_made(noting->book, file.name, 1, 0);
}

static void rename_file(struct noting *noting, int from_folder, int from_argument, int to_folder,
                        int to_argument, uint64_t flags) {
  enum { NO_REPLACE = 1, EXCHANGE = 2 };
  struct book *book = noting->book;
  struct file from, to;
  if (file_in(noting, from_folder, from_argument, 0, &from) ||
      file_in(noting, to_folder, to_argument, 0, &to))
    return;
  if (!book_contains(book, from.name) && !book_contains(book, to.name)) return;
  if (from.found == MISSING) return saw(noting, &from, READ);
  if (to.found == FOUND && flags & NO_REPLACE) {  // fails
    saw(noting, &from, LOOKED_AT);
    return saw(noting, &to, LOOKED_AT);
  }
  if (flags & EXCHANGE) {
    if (to.found == MISSING) return saw(noting, &to, READ);
    if (S_ISDIR(from.status.st_mode) || S_ISDIR(to.status.st_mode))
      return book_note(book, "two folders were exchanged", from.name);
    saw(noting, &from, READ);
    saw(noting, &to, READ);
    if (S_ISREG(from.status.st_mode)) book_will_write(book, from.name, &from.status, 1);
    if (S_ISREG(to.status.st_mode)) book_will_write(book, to.name, &to.status, 1);
    return begin(noting, EXCHANGES, &from, &to, 0);
  }
  if (to.found == FOUND) book_remember(book, to.name, &to.status);
  begin(noting, REPLACES, &from, &to, 0);
}

static void link_file(struct noting *noting, int from_folder, int from_argument, int follows,
                      int to_folder, int to_argument) {
  struct file from, to;
  int has_source = !file_in(noting, from_folder, from_argument, follows, &from);
  if (file_in(noting, to_folder, to_argument, 0, &to)) return;
  if (to.found == FOUND) return saw(noting, &to, LOOKED_AT);  // fails
  if (!has_source) return begin(noting, MAKES, &to, NULL, 0);  // of a file without a name
  if (from.found == MISSING) return saw(noting, &from, READ);
  begin(noting, LINKS, &from, &to, 0);
}

/// Notes a name that is made if there is none.
static void make(struct noting *noting, int folder, int argument, unsigned use) {
  struct file file;
  if (file_in(noting, folder, argument, 0, &file)) return;
  saw(noting, &file, LOOKED_AT | (file.found == FOUND && S_ISDIR(file.status.st_mode) ? use : 0));
  if (file.found == MISSING) begin(noting, MAKES, &file, NULL, use);
}

static void remove_file(struct noting *noting, int folder, int argument) {
  struct file file;
  if (file_in(noting, folder, argument, 0, &file)) return;
  if (file.found == MISSING) return saw(noting, &file, ABSENT);
  if (!book_contains(noting->book, file.name)) return;
  // Its first state tells at the end whether it was removed and made again.
  book_remember(noting->book, file.name, &file.status);
  begin(noting, REMOVES, &file, NULL, 0);
}

static void touch_file(struct noting *noting, struct file *file) {
  if (file->found == MISSING) return saw(noting, file, ABSENT);
  if (!book_contains(noting->book, file->name)) return;
  saw(noting, file, LOOKED_AT);
  begin(noting, SETS, file, NULL, 0);
}

static void touch(struct noting *noting, int folder, int argument, int follows) {
  struct file file;
  if (!file_in(noting, folder, argument, follows, &file)) touch_file(noting, &file);
}

/// Finds the file behind a descriptor of the process.
static int file_behind(struct noting *noting, int descriptor, struct file *file) {
  char link[64];
  snprintf(link, sizeof link, "/proc/%d/fd/%d", noting->pid, descriptor);
  if (read_link(link, file->name) || *file->name != '/' || lstat(file->name, &file->status))
    return -1;
  file->found = FOUND;
  return 0;
}

static void touch_open_file(struct noting *noting, int descriptor) {
  struct file file;
  if (!file_behind(noting, descriptor, &file)) touch_file(noting, &file);
}

static void shorten(struct noting *noting, int argument, int to_nothing) {
  struct file file;
  if (file_in(noting, AT_FDCWD, argument, 1, &file)) return;
  if (file.found == MISSING || !book_contains(noting->book, file.name))
    return saw(noting, &file, LOOKED_AT);
  book_will_write(noting->book, file.name, &file.status, !to_nothing);
  if (!to_nothing) saw(noting, &file, READ);
  book_made(noting->book, file.name, 1, 0);
}

/// Notes a socket of the file system: another program can read and write on behalf of this one.
static void use_socket(struct noting *noting, int is_new) {
  struct sockaddr_un address;
  memset(&address, 0, sizeof address);
  size_t length = noting->call->arguments[2];
  if (length > sizeof address) length = sizeof address;
  struct iovec local = {&address, length};
  struct iovec remote = {(void *)(uintptr_t)noting->call->arguments[1], length};
  if (process_vm_readv(noting->pid, &local, 1, &remote, 1, 0) < 3) return;
  if (!is_new && (address.sun_family == AF_INET || address.sun_family == AF_INET6))
    book_uses_network(noting->book);
  if (address.sun_family != AF_UNIX) return;
  char path[sizeof address.sun_path + 1], name[PATH_MAX];
  memcpy(path, address.sun_path, sizeof address.sun_path);
  path[sizeof path - 1] = 0;
  if (!*path) return;
  // The name services of the C library: what they answer is not in files anyway.
  static const char *const usual[] = {"/run/nscd/", "/var/run/nscd/", "/run/systemd/", "/dev/log"};
  for (size_t i = 0; i < sizeof usual / sizeof *usual; i++) {
    if (!strncmp(path, usual[i], strlen(usual[i]))) return;
  }
  struct stat status;
  enum found found = find_file(noting->book, noting->pid, AT_FDCWD, path, 1, name, &status);
  if (is_new && found == MISSING) {
    struct file file = {.found = MISSING};
    memcpy(file.name, name, sizeof name);
    book_own_socket(noting->book, name);
    return begin(noting, MAKES, &file, NULL, 0);
  }
  if (!is_new && found == FOUND && !book_owns_socket(noting->book, name))
    book_note(noting->book, "another program works for it, through a socket", name);
}

static void open_how(struct noting *noting) {
  struct open_how how = {0};
  struct iovec local = {&how, sizeof how};
  struct iovec remote = {(void *)(uintptr_t)noting->call->arguments[2], sizeof how};
  if (process_vm_readv(noting->pid, &local, 1, &remote, 1, 0) < (ssize_t)sizeof how.flags) return;
  open_file(noting, (int)noting->call->arguments[0], 1, how.flags);
}

static void list(struct noting *noting) {
  char link[64], name[PATH_MAX];
  struct stat status;
  snprintf(link, sizeof link, "/proc/%d/fd/%d", noting->pid, (int)noting->call->arguments[0]);
  if (!read_link(link, name) && book_contains(noting->book, name) && !lstat(name, &status))
    book_saw(noting->book, name, LISTED, &status);
}

static void run(struct noting *noting, int folder, int argument) {
  struct file file;
  char path[PATH_MAX];
  if (path_in(noting, argument, path)) return;
  // An empty path means the file behind the descriptor.
  if (*path ? file_in(noting, folder, argument, 1, &file) : file_behind(noting, folder, &file))
    return;
  if (file.found == MISSING) return saw(noting, &file, ABSENT);
  note_program(noting->book, noting->pid, file.name, &file.status, 0);
}

int note_call(struct book *book, struct changes *changes, const struct call *call) {
  struct noting noting = {book, changes, call, call->pid};
  const uint64_t *given = call->arguments;
  book_count(book);
  changes_settle(changes, book, call->pid);
  if (call->architecture != OWN_ARCHITECTURE || call->number >= 0x40000000) {
    note(&noting, "a program for another kind of processor");
    return 0;
  }
  switch (call->number) {
#ifdef __x86_64__
  case SYS_open: open_file(&noting, AT_FDCWD, 0, given[1]); break;
  case SYS_creat: open_file(&noting, AT_FDCWD, 0, O_CREAT | O_WRONLY | O_TRUNC); break;
  case SYS_stat: case SYS_access: look(&noting, AT_FDCWD, 0, 1, LOOKED_AT); break;
  case SYS_lstat: look(&noting, AT_FDCWD, 0, 0, LOOKED_AT); break;
  case SYS_readlink: read_link_in(&noting, AT_FDCWD, 0); break;
  case SYS_getdents: list(&noting); break;
  case SYS_rename: rename_file(&noting, AT_FDCWD, 0, AT_FDCWD, 1, 0); break;
  case SYS_link: link_file(&noting, AT_FDCWD, 0, 0, AT_FDCWD, 1); break;
  case SYS_symlink: make(&noting, AT_FDCWD, 1, 0); break;
  case SYS_unlink: case SYS_rmdir: remove_file(&noting, AT_FDCWD, 0); break;
  case SYS_mkdir: make(&noting, AT_FDCWD, 0, FOLDER); break;
  case SYS_mknod: make(&noting, AT_FDCWD, 0, 0); break;
  case SYS_chmod: case SYS_chown: case SYS_utime: case SYS_utimes:
    touch(&noting, AT_FDCWD, 0, 1);
    break;
  case SYS_lchown: touch(&noting, AT_FDCWD, 0, 0); break;
  case SYS_futimesat: touch(&noting, (int)given[0], 1, 1); break;
#endif
#ifdef SYS_renameat
  case SYS_renameat: rename_file(&noting, (int)given[0], 1, (int)given[2], 3, 0); break;
#endif
  case SYS_openat: open_file(&noting, (int)given[0], 1, given[2]); break;
  case SYS_openat2: open_how(&noting); break;
  case SYS_newfstatat:
    look(&noting, (int)given[0], 1, !(given[3] & AT_SYMLINK_NOFOLLOW), LOOKED_AT);
    break;
  case SYS_statx:
    look(&noting, (int)given[0], 1, !(given[2] & AT_SYMLINK_NOFOLLOW), LOOKED_AT);
    break;
  case SYS_faccessat: case SYS_faccessat2: look(&noting, (int)given[0], 1, 1, LOOKED_AT); break;
  case SYS_readlinkat: read_link_in(&noting, (int)given[0], 1); break;
  case SYS_getdents64: list(&noting); break;
  case SYS_chdir: look(&noting, AT_FDCWD, 0, 1, LOOKED_AT); break;
  case SYS_execve: run(&noting, AT_FDCWD, 0); break;
  case SYS_execveat: run(&noting, (int)given[0], 1); break;
  case SYS_renameat2: rename_file(&noting, (int)given[0], 1, (int)given[2], 3, given[4]); break;
  case SYS_linkat:
    link_file(&noting, (int)given[0], 1, !!(given[4] & AT_SYMLINK_FOLLOW), (int)given[2], 3);
    break;
  case SYS_symlinkat: make(&noting, (int)given[1], 2, 0); break;
  case SYS_unlinkat: remove_file(&noting, (int)given[0], 1); break;
  case SYS_mkdirat: make(&noting, (int)given[0], 1, FOLDER); break;
  case SYS_mknodat: make(&noting, (int)given[0], 1, 0); break;
  case SYS_truncate: shorten(&noting, 0, !given[1]); break;
  case SYS_fchmodat: touch(&noting, (int)given[0], 1, 1); break;
  case SYS_fchmodat2: case SYS_utimensat:
    if (given[1])
      touch(&noting, (int)given[0], 1, !(given[3] & AT_SYMLINK_NOFOLLOW));
    else
      touch_open_file(&noting, (int)given[0]);
    break;
  case SYS_fchownat: touch(&noting, (int)given[0], 1, !(given[4] & AT_SYMLINK_NOFOLLOW)); break;
  case SYS_fchmod: case SYS_fchown: case SYS_fsetxattr: case SYS_fremovexattr:
    touch_open_file(&noting, (int)given[0]);
    break;
  case SYS_getxattr: look(&noting, AT_FDCWD, 0, 1, LOOKED_AT); break;
  case SYS_lgetxattr: look(&noting, AT_FDCWD, 0, 0, LOOKED_AT); break;
  case SYS_setxattr: case SYS_removexattr: touch(&noting, AT_FDCWD, 0, 1); break;
  case SYS_lsetxattr: case SYS_lremovexattr: touch(&noting, AT_FDCWD, 0, 0); break;
  case SYS_connect: use_socket(&noting, 0); break;
  case SYS_bind: use_socket(&noting, 1); break;
  case SYS_io_uring_setup:
    // Its requests are no calls: refused, programs do without.
    note(&noting, "io_uring was asked for, and refused");
    return ENOSYS;
  case SYS_open_by_handle_at: note(&noting, "a file was opened by handle"); break;
  case SYS_unshare:
    if (given[0] & CLONE_NEWNS) note(&noting, "mounts of its own");
    break;
  case SYS_chroot: case SYS_pivot_root: case SYS_setns: case SYS_mount:
    note(&noting, "a root or mounts of its own");
    break;
  }
  return 0;
}
#endif
