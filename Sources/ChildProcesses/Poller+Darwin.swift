// Waits for descriptors and for the ends of processes, with kqueue.

#if canImport(Darwin)
import Platform

/// A kqueue for descriptors and processes.
///
/// Used by one thread.
typealias Poller = KernelQueue
#endif
