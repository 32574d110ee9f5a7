// A time zone that counts its calls.

import Schedules
import Synchronization

/// UTC offsets that count how often they are requested.
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
