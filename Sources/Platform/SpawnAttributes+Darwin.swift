// The types of spawn attributes and file actions on Darwin: pointers that are nil at first.

#if canImport(Darwin)
import Darwin

typealias SpawnAttributes = posix_spawnattr_t?
typealias SpawnFileActions = posix_spawn_file_actions_t?

extension posix_spawnattr_t? {
  init() { self = nil }
}

/// Does nothing: ``spawnWithoutInheriting`` has the same effect.
func markDescriptorsAsOwn() {}

/// A flag by which nothing is inherited unless a file action says so.
let spawnWithoutInheriting = Int32(POSIX_SPAWN_CLOEXEC_DEFAULT)

/// Starts a program in a session of its own.
let spawnInNewSession = Int32(POSIX_SPAWN_SETSID)
#endif
