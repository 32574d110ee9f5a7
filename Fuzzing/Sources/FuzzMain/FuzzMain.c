// The entry point that the package manager gives to an executable; it calls libFuzzer.

#include "FuzzMain.h"

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerRunDriver(int *count, char ***arguments, int (*test)(const uint8_t *, size_t));
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int FuzzLoader_main(int count, char **arguments) {
  return LLVMFuzzerRunDriver(&count, &arguments, LLVMFuzzerTestOneInput);
}
