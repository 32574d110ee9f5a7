#include <sqlite3.h>

// SQLITE_TRANSIENT, a pointer made of -1, is nothing that Swift can import.
static inline int reprise_bind_text(sqlite3_stmt *statement, int position, const char *text, int size) {
  return sqlite3_bind_text(statement, position, text, size, SQLITE_TRANSIENT);
}
