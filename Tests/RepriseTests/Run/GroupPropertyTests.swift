import Foundation
import TestSupport
import Testing

@testable import Reprise
@testable import WorkflowFiles

/// Random trees of groups with all settings, and requests at random moments.
struct GroupPropertyTests {
  /// Executes the steps of one run, and notes what must not happen.
  private final class Stage: Sendable {
    let problems = Protected<[String]>([])
    let startCount = Protected(0)
    private let running = Protected<[String: Int]>([:])
    private let run = Protected<Run?>(nil)
    private let isKnown = Gate()
    private let clock: VirtualClock
    private let seed: UInt64
    /// One in this many attempts fails.
    private let failureRate: Int

    init(_ clock: VirtualClock, seed: UInt64, failureRate: Int) {
      (self.clock, self.seed, self.failureRate) = (clock, seed, failureRate)
    }

    var runningCount: Int { running.value.values.reduce(0, +) }

    func observe(_ run: Run) {
      self.run.withLock { $0 = run }
      isKnown.open()
    }

    func forget() { run.withLock { $0 = nil } }

    var executor: ClosureExecutor {
      ClosureExecutor { [self] context in
        await isKnown.wait()
        let id = context.step.id
        begin(context)
        defer { running.withLock { $0[id, default: 0] -= 1 } }
        if context.step.action.isService {
          context.reportReady(outputs: [:])
          try await Gate().waitUnlessCancelled()
          return [:]
        }
        var random = SeededGenerator(
          seed: seed &+ UInt64(truncatingIfNeeded: id.utf8.reduce(7) { $0 &* 31 &+ Int($1) })
            &+ UInt64(startCount.value))
        let seconds = Int.random(in: 0...12, using: &random)
        if seconds > 2 { try await clock.sleep(for: .seconds(seconds)) }
        if id != "list", Int.random(in: 0..<failureRate, using: &random) == 0 {
          throw FailureReason.exited(status: 1)
        }
        return ["l": "[1, 2]"]
      }
    }

    /// Notes the start of a step: the limits around it, and the ends of its needs.
    private func begin(_ context: StepContext) {
      let id = context.step.id
      let ids = running.withLock { running in
        running[id, default: 0] += 1
        return running.filter { $0.value > 0 }
      }
      startCount.withLock { $0 += 1 }
      if ids[id] != 1 { note("\(id) runs twice at once") }
      guard let run = run.value else { return }
      let (state, plan) = run.ledger.decide { ($0.state, $0.plan) }
      guard state.phase == .running, state.generation == context.generation,
        let step = plan.graph.index(of: id), state[step].phase == .running
      else { return }
      for need in plan.graph.needs(of: step) where state[step].attempt == 1 {
        let isMet =
          plan.earlyNeeds[step]?.contains(need) == true
          ? state[need].isReady || state[need].phase.isFinal : state[need].phase.isFinal
        if !isMet { note("\(id) starts before \(state[need].id) has ended") }
      }
      let others = ids.keys.compactMap(plan.graph.index).filter {
        state[$0].phase == .running && !plan[$0].action.isService
      }
      checkLimits(plan, others)
    }

    private func checkLimits(_ plan: Plan, _ running: [StepIndex]) {
      var holders: [String: Set<String>] = [:]
      for step in running {
        if let mutex = plan[step].extrasIfAny?.mutex {
          holders[mutex, default: []].insert(plan[step].id)
        }
        for group in plan.groups(around: step) {
          if let mutex = plan.groups[group].mutex {
            holders[mutex, default: []].insert(plan.groups[group].name)
          }
        }
      }
      for (mutex, names) in holders where names.count > 1 {
        note("mutex \(mutex) is held by \(names.sorted())")
      }
      for group in plan.groups.indices {
        guard let limit = plan.groups[group].maxParallel else { continue }
        let parts = Set(running.compactMap { plan.part(of: group, with: $0) })
        if parts.count > limit { note("\(plan.groups[group].name): \(parts.count) parts at once") }
      }
    }

    private func note(_ text: String) { problems.withLock { $0.append(text) } }
  }

  private func request(
    to run: Run, _ ids: [String], _ random: inout SeededGenerator
  ) -> Intervention {
    let id = ids.randomElement(using: &random) ?? "list"
    switch Int.random(in: 0..<12, using: &random) {
    case 0...3: return .restart(from: [id])
    case 4: return .restart(from: [])
    case 5: return .set(steps: [id], .succeeded([:]))
    case 6: return .set(steps: [id], .skipped)
    case 7, 8: return .cancel(steps: [id], now: false)
    case 9: return .pause
    case 10: return .unpause
    default: return .cancel(steps: [], now: false)
    }
  }

  @Test func `each run ends, within its limits, for any requests`() async throws {
    var generator = SeededGenerator.announced()
    // A run that was reported can be repeated alone; it need not fail again.
    let again = ProcessInfo.processInfo.environment["REPRISE_GROUP_RUN"].flatMap(UInt64.init)
    let first = again ?? generator.next() % 1_000_000_000
    var valid = 0
    for number in 0..<UInt64(rounds(150, soak: 20_000)) {
      if try await expectEnd(of: first &+ (again == nil ? number : 0)) { valid += 1 }
    }
    #expect(valid > scaled(60))
  }

  /// A run that has not ended in time.
  private struct StillRunning: Error, CustomStringConvertible {
    let description: String
  }

  /// Runs a random workflow with random requests, and expects its end.
  ///
  /// Throws if the run does not end, since each further run could take as long.
  ///
  /// - Returns: Whether the workflow is valid.
  private func expectEnd(of number: UInt64) async throws -> Bool {
    var random = SeededGenerator(seed: number)
    var writer = RandomGroupWriter(random)
    let text = writer.workflow()
    guard let workflow = try? Workflow(text: text, file: "w.yaml") else { return false }
    let clock = VirtualClock()
    let stage = Stage(clock, seed: number, failureRate: Int.random(in: 3...40, using: &random))
    let record = RecorderTests.Memory()
    let run = Engine(executor: stage.executor, clock: clock, recorder: record).start(workflow)
    stage.observe(run)
    var requests = Int.random(in: 0...4, using: &random)
    var turns = 0
    await expectEventually("run \(number) ends:\n\(text)", within: .seconds(30)) {
      turns += 1
      if turns % 7 == 0 { clock.advanceToNextWake() }
      if requests > 0, Int.random(in: 0..<60, using: &random) == 0 {
        requests -= 1
        _ = try? await run.perform(request(to: run, writer.ids, &random))
      } else if requests == 0, run.state.isPaused {
        _ = try? await run.perform(.unpause)
      }
      if case .ended = run.state.phase { return true }
      return false
    }
    let last = record.events.value.suffix(120).map { "\($0.generation) \($0.kind.description)" }
    guard case .ended(let outcome) = run.state.phase else {
      let left = run.state.steps.filter { !$0.phase.isFinal }.map { "\($0.id): \($0.phase)" }
      run.kill()
      throw StillRunning(
        description: "\(run.state.phase), left: \(left)\n\(last.joined(separator: "\n"))")
    }
    expectTruth(of: outcome, run, "run \(number):\n\(text)\(last.joined(separator: "\n"))")
    #expect(stage.problems.value == [], "run \(number):\n\(text)")
    await expectEventually("nothing runs any more") { stage.runningCount == 0 }
    stage.forget()
    return true
  }

  /// Expects that the outcome of a run is what its steps say.
  private func expectTruth(of outcome: RunOutcome, _ run: Run, _ text: String) {
    let state = run.state
    let hasFailed = state.steps.contains { step in
      if case .failed = step.phase { !state.isTolerated(step.id) } else { false }
    }
    switch outcome {
    case .succeeded: #expect(!hasFailed, "\(text)")
    case .failed: #expect(hasFailed, "\(text)")
    case .cancelled: break
    default: Issue.record("\(outcome): \(text)")
    }
    let left = state.steps.filter { !$0.phase.isFinal }
    #expect(left.isEmpty, "\(text)")
  }
}
