// Records every change that SQLite makes to its files, so that a power loss can be simulated at any
// of them (like test6.c in SQLite's own tests).

#ifndef POWER_LOSS_SHIM_H
#define POWER_LOSS_SHIM_H

enum { POWER_LOSS_WRITE = 1, POWER_LOSS_SYNC = 2, POWER_LOSS_TRUNCATE = 3, POWER_LOSS_DELETE = 4 };

/// A change: for writes the bytes, for truncations the new size as the offset.
struct power_loss_change {
  int kind;
  const char *path;
  long long offset;
  int size;
  const unsigned char *bytes;
};

/// Starts to record the changes of databases that are opened from now on. Returns 0 or an error
/// code.
int power_loss_begin(void);

/// Stops recording for databases that are opened from now on, and discards all changes.
void power_loss_end(void);

/// Makes the change with the given number and all later ones fail: 0 is the next change, -1 none.
void power_loss_fail_at(int number, int error);

/// Returns the number of recorded changes.
int power_loss_count(void);

/// Returns the change at a position.
struct power_loss_change power_loss_change_at(int position);

#endif
