// A control of `make tsan`: four threads that contend for one lock. No race may be reported.

import Dispatch
import Synchronization

final class Numbers: Sendable {
  let list = Mutex<[Int]>([])
}

let numbers = Numbers()
DispatchQueue.concurrentPerform(iterations: 4) { _ in
  for number in 0..<20_000 {
    numbers.list.withLock { $0 = $0.count < 100 ? $0 + [number] : [] }
  }
}
