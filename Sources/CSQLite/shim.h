#include <sqlite3.h>

// Swift cannot import SQLITE_TRANSIENT, which is -1 cast to a pointer.
static inline int reprise_bind_text(sqlite3_stmt *statement, int position, const char *text, int size) {
  return sqlite3_bind_text(statement, position, text, size, SQLITE_TRANSIENT);
}
