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
/// POSIX_SPAWN_SETSID, which the headers show only to programs that define _GNU_SOURCE.
let spawnInNewSession: Int32 = 0x80
#endif
