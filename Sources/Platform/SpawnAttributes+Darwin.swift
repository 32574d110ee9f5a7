// The types of spawn attributes and file actions on Darwin: pointers that are nil at first.

#if canImport(Darwin)
import Darwin

typealias SpawnAttributes = posix_spawnattr_t?
typealias SpawnFileActions = posix_spawn_file_actions_t?

extension posix_spawnattr_t? {
  init() { self = nil }
}

/// Starts a program in a session of its own.
let spawnInNewSession = Int32(POSIX_SPAWN_SETSID)
#endif
