// The types of spawn attributes and file actions on Linux: structures.

#if canImport(Glibc)
import Glibc

typealias SpawnAttributes = posix_spawnattr_t
typealias SpawnFileActions = posix_spawn_file_actions_t
#elseif canImport(Musl)
import Musl

typealias SpawnAttributes = posix_spawnattr_t
typealias SpawnFileActions = posix_spawn_file_actions_t
#endif

#if canImport(Glibc) || canImport(Musl)
/// Marks all open descriptors but input, output and errors as not inherited.
///
/// Libraries open some without `O_CLOEXEC`, and the header hides the file action that closes them
/// (`posix_spawn_file_actions_addclosefrom_np`) from programs that do not define _GNU_SOURCE.
func markDescriptorsAsOwn() {
  for name in FolderReader.names(in: "/proc/self/fd") {
    if let descriptor = Int32(name), descriptor > 2 { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
  }
}

/// A flag by which nothing is inherited unless a file action says so; Linux has none.
let spawnWithoutInheriting: Int32 = 0

/// POSIX_SPAWN_SETSID, which the headers show only to programs that define _GNU_SOURCE.
let spawnInNewSession: Int32 = 0x80
#endif
