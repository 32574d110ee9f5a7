// Clocks that count how often they are asked.

import Schedules
import Synchronization

/// Clocks of UTC that count how often they are asked.
final class CountedClocks: ZoneOffsets {
  private let asked = Mutex(0)

  var count: Int { asked.withLock { $0 } }

  func reset() {
    asked.withLock { $0 = 0 }
  }

  func offset(at seconds: Int64) -> Int {
    asked.withLock { $0 += 1 }
    return 0
  }
}
