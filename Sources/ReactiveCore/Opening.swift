// The moment in which a subscriber gets its subscription.

import PlatformShim

/// Whether a subscriber may be called: not before its subscription is handed out, and while that
/// happens only by the thread that does it.
///
/// Used under the lock of its owner.
struct Opening {
  /// The thread that hands the subscription out.
  private var opener: UInt?
  /// Whether the subscriber has its subscription.
  private(set) var isOver = false

  /// Whether the calling thread may call the subscriber.
  @inline(__always) var admitsCaller: Bool { isOver || isOpener }

  private var isOpener: Bool { opener == reprise_thread() }

  /// The subscription is handed out now, by the calling thread.
  ///
  /// - Returns: Whether it has not been before.
  mutating func begin() -> Bool {
    guard !isOver, opener == nil else { return false }
    opener = reprise_thread()
    return true
  }

  /// The subscription has been handed out.
  mutating func end() { (opener, isOver) = (nil, true) }
}
