// Injects faults into the attempts of a simulated run, and checks what always must hold.

import Reprise
import Synchronization

/// The faults of one run, and what the engine has promised about it.
final class SimulatedFaults: Disturbance {
  private struct State {
    var random: SplitMix64
    /// The steps with an attempt in progress.
    var inProgress: Set<String> = []
    /// The steps whose success was recorded before a crash, and which were not restarted since.
    var done: Set<String> = []
    var problem: String?
    var faultCount = 0
  }

  private let faults: Faults
  private let state: Mutex<State>

  init(_ faults: Faults, seed: UInt64) {
    self.faults = faults
    state = Mutex(State(random: SplitMix64(seed: seed, purpose: 3)))
  }

  /// The promise that was broken; nil if none was.
  var problem: String? { state.withLock { $0.problem } }

  /// The number of injected failures.
  var faultCount: Int { state.withLock { $0.faultCount } }

  /// Notes a crash, after which the run has this state by its record.
  func crash(_ recorded: RunState) {
    state.withLock { state in
      state.inProgress = []
      // A recorded restart is done by the next engine.
      state.done = Set(
        recorded.steps.filter { step in
          guard case .succeeded = step.phase else { return false }
          return !recorded.isToRunAgain(step.id)
        }.map(\.id))
    }
  }

  /// Notes the request for a restart, after which any step may run again.
  func restart() {
    state.withLock { $0.done = [] }
  }

  func begin(_ context: StepContext) async throws {
    let id = context.step.id
    state.withLock { state in
      if !state.inProgress.insert(id).inserted {
        state.problem = state.problem ?? "two attempts of step \"\(id)\" ran at the same time"
      }
      if state.done.contains(id) {
        state.problem =
          state.problem ?? "step \"\(id)\" ran again after its success was recorded"
      }
    }
    do {
      try await context.clock.sleep(for: delay())
      try fail(faults.failureBefore, isAfterWork: false)
    } catch {
      end(context)
      throw error
    }
  }

  func finish(_ context: StepContext) async throws {
    try await context.clock.sleep(for: delay())
    try fail(faults.failureAfter, isAfterWork: true)
  }

  func end(_ context: StepContext) {
    state.withLock { _ = $0.inProgress.remove(context.step.id) }
  }

  private func delay() -> Duration {
    let milliseconds = Int(clamping: Int64(faults.delayMax / .milliseconds(1)))
    guard milliseconds > 0 else { return .zero }
    return .milliseconds(state.withLock { $0.random.below(milliseconds) })
  }

  private func fail(_ probability: Double, isAfterWork: Bool) throws {
    let fails = state.withLock { state in
      let fails = state.random.chance(probability)
      if fails { state.faultCount += 1 }
      return fails
    }
    if fails { throw SimulatedFault(isAfterWork: isAfterWork) }
  }
}
