// Waits for descriptors and for the ends of processes, with kqueue.

#if canImport(Darwin)
import Darwin
import SystemPackage

/// A kqueue for descriptors and processes.
///
/// Used by one thread.
package struct KernelQueue {
  private let queue = kqueue()

  /// Creates a queue.
  package init() {
    precondition(queue >= 0, "cannot create a kqueue: \(Errno.last)")
  }

  /// Reports when a descriptor becomes readable, or when its peer is closed.
  package func watch(_ descriptor: Int32) {
    change(UInt(descriptor), EVFILT_READ, EV_ADD, 0)
  }

  /// Stops watching a descriptor.
  package func unwatch(_ descriptor: Int32) {
    change(UInt(descriptor), EVFILT_READ, EV_DELETE, 0)
  }

  /// Reports when a child ends, even if it already has.
  ///
  /// - Parameter pid: The id of the child.
  /// - Returns: Whether the child can be watched.
  package mutating func watch(process pid: Int32) -> Bool {
    change(UInt(pid), EVFILT_PROC, EV_ADD | EV_ONESHOT, NOTE_EXIT)
  }

  /// Stops watching a process.
  package mutating func unwatch(process pid: Int32) {
    change(UInt(pid), EVFILT_PROC, EV_DELETE, 0)
  }

  /// Waits for events or a timeout.
  ///
  /// - Parameter milliseconds: The timeout; nil for none.
  /// - Returns: The descriptors with events, and the processes that have ended.
  package mutating func wait(
    milliseconds: Int?
  ) -> (descriptors: [Int32], processes: [Int32]) {
    var events = [kevent](repeating: kevent(), count: 64)
    var count: Int32
    if let milliseconds {
      var time = timespec(
        tv_sec: milliseconds / 1000, tv_nsec: milliseconds % 1000 * 1_000_000)
      count = unsafe kevent(queue, nil, 0, &events, Int32(events.count), &time)
    } else {
      count = unsafe kevent(queue, nil, 0, &events, Int32(events.count), nil)
    }
    var news: (descriptors: [Int32], processes: [Int32]) = ([], [])
    for event in events.prefix(max(0, Int(count))) {
      if event.filter == EVFILT_PROC {
        news.processes.append(Int32(event.ident))
      } else {
        news.descriptors.append(Int32(event.ident))
      }
    }
    return news
  }

  @discardableResult
  private func change(_ identifier: UInt, _ filter: Int, _ flags: Int32, _ filterFlags: UInt32)
    -> Bool
  {
    var event = kevent(
      ident: identifier, filter: Int16(filter), flags: UInt16(flags), fflags: filterFlags,
      data: 0, udata: nil)
    return unsafe kevent(queue, &event, 1, nil, 0, nil) == 0
  }
}
#endif
