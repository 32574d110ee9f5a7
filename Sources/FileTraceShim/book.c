// The rules by which single calls become the inputs and outputs of a step.
#ifdef __linux__
#define _GNU_SOURCE
#include "book.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

/// The maximum number of names in a book; beyond, the processes count as not watched.
#define NAMES_MAX 4000000
#define NOTES_MAX 64

/// A file with several names that was changed in place.
struct twin {
  dev_t device;
  ino_t inode;
  struct timespec changed;  // before the first change
};

struct book {
  char root[PATH_MAX];
  size_t root_length;
  struct entry **table;
  size_t size, used;
  // Names outside of the project that were resolved before, as they were written.
  struct entry **names;
  size_t names_size, names_used;
  // Files with several names that were changed in place.
  struct twin *twins;
  size_t twin_count;
  char *notes[NOTES_MAX];
  int note_count;
  int uses_network;
  unsigned long calls;
};

static uint64_t hash_of(const char *text) {
  uint64_t hash = 14695981039346656037ULL;
  while (*text) hash = (hash ^ (unsigned char)*text++) * 1099511628211ULL;
  return hash ^ hash >> 29;
}

static struct entry *find(struct entry ***table, size_t *size, size_t *used, const char *path,
                          int make) {
  if (make && *used * 2 >= *size) {
    size_t wider = *size ? *size * 2 : 1024;
    struct entry **grown = calloc(wider, sizeof *grown);
    if (!grown) return NULL;
    for (size_t i = 0; i < *size; i++) {
      for (struct entry *entry = (*table)[i], *next; entry; entry = next) {
        next = entry->next;
        size_t slot = hash_of(entry->path) & (wider - 1);
        entry->next = grown[slot];
        grown[slot] = entry;
      }
    }
    free(*table);
    *table = grown;
    *size = wider;
  }
  if (!*size) return NULL;
  size_t slot = hash_of(path) & (*size - 1);
  for (struct entry *entry = (*table)[slot]; entry; entry = entry->next) {
    if (!strcmp(entry->path, path)) return entry;
  }
  if (!make) return NULL;
  struct entry *entry = calloc(1, sizeof *entry);
  if (!entry || !(entry->path = strdup(path))) {
    free(entry);
    return NULL;
  }
  entry->next = (*table)[slot];
  (*table)[slot] = entry;
  (*used)++;
  return entry;
}

static struct entry *entry_of(struct book *book, const char *path, int make) {
  if (make && book->used >= NAMES_MAX) {
    book_note(book, "more files than can be noted", "");
    make = 0;
  }
  struct entry *entry = find(&book->table, &book->size, &book->used, path, make);
  if (make && !entry) book_note(book, "no memory", "");
  return entry;
}

struct book *book_open(const char *root) {
  struct book *book = calloc(1, sizeof *book);
  if (!book) return NULL;
  if (!realpath(root, book->root)) {
    free(book);
    return NULL;
  }
  book->root_length = strcmp(book->root, "/") ? strlen(book->root) : 0;
  return book;
}

static void free_table(struct entry **table, size_t size) {
  for (size_t i = 0; i < size; i++) {
    for (struct entry *entry = table[i], *next; entry; entry = next) {
      next = entry->next;
      free(entry->path);
      free(entry);
    }
  }
  free(table);
}

void book_free(struct book *book) {
  free_table(book->table, book->size);
  free_table(book->names, book->names_size);
  for (int i = 0; i < book->note_count; i++) free(book->notes[i]);
  free(book->twins);
  free(book);
}

void book_count(struct book *book) { book->calls++; }

int book_contains(const struct book *book, const char *path) {
  return !strncmp(path, book->root, book->root_length) &&
         (path[book->root_length] == '/' || !path[book->root_length]);
}

unsigned book_use(struct book *book, const char *path) {
  struct entry *entry = entry_of(book, path, 0);
  return entry ? entry->use : 0;
}

int book_knows(struct book *book, const char *name, int is_attributes) {
  struct entry *entry =
      find(&book->names, &book->names_size, &book->names_used, name, book->names_used < NAMES_MAX);
  if (!entry) return 0;
  unsigned bit = is_attributes ? LOOKED_AT : READ;
  int known = entry->use & bit;
  entry->use |= bit;
  return known;
}

/// Whether the kernel counts times of files in ticks of some milliseconds, as before 6.13: two changes
/// within one look like one.
static int has_coarse_times(void) {
  static int answer = -1;
  if (answer >= 0) return answer;
  struct utsname name;
  int major = 0, minor = 0;
  if (!uname(&name)) sscanf(name.release, "%d.%d", &major, &minor);
  return answer = major < 6 || (major == 6 && minor < 13);
}

static int is_young(struct timespec changed) {
  if (!has_coarse_times()) return 0;
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  double age = (double)(now.tv_sec - changed.tv_sec) + 1e-9 * (double)(now.tv_nsec - changed.tv_nsec);
  return age < 0.05;
}

static void know(struct entry *entry, const struct stat *status) {
  if (!status || entry->is_known || entry->use & (WRITTEN | TEMPORARY)) return;
  entry->is_known = 1;
  entry->first.inode = status->st_ino;
  entry->first.size = status->st_size;
  entry->first.mode = status->st_mode;
  entry->first.links = status->st_nlink;
  entry->first.modified = status->st_mtim;
  entry->first.changed = status->st_ctim;
  entry->is_young = is_young(status->st_ctim);
}

static int is_same_time(struct timespec one, struct timespec other) {
  return one.tv_sec == other.tv_sec && one.tv_nsec == other.tv_nsec;
}

static struct twin *twin_of(struct book *book, const struct stat *status) {
  for (size_t i = 0; i < book->twin_count; i++) {
    struct twin *twin = &book->twins[i];
    if (twin->inode == status->st_ino && twin->device == status->st_dev) return twin;
  }
  return NULL;
}

void book_saw(struct book *book, const char *path, unsigned use, const struct stat *status) {
  // What was looked for outside of the project is too much, and says too little.
  if (use == ABSENT && !book_contains(book, path)) return;
  struct entry *entry = entry_of(book, path, 1);
  // A look at something that the processes have made says nothing about their inputs.
  if (!entry) return;
  if (entry->use & (WRITTEN | TEMPORARY | REMOVED)) {
    if (entry->use & UNSURE) entry->use |= use;
    return;
  }
  // Another name of a file that they have changed.
  struct twin *twin = status && S_ISREG(status->st_mode) ? twin_of(book, status) : NULL;
  if (twin && !entry->use && !is_same_time(twin->changed, status->st_ctim)) {
    know(entry, status);
    entry->is_young = 1;  // its times are those after the change
    // Only its attributes may have changed, so it may be an input, too.
    entry->use |= use | WRITTEN | EXISTED | UNSURE;
    return;
  }
  know(entry, status);
  entry->use |= use;
}

/// Two lanes of a multiplicative hash; only compared with hashes of this process.
static int hash_content(const char *path, uint64_t lanes[2]) {
  int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (descriptor < 0) return 0;
  static const size_t room = 1 << 16;
  unsigned char *bytes = malloc(room);
  uint64_t first = 14695981039346656037ULL, second = 0x9E3779B97F4A7C15ULL;
  ssize_t count = -1;
  while (bytes && ((count = read(descriptor, bytes, room)) > 0 || (count < 0 && errno == EINTR))) {
    for (ssize_t i = 0; i < count; i++) {
      first = (first ^ bytes[i]) * 1099511628211ULL;
      second = (second + bytes[i] + 1) * 0xD6E8FEB86659FD93ULL;
      second ^= second >> 32;
    }
  }
  free(bytes);
  close(descriptor);
  lanes[0] = first;
  lanes[1] = second;
  return count == 0;
}

void book_will_write(struct book *book, const char *path, const struct stat *status,
                     int reads_content) {
  if (!book_contains(book, path)) return;
  struct entry *entry = entry_of(book, path, 1);
  if (!entry) return;
  know(entry, status);
  // Of a file that was read, whether it has the same content in the end decides.
  int is_input = reads_content || entry->use & READ;
  if (is_input && !(entry->use & (WRITTEN | TEMPORARY)) && !entry->is_hashed)
    entry->is_hashed = hash_content(path, entry->before);
  if (status->st_nlink < 2 || !S_ISREG(status->st_mode) || twin_of(book, status)) return;
  struct twin *grown = realloc(book->twins, sizeof *grown * (book->twin_count + 1));
  if (!grown) {
    book_note(book, "no memory", "");
    return;
  }
  book->twins = grown;
  grown[book->twin_count++] = (struct twin){status->st_dev, status->st_ino, status->st_ctim};
}

void book_remember(struct book *book, const char *path, const struct stat *status) {
  struct entry *entry = book_contains(book, path) ? entry_of(book, path, 1) : NULL;
  if (entry) know(entry, status);
}

static struct entry *socket_of(struct book *book, const char *path, int make) {
  return find(&book->names, &book->names_size, &book->names_used, path, make);
}

void book_own_socket(struct book *book, const char *path) {
  struct entry *entry = socket_of(book, path, 1);
  if (entry) entry->use |= WRITTEN;
}

int book_owns_socket(struct book *book, const char *path) {
  struct entry *entry = socket_of(book, path, 0);
  return book_use(book, path) & WRITTEN || (entry && entry->use & WRITTEN);
}

void book_made(struct book *book, const char *path, int existed, unsigned use) {
  if (!book_contains(book, path)) return;
  struct entry *entry = entry_of(book, path, 1);
  if (!entry) return;
  if (existed && !(entry->use & (WRITTEN | TEMPORARY))) entry->use |= EXISTED;
  entry->use = (entry->use | WRITTEN | use) & ~(unsigned)(TEMPORARY | REMOVED);
}

void book_removed(struct book *book, const char *path) {
  if (!book_contains(book, path)) return;
  struct entry *entry = entry_of(book, path, 1);
  if (!entry) return;
  if (entry->use & WRITTEN && !(entry->use & EXISTED))
    entry->use = (entry->use & ~(unsigned)WRITTEN) | TEMPORARY;
  else
    entry->use = (entry->use | REMOVED | EXISTED) & ~(unsigned)WRITTEN;
}

void book_moved(struct book *book, const char *from, const char *to) {
  size_t length = strlen(from), count = 0;
  char **inside = calloc(book->used + 1, sizeof *inside);
  if (!inside) {
    book_note(book, "no memory", "");
    return;
  }
  for (size_t i = 0; i < book->size; i++) {
    for (struct entry *entry = book->table[i]; entry; entry = entry->next) {
      if (entry->use & WRITTEN && !strncmp(entry->path, from, length) && entry->path[length] == '/')
        inside[count++] = entry->path;
    }
  }
  for (size_t i = 0; i < count; i++) {
    char moved[PATH_MAX * 2];
    snprintf(moved, sizeof moved, "%s%s", to, inside[i] + length);
    book_made(book, moved, 0, book_use(book, inside[i]) & FOLDER);
    book_removed(book, inside[i]);
  }
  free(inside);
}

void book_touched(struct book *book, const char *path, unsigned use) {
  if (!book_contains(book, path)) return;
  struct entry *entry = entry_of(book, path, 1);
  if (entry) entry->use |= use;
}

void book_uses_network(struct book *book) { book->uses_network = 1; }

void book_note(struct book *book, const char *what, const char *who) {
  char note[PATH_MAX + 128];
  snprintf(note, sizeof note, *who ? "%s: %s" : "%s", what, who);
  for (int i = 0; i < book->note_count; i++) {
    if (!strcmp(book->notes[i], note)) return;
  }
  if (book->note_count < NOTES_MAX && (book->notes[book->note_count] = strdup(note)))
    book->note_count++;
}

// ---- The end: the disk has the last word. ----

/// The other names of a file that was changed in place have changed, too.
static void settle_twins(struct book *book) {
  for (size_t k = 0; k < book->twin_count; k++) {
    nlink_t names = 0, known = 0;
    // If none of the names in the book is left, another one may be.
    int is_changed = 1;
    for (size_t i = 0; i < book->size; i++) {
      for (struct entry *entry = book->table[i]; entry; entry = entry->next) {
        struct stat status;
        if (!book_contains(book, entry->path) || lstat(entry->path, &status) ||
            status.st_ino != book->twins[k].inode || status.st_dev != book->twins[k].device)
          continue;
        names = status.st_nlink;
        known++;
        is_changed = !is_same_time(status.st_ctim, book->twins[k].changed);
        if (is_changed && !(entry->use & WRITTEN)) entry->use |= WRITTEN | EXISTED;
      }
    }
    if (is_changed && (names > known || !known)) book_note(book, "a file with further names (hard links) was changed", "");
  }
}

/// A call that failed, or a file that was opened for writing and left alone, is no change.
static void settle(struct entry *entry) {
  struct stat status;
  int is_there = !lstat(entry->path, &status);
  if (entry->use & REMOVED && is_there) entry->use &= ~(unsigned)REMOVED;
  if (entry->use & TEMPORARY && is_there)
    entry->use = (entry->use & ~(unsigned)TEMPORARY) | WRITTEN;
  if (!(entry->use & WRITTEN)) return;
  if (!is_there) {
    entry->use &= ~(unsigned)WRITTEN;
    entry->use |= entry->use & EXISTED ? REMOVED : TEMPORARY;
  } else if (entry->is_known && !entry->is_young && entry->first.inode == status.st_ino &&
             is_same_time(entry->first.changed, status.st_ctim)) {
    entry->use = (entry->use & ~(unsigned)WRITTEN) | READ;
  }
}

/// Whether another process has changed what was read here.
static int has_changed(const struct entry *entry) {
  struct stat status;
  if (!entry->is_known || S_ISDIR(entry->first.mode)) return 0;
  if (entry->use & (WRITTEN | REMOVED | TEMPORARY)) return 0;
  if (lstat(entry->path, &status)) return 1;
  if (entry->first.inode != status.st_ino || entry->first.size != status.st_size ||
      !is_same_time(entry->first.modified, status.st_mtim))
    return !(entry->use & CHANGED_META && entry->first.inode == status.st_ino &&
             entry->first.size == status.st_size);
  // The attributes of a file with several names change with those of each name.
  int is_shared = status.st_nlink > 1 || entry->first.links > 1;
  return !(entry->use & (CHANGED_META | LINKED)) && !is_shared &&
         !is_same_time(entry->first.changed, status.st_ctim);
}

static long long nanoseconds(struct timespec time) {
  return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static void print_path(FILE *out, const char *path) {
  for (const char *c = path; *c; c++) {
    if (*c == '\n' || *c == '\\')
      fprintf(out, "\\%03o", (unsigned char)*c);
    else
      fputc(*c, out);
  }
  fputc('\n', out);
}

static void print(FILE *out, const struct entry *entry) {
  static const struct {
    unsigned use;
    char letter;
  } letters[] = {{READ, 'R'},      {WRITTEN, 'W'},   {ABSENT, 'A'},       {LISTED, 'L'},
                 {REMOVED, 'D'},   {LOOKED_AT, 'S'}, {TEMPORARY, 'T'},    {FOLDER, 'F'},
                 {CHANGED_META, 'M'}, {RUN, 'X'}};
  char text[24];
  int count = 0;
  for (size_t i = 0; i < sizeof letters / sizeof *letters; i++) {
    if (entry->use & letters[i].use) text[count++] = letters[i].letter;
  }
  if (!count) return;
  if (has_changed(entry)) text[count++] = 'C';
  uint64_t after[2];
  if (entry->use & WRITTEN && entry->is_hashed && hash_content(entry->path, after) &&
      after[0] == entry->before[0] && after[1] == entry->before[1])
    text[count++] = 'E';
  text[count] = 0;
  if (entry->is_known) {
    const struct first *first = &entry->first;
    fprintf(out, "%s\t%lld\t%lld\t%lld\t%llu\t%o\t", text, (long long)first->size,
            nanoseconds(first->modified), nanoseconds(first->changed),
            (unsigned long long)first->inode, first->mode);
  } else {
    fprintf(out, "%s\t-\t-\t-\t-\t-\t", text);
  }
  print_path(out, entry->path);
}

void book_print(struct book *book, FILE *out) {
  settle_twins(book);
  for (size_t i = 0; i < book->size; i++) {
    for (struct entry *entry = book->table[i]; entry; entry = entry->next) {
      if (book_contains(book, entry->path)) settle(entry);
    }
  }
  for (size_t i = 0; i < book->size; i++) {
    for (struct entry *entry = book->table[i]; entry; entry = entry->next) print(out, entry);
  }
  for (int i = 0; i < book->note_count; i++) {
    fprintf(out, "N\t-\t-\t-\t-\t-\t");
    print_path(out, book->notes[i]);
  }
  if (book->uses_network) fprintf(out, "P\t-\t-\t-\t-\t-\tnetwork\n");
  fprintf(out, "end %lu\n", book->calls);
}
#endif
