// A gate that blocks the thread, to simulate a subscriber that does not return.

import Dispatch

final class DispatchGate: Sendable {
  private let semaphore = DispatchSemaphore(value: 0)

  func wait() {
    semaphore.wait()
    semaphore.signal()
  }

  func open() {
    semaphore.signal()
  }
}
