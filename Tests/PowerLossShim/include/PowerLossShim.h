// Notes every change that SQLite makes to its files, so that a loss of power can be acted out at any
// of them (the design of test6.c of SQLite's own tests).

#ifndef POWER_LOSS_SHIM_H
#define POWER_LOSS_SHIM_H

enum { POWER_LOSS_WRITE = 1, POWER_LOSS_SYNC = 2, POWER_LOSS_TRUNCATE = 3, POWER_LOSS_DELETE = 4 };

/// One change: for writes the bytes, for truncations the new size as the offset.
struct power_loss_change {
  int kind;
  const char *path;
  long long offset;
  int size;
  const unsigned char *bytes;
};

/// Begins to note the changes of every database that is opened from now on. Returns 0, or an error.
int power_loss_begin(void);

/// Ends the noting for databases that are opened from now on, and forgets all changes.
void power_loss_end(void);

/// Has the change of that number fail, and all that come after it: 0 for the next one, -1 for none.
void power_loss_fail_at(int number, int error);

/// How many changes have been noted.
int power_loss_count(void);

/// One of them.
struct power_loss_change power_loss_change_at(int position);

#endif
