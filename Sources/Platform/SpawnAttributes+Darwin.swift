// The type of spawn attributes on Darwin: a pointer that is nil at first.

#if canImport(Darwin)
import Darwin

typealias SpawnAttributes = posix_spawnattr_t?

extension posix_spawnattr_t? {
  init() { self = nil }
}
#endif
