// Checks whether enough threads can be created: Dispatch waits forever if it cannot create one.
#include "ChildProcessesShim.h"

#include <pthread.h>
#include <sys/resource.h>

static void *wait_for_release(void *gate) {
  pthread_mutex_lock(gate);
  pthread_mutex_unlock(gate);
  return NULL;
}

static int is_limited(int kind, rlim_t ample) {
  struct rlimit limit;
  return !getrlimit(kind, &limit) && limit.rlim_cur != RLIM_INFINITY && limit.rlim_cur < ample;
}

int reprise_lacks_threads(int count, int always) {
  enum { most = 64 };
  // Without limits, skip the check: it would take a tenth of the program's start time.
  rlim_t ample = (rlim_t)8 << 30;
  if (!always && !is_limited(RLIMIT_NPROC, 4096) && !is_limited(RLIMIT_AS, ample)
      && !is_limited(RLIMIT_DATA, ample))
    return 0;
  pthread_t threads[most];
  pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
  int started = 0, error = 0;
  pthread_mutex_lock(&gate);
  while (started < count && started < most && !error) {
    error = pthread_create(&threads[started], NULL, wait_for_release, &gate);
    if (!error) started++;
  }
  pthread_mutex_unlock(&gate);
  for (int position = 0; position < started; position++) pthread_join(threads[position], NULL);
  return error;
}
