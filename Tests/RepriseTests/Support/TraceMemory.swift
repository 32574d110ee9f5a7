// A memory of cached steps that lasts as long as a test.

import Synchronization

@testable import Reprise

/// Remembers the traces of steps for one run after the other.
final class TraceMemory: StepMemory {
  private let traces = Mutex<[String: StepTrace]>([:])

  func recall(_ step: String) -> StepTrace? { traces.withLock { $0[step] } }
  func recallAll() -> [String: StepTrace] { traces.withLock { $0 } }
  func remember(_ trace: StepTrace, of step: String) throws {
    traces.withLock { $0[step] = trace }
  }
}
