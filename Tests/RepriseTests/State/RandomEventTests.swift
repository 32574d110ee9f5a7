import TestSupport
import Testing
import WorkflowFiles

@testable import Reprise

/// Random events in random order: the fold refuses or applies each of them, and never traps.
struct RandomEventTests {
  private static let numbers = [0, 1, 2, 3, -1, .max, .min, .max - 1]

  private struct Source {
    var random: SeededGenerator
    let runs = [RunID(), RunID()]
    let plans: [RunPlan]

    init(seed: UInt64) throws {
      random = SeededGenerator(seed: seed)
      plans = try [
        "steps: [{ id: a, run: x }, { id: b, run: x }]\nfinally: [{ id: c, run: x }]",
        """
        steps:
          - { id: a, run: x }
          - { id: each, foreach: "${{ fromJSON(steps.a.outputs.l) }}", run: x }
          - { id: b, run: x }
        """,
        "steps: [{ id: b, service: x }, { id: a, run: x }, { id: c, run: x }]",
      ].map { RunPlan(try Workflow(text: $0, file: "w.yaml")) }
    }

    mutating func pick<Value>(_ values: [Value]) -> Value {
      values[Int.random(in: 0..<values.count, using: &random)]
    }

    mutating func number() -> Int { pick(RandomEventTests.numbers) }

    mutating func id() -> String { pick(["a", "b", "c", "each", "each[0]", "each[1]", "zzz", ""]) }

    mutating func item() -> ExpandedItem {
      ExpandedItem(key: pick(["0", "1", "x", ""]), item: .number(1), label: "l")
    }

    mutating func plan() throws -> RunPlan {
      var plan = pick(plans)
      switch Int.random(in: 0..<8, using: &random) {
      case 0: plan.finallyCount = number()
      case 1: plan.outline = .sequence([.step(StepIndex(number())), plan.outline])
      case 2: plan.steps.append(plan.steps[0])
      case 3: plan.steps.removeLast()
      default: break
      }
      return plan
    }

    mutating func cause() -> CancellationCause {
      pick([
        .request, .restart, .failure(ofStep: id()), .runTimedOut, .abandoned("x"), .interrupted,
      ])
    }

    mutating func ids() -> [String]? {
      pick([nil, [], [id()], [id(), id()], ["a", "each", "each[0]", "b", "c"]])
    }

    mutating func stepEvent() -> Event.StepEvent {
      let round = StepRound(number: number(), limit: pick([nil, number()]))
      let place = RunnerPlace(runner: "r", token: "t", survives: pick([true, false]))
      let time = Timestamp(microseconds: Int64(number()))
      let items = (0..<Int.random(in: 0...2, using: &random)).map { _ in item() }
      return pick([
        .waiting, .started(), .started(on: "h"), .awaitingApproval("q"), .approved([:]),
        .succeeded(["a": "b"]),
        .failed(.exited(status: number())), .cancelled(cause()), .skipped("s", [:]),
        .progress(0.5, "p"), .queued(place, text: "t"), .waitingForPool("p", text: "t"),
        .ready(["a": "b"]), .outOfSight("x"), .inSight, .leftBehind("x"),
        .used(ResourceUse(processorTime: .seconds(1), peakBytes: 9)), .wrote(["a": "b"]),
        .output(.standardOutput, text: "x\ny", isPartial: pick([true, false])),
        .retrying(.exited(status: 1), after: .seconds(number())),
        .repeating(round, after: .seconds(number())), .pausing(until: time), .cancelling,
        .expanded(items),
      ])
    }

    mutating func event(_ state: RunState) throws -> Event {
      let isLikely = Int.random(in: 0..<4, using: &random) > 0
      var kind: Event.Kind
      switch Int.random(in: 0..<12, using: &random) {
      case 0: kind = .runStarted(try plan())
      case 1: kind = .runResumed(try plan())
      case 2: kind = .runRestarting(from: ids())
      case 3: kind = .generationStarted(reset: ids())
      case 4: kind = pick([.runCancelling(cause()), .runPaused, .runUnpaused])
      case 5: kind = .runReloaded(try plan(), WorkflowChanges(added: [], removed: [], changed: []))
      case 6: kind = .runEnded(pick([.succeeded, .cancelled, .abandoned("x")]))
      default: kind = .step(id(), attempt: number(), stepEvent())
      }
      if state.phase == .notStarted { kind = .runStarted(try plan()) }
      var generation = isLikely ? state.generation : number()
      if case .generationStarted = kind, isLikely { generation = state.generation &+ 1 }
      return Event(
        time: Timestamp(microseconds: Int64(number())), run: pick(runs), generation: generation,
        kind: kind, by: pick([nil, .api]))
    }
  }

  private func isConsistent(_ state: RunState) -> Bool {
    var counts = StepCounts()
    for step in state.steps { counts.add(step.phase, 1) }
    return counts == state.counts && state.steps.count == state.plan?.steps.count ?? 0
      && state.firstFailure.map(state.steps.indices.contains) ?? true
  }

  @Test func `random events are applied or refused, and never trap`() throws {
    var source = try Source(seed: 36)
    var (applied, refused) = (0, 0)
    for _ in 0..<rounds(500, soak: 200_000) {
      var state = RunState()
      for _ in 0..<40 {
        let event = try source.event(state)
        let before = state
        let known = source.pick([nil, 0, 1, source.number()]).map { StepIndex($0) }
        do {
          try state.apply(event, of: known)
          applied += 1
          if case .step(let id, _, _) = event.kind { #expect(before[id] != nil) }
        } catch {
          refused += 1
          #expect(state == before)
        }
        #expect(isConsistent(state))
      }
      _ = state.recap.count
    }
    #expect(applied > scaled(1000) && refused > scaled(1000))
  }
}
