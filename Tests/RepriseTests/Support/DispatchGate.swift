// A gate that blocks the thread, to play a listener that does not come back.

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
