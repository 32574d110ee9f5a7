// line-writer bytes COUNT   writes COUNT bytes in lines of 100 bytes and blocks of 64,000, at full
// speed
// line-writer every MS      writes a numbered line every MS milliseconds, until it is killed

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { LINE = 100, BLOCK = 64000 };

static int write_all(const char *bytes, size_t count) {
  while (count > 0) {
    ssize_t written = write(1, bytes, count);
    if (written < 0) return 1;
    bytes += written;
    count -= (size_t)written;
  }
  return 0;
}

static int write_bytes(long count) {
  static char block[BLOCK];
  memset(block, 'x', BLOCK);
  for (int end = LINE - 1; end < BLOCK; end += LINE) block[end] = '\n';
  for (; count > 0; count -= BLOCK)
    if (write_all(block, count < BLOCK ? (size_t)count : BLOCK)) return 1;
  return 0;
}

static int write_every(long milliseconds) {
  struct timespec pause = {milliseconds / 1000, milliseconds % 1000 * 1000000};
  for (unsigned long number = 1;; number++) {
    char line[64];
    int length = snprintf(line, sizeof line, "compiling file number %lu\n", number);
    if (write_all(line, (size_t)length)) return 1;
    nanosleep(&pause, NULL);
  }
}

int main(int count, char **arguments) {
  if (count != 3) return 64;
  long number = atol(arguments[2]);
  return strcmp(arguments[1], "bytes") == 0 ? write_bytes(number) : write_every(number);
}
