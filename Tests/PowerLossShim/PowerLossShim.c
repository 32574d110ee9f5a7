// A virtual file system for SQLite that forwards all calls to the default one and records the
// changes of files. See https://www.sqlite.org/vfs.html.
#include "PowerLossShim.h"

#include <pthread.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct power_loss_change *changes;
static int count, room;
static int failing_number = -1, failing_error;
static sqlite3_vfs *standard;
static sqlite3_vfs recording;

struct recorded_file {
  sqlite3_file base;
  char *path;
  sqlite3_file *real;
};

static void note(int kind, const char *path, sqlite3_int64 offset, int size, const void *bytes) {
  pthread_mutex_lock(&lock);
  if (count == room) {
    room = room ? room * 2 : 1024;
    changes = realloc(changes, room * sizeof *changes);
  }
  unsigned char *copy = NULL;
  if (bytes) memcpy(copy = malloc(size), bytes, size);
  changes[count++] = (struct power_loss_change){kind, strdup(path), offset, size, copy};
  pthread_mutex_unlock(&lock);
}

static int failure(void) {
  pthread_mutex_lock(&lock);
  int result = SQLITE_OK;
  if (failing_number == 0) result = failing_error;
  if (failing_number > 0) failing_number--;
  pthread_mutex_unlock(&lock);
  return result;
}

void power_loss_fail_at(int number, int error) {
  pthread_mutex_lock(&lock);
  failing_number = number;
  failing_error = error;
  pthread_mutex_unlock(&lock);
}

#define FILE_OF(file) ((struct recorded_file *)(file))
#define REAL(file) (FILE_OF(file)->real)

static int file_close(sqlite3_file *file) {
  int result = REAL(file)->pMethods->xClose(REAL(file));
  free(FILE_OF(file)->path);
  return result;
}
static int file_read(sqlite3_file *file, void *bytes, int size, sqlite3_int64 offset) {
  return REAL(file)->pMethods->xRead(REAL(file), bytes, size, offset);
}
static int file_write(sqlite3_file *file, const void *bytes, int size, sqlite3_int64 offset) {
  int failed = failure();
  if (failed) return failed;
  note(POWER_LOSS_WRITE, FILE_OF(file)->path, offset, size, bytes);
  return REAL(file)->pMethods->xWrite(REAL(file), bytes, size, offset);
}
static int file_truncate(sqlite3_file *file, sqlite3_int64 size) {
  int failed = failure();
  if (failed) return failed;
  note(POWER_LOSS_TRUNCATE, FILE_OF(file)->path, size, 0, NULL);
  return REAL(file)->pMethods->xTruncate(REAL(file), size);
}
static int file_sync(sqlite3_file *file, int flags) {
  int failed = failure();
  if (failed) return failed;
  int result = REAL(file)->pMethods->xSync(REAL(file), flags);
  if (result == SQLITE_OK) note(POWER_LOSS_SYNC, FILE_OF(file)->path, 0, 0, NULL);
  return result;
}
static int file_size(sqlite3_file *file, sqlite3_int64 *size) {
  return REAL(file)->pMethods->xFileSize(REAL(file), size);
}
static int file_lock(sqlite3_file *file, int level) {
  return REAL(file)->pMethods->xLock(REAL(file), level);
}
static int file_unlock(sqlite3_file *file, int level) {
  return REAL(file)->pMethods->xUnlock(REAL(file), level);
}
static int file_check(sqlite3_file *file, int *result) {
  return REAL(file)->pMethods->xCheckReservedLock(REAL(file), result);
}
static int file_control(sqlite3_file *file, int operation, void *argument) {
  return REAL(file)->pMethods->xFileControl(REAL(file), operation, argument);
}
static int file_sector(sqlite3_file *file) {
  return REAL(file)->pMethods->xSectorSize(REAL(file));
}
static int file_character(sqlite3_file *file) {
  // No guarantees such as atomic writes, because the simulation does not keep them.
  (void)file;
  return 0;
}
static int file_map(sqlite3_file *file, int page, int size, int extend, void volatile **result) {
  return REAL(file)->pMethods->xShmMap(REAL(file), page, size, extend, result);
}
static int file_shared_lock(sqlite3_file *file, int offset, int n, int flags) {
  return REAL(file)->pMethods->xShmLock(REAL(file), offset, n, flags);
}
static void file_barrier(sqlite3_file *file) { REAL(file)->pMethods->xShmBarrier(REAL(file)); }
static int file_unmap(sqlite3_file *file, int deletes) {
  return REAL(file)->pMethods->xShmUnmap(REAL(file), deletes);
}

static const sqlite3_io_methods methods = {
    .iVersion = 2,
    .xClose = file_close,
    .xRead = file_read,
    .xWrite = file_write,
    .xTruncate = file_truncate,
    .xSync = file_sync,
    .xFileSize = file_size,
    .xLock = file_lock,
    .xUnlock = file_unlock,
    .xCheckReservedLock = file_check,
    .xFileControl = file_control,
    .xSectorSize = file_sector,
    .xDeviceCharacteristics = file_character,
    .xShmMap = file_map,
    .xShmLock = file_shared_lock,
    .xShmBarrier = file_barrier,
    .xShmUnmap = file_unmap,
};

static int open_file(sqlite3_vfs *vfs, const char *path, sqlite3_file *file, int flags, int *out) {
  (void)vfs;
  struct recorded_file *recorded = FILE_OF(file);
  recorded->real = (sqlite3_file *)(recorded + 1);
  int result = standard->xOpen(standard, path, recorded->real, flags, out);
  recorded->base.pMethods = result == SQLITE_OK ? &methods : NULL;
  if (result == SQLITE_OK) recorded->path = strdup(path ? path : "");
  return result;
}
static int delete_file(sqlite3_vfs *vfs, const char *path, int syncs) {
  (void)vfs;
  int result = standard->xDelete(standard, path, syncs);
  note(POWER_LOSS_DELETE, path, 0, 0, NULL);
  // The folder was synced, too, so the deletion is durable.
  if (result == SQLITE_OK && syncs) note(POWER_LOSS_SYNC, path, 0, 0, NULL);
  return result;
}

int power_loss_begin(void) {
  standard = sqlite3_vfs_find(NULL);
  recording = *standard;
  recording.zName = "recording";
  recording.szOsFile = (int)sizeof(struct recorded_file) + standard->szOsFile;
  recording.xOpen = open_file;
  recording.xDelete = delete_file;
  return sqlite3_vfs_register(&recording, 1);
}

void power_loss_end(void) {
  sqlite3_vfs_register(standard, 1);
  sqlite3_vfs_unregister(&recording);
  for (int i = 0; i < count; i++) {
    free((void *)changes[i].path);
    free((void *)changes[i].bytes);
  }
  free(changes);
  changes = NULL;
  count = room = 0;
}

int power_loss_count(void) {
  pthread_mutex_lock(&lock);
  int result = count;
  pthread_mutex_unlock(&lock);
  return result;
}

struct power_loss_change power_loss_change_at(int position) { return changes[position]; }
