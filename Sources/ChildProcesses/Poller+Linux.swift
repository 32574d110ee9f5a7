// Waits for descriptors and for the ends of processes, with epoll and pidfd.

#if os(Linux)
import ChildProcessesShim
import Platform

/// An epoll instance for descriptors and processes.
///
/// Used by one thread.
struct Poller {
  private let epoll = reprise_epoll_create()
  /// Maps from pidfds to process ids, and back.
  private var processes: [Int32: Int32] = [:]
  private var descriptors: [Int32: Int32] = [:]
  private var news = [Int32](repeating: 0, count: 256)

  init() {
    precondition(epoll >= 0, "cannot create an epoll descriptor: \(Errno.last)")
  }

  /// Reports when a descriptor becomes readable, or when its peer is closed.
  func watch(_ descriptor: Int32) {
    reprise_epoll_watch(epoll, descriptor)
  }

  /// Stops watching a descriptor.
  func unwatch(_ descriptor: Int32) {
    reprise_epoll_unwatch(epoll, descriptor)
  }

  /// Reports when a child ends, even if it already has.
  ///
  /// - Returns: False if the system is out of descriptors.
  mutating func watch(process pid: Int32) -> Bool {
    // The kernel sets close-on-exec on it.
    let descriptor = reprise_pidfd_open(pid)
    guard descriptor >= 0 else { return false }
    processes[descriptor] = pid
    descriptors[pid] = descriptor
    watch(descriptor)
    return true
  }

  /// Stops watching a process.
  mutating func unwatch(process pid: Int32) {
    guard let descriptor = descriptors.removeValue(forKey: pid) else { return }
    processes[descriptor] = nil
    // A child that is being started holds a copy for a moment, so closing the descriptor here would
    // not end the watch.
    unwatch(descriptor)
    closeDescriptor(descriptor)
  }

  /// Waits for events or a timeout.
  ///
  /// - Parameter milliseconds: The timeout; nil for none.
  /// - Returns: The descriptors with events, and the processes that have ended.
  mutating func wait(milliseconds: Int?) -> (descriptors: [Int32], processes: [Int32]) {
    let count = unsafe reprise_epoll_wait(
      epoll, &news, Int32(news.count), Int32(min(milliseconds ?? -1, 3_600_000)))
    let ready = news.prefix(Int(count))
    return (ready.filter { processes[$0] == nil }, ready.compactMap { processes[$0] })
  }
}
#endif
