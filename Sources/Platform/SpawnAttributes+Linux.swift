// The type of spawn attributes on Linux: a structure.

#if canImport(Glibc)
import Glibc

typealias SpawnAttributes = posix_spawnattr_t
#elseif canImport(Musl)
import Musl

typealias SpawnAttributes = posix_spawnattr_t
#endif
