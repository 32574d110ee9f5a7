// A control of `make tsan`: two threads without a lock. A race must be reported.

import Dispatch

// @unchecked: wrong on purpose.
final class Number: @unchecked Sendable {
  var value = 0
}

let number = Number()
let here = [DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)]
DispatchQueue.concurrentPerform(iterations: 2) { thread in
  // Wait until both threads run, so that these are two threads.
  here[thread].signal()
  here[1 - thread].wait()
  for _ in 0..<1000 { number.value += 1 }
}
