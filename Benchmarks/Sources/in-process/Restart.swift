// Measures a restart while many processes run.

import CombineOperators
import Glibc
import Reprise
import Synchronization

/// Runs steps that sleep, and restarts the run when all of them run.
///
/// The time is measured from the call of `restart()` to the event of the first step start in the
/// new generation, using the time of the event and the system clock. In the meantime all processes
/// get SIGTERM and end, and the engine searches for their leftover processes.
func measureRestart(_ count: Int) async throws -> [String: Double] {
  let workflow = try Workflow("sleeps", .maxParallel(count)) {
    Parallel {
      for step in 0..<count { Step("s\(step)", exec: ["sleep", "1000"]) }
    }
  }
  let run = Engine().start(workflow)
  let running = Countdown(count)
  let again = Countdown(1)
  let first = Mutex<Timestamp?>(nil)
  let subscription = run.events.sink { event in
    guard case .step(_, attempt: _, .started) = event.kind else { return }
    guard event.generation == 2 else { return running.countDown() }
    let isFirst = first.withLock { first in
      guard first == nil else { return false }
      first = event.time
      return true
    }
    if isFirst { again.countDown() }
  }
  await running.zero()
  let asked = present()
  run.restart()
  await again.zero()
  let started = first.withLock { $0 } ?? asked
  run.kill()
  _ = try await run.outcome
  subscription.cancel()
  return ["restart-milliseconds": (started - asked) / .milliseconds(1)]
}

private func present() -> Timestamp {
  var now = timespec()
  clock_gettime(CLOCK_REALTIME, &now)
  return Timestamp(microseconds: Int64(now.tv_sec) * 1_000_000 + Int64(now.tv_nsec) / 1000)
}
