// Waits for descriptors and for the ends of processes with kqueue.

#if canImport(Darwin)
import Platform

/// Waits for things to happen.
///
/// Used by one thread.
typealias Poller = KernelQueue
#endif
