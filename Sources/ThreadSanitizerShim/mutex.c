// Tells ThreadSanitizer what the waiting side of the standard library's Mutex does: the library is not
// built with it, so a lock that was waited for looks to it like no lock at all (swiftc 6.3, Linux).
// Empty unless it is compiled with `--sanitize=thread`, so programs that embed the engine have it in their
// own builds with ThreadSanitizer and in no others. Where a later library calls these functions otherwise,
// the control programs in Scripts/thread-sanitizer are reported, and `make tsan` fails.
#if defined(__linux__) && defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>

void __tsan_acquire(void *address);
void __tsan_release(void *address);

// _MutexHandle._lockSlow(_:), _tryLockSlow() and _unlockSlow() of
// https://github.com/swiftlang/swift/blob/main/stdlib/public/Synchronization/Mutex/LinuxImpl.swift
#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define TRY_LOCK "$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"
#define SELF __attribute__((swift_context)) void *mutex

__attribute__((swiftcall)) void lock_slow(uint32_t thread, SELF) __asm__(LOCK);
__attribute__((swiftcall)) bool try_lock_slow(SELF) __asm__(TRY_LOCK);
__attribute__((swiftcall)) void unlock_slow(SELF) __asm__(UNLOCK);

typedef __attribute__((swiftcall)) void lock_function(uint32_t, SELF);
typedef __attribute__((swiftcall)) bool try_lock_function(SELF);
typedef __attribute__((swiftcall)) void unlock_function(SELF);

__attribute__((swiftcall)) void lock_slow(uint32_t thread, SELF) {
  ((lock_function *)dlsym(RTLD_NEXT, LOCK))(thread, mutex);
  __tsan_acquire(mutex);
}

__attribute__((swiftcall)) bool try_lock_slow(SELF) {
  bool is_taken = ((try_lock_function *)dlsym(RTLD_NEXT, TRY_LOCK))(mutex);
  if (is_taken) __tsan_acquire(mutex);
  return is_taken;
}

__attribute__((swiftcall)) void unlock_slow(SELF) {
  __tsan_release(mutex);
  ((unlock_function *)dlsym(RTLD_NEXT, UNLOCK))(mutex);
}
#endif
#endif
