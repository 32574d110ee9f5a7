// How much work a stress test does: less under sanitizers, where everything is slower.

import Foundation

/// So many iterations, divided by REPRISE_TEST_SCALE where that is set.
func scaled(_ iterations: Int) -> Int {
  let divisor = ProcessInfo.processInfo.environment["REPRISE_TEST_SCALE"].flatMap(Int.init) ?? 1
  return max(1, iterations / max(1, divisor))
}
