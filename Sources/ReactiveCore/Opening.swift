// The moment in which a subscriber gets its subscription.

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// Identifies a thread while it runs.
struct ThreadID: Equatable {
  private let thread: pthread_t

  /// The calling thread.
  static var current: ThreadID { ThreadID(thread: pthread_self()) }
}

/// Whether a subscriber may be called: not before its subscription is handed out, and while that
/// happens only by the thread that does it.
///
/// Used under the lock of its owner.
struct Opening {
  private var opener: ThreadID?
  /// Whether the subscriber has its subscription.
  private(set) var isOver = false

  /// Whether the calling thread may call the subscriber.
  @inline(__always) var admitsCaller: Bool { isOver || isOpener }

  private var isOpener: Bool { opener == .current }

  /// The subscription is handed out now, by the calling thread.
  ///
  /// - Returns: Whether it has not been before.
  mutating func begin() -> Bool {
    guard !isOver, opener == nil else { return false }
    opener = .current
    return true
  }

  /// The subscription has been handed out.
  mutating func end() { (opener, isOver) = (nil, true) }
}
