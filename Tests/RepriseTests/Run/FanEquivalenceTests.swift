import TestSupport
import Testing
import WorkflowFiles

@testable import Reprise

/// Random workflows whose items a step computes, compared with the same workflows with the items
/// written out.
struct FanEquivalenceTests {
  /// A random workflow: steps that need earlier ones, some of them with items.
  private struct Plan {
    struct Step {
      var needs: [Int]
      /// The number of items; nil without `foreach`.
      var items: Int?
      var settings: String
    }

    var steps: [Step] = []
    /// The ids of the steps that fail.
    var failing: Set<String> = []
    var maxParallel: Int

    init(_ random: inout some RandomNumberGenerator) {
      maxParallel = Int.random(in: 1...4, using: &random)
      for position in 0..<Int.random(in: 1...12, using: &random) {
        let needs = (0..<Int.random(in: 0...min(2, position), using: &random))
          .map { _ in Int.random(in: 0..<position, using: &random) }
        let items = Bool.random(using: &random) ? Int.random(in: 0...4, using: &random) : nil
        var settings =
          ["", ", continue-on-error: true", ", retry: { limit: 1, delay: 1ms }"]
          .randomElement(using: &random) ?? ""
        if items != nil {
          // Not fail-fast: which items it cancels depends on the order in which they start.
          settings +=
            ["", ", max-parallel: 1", ", if: \"item != 1\""]
            .randomElement(using: &random) ?? ""
          if Bool.random(using: &random) { settings += ", item-id: \"k${{ item }}\"" }
        }
        steps.append(Step(needs: Set(needs).sorted(), items: items, settings: settings))
        let ids = items.map { (0..<$0).map { "s\(position)[\($0)]" } } ?? ["s\(position)"]
        failing.formUnion(ids.filter { _ in Int.random(in: 0..<8, using: &random) == 0 })
      }
    }

    /// Returns the workflow, with the items written out or computed by the step `plan`.
    ///
    /// `isWrong` adds an item to the first step that has some.
    func workflow(isComputed: Bool, isWrong: Bool = false) throws -> Workflow {
      var lines = ["max-parallel: \(maxParallel)", "steps:", "  - { id: plan, run: x }"]
      var mustAdd = isWrong
      for (position, step) in steps.enumerated() {
        let needs = ["plan"] + step.needs.map { "s\($0)" }
        var line =
          "  - { id: s\(position), needs: [\(needs.joined(separator: ", "))], run: x"
          + step.settings
        if let count = step.items {
          let list = (0..<count + (mustAdd ? 1 : 0)).map(String.init).joined(separator: ", ")
          mustAdd = false
          line +=
            isComputed
            ? ", foreach: \"${{ fromJSON(steps.plan.outputs.l\(position)) }}\""
            : ", foreach: [\(list)]"
        }
        lines.append(line + " }")
      }
      return try Workflow(text: lines.joined(separator: "\n"), file: "random.yaml")
    }

    func executor(_ begun: Protected<[String]> = .init([]), fails: Bool = true) -> ClosureExecutor {
      ClosureExecutor { [self] context in
        let id = context.step.id
        begun.withLock { $0.append(id) }
        // A key does not change which item fails.
        if fails, failing.contains(id.replacing("[k", with: "[")) {
          throw FailureReason.exited(status: 3)
        }
        guard id == "plan" else { return ["of": id] }
        var lists: StepOutputs = [:]
        for (position, step) in steps.enumerated() {
          guard let count = step.items else { continue }
          lists["l\(position)"] = "[" + (0..<count).map(String.init).joined(separator: ", ") + "]"
        }
        return lists
      }
    }
  }

  /// Returns the phase of each step, without the steps that were expanded.
  private static func phases(_ run: Run) -> [String: StepPhase] {
    let workflow = run.workflow
    var phases: [String: StepPhase] = [:]
    for (step, state) in zip(workflow.steps, run.state.steps) where !step.isFan {
      phases[step.id] = state.phase
    }
    return phases
  }

  /// Whether a run with written items has the same states; items of a step that was never expanded
  /// have been cancelled.
  private static func isSame(_ computed: Run, _ written: Run) -> Bool {
    let (left, right) = (phases(computed), phases(written))
    guard left.allSatisfy({ right[$0] == $1 }) else { return false }
    return right.allSatisfy { id, phase in
      if left[id] != nil { return true }
      guard case .cancelled = phase, let fan = computed.state[String(id.prefix { $0 != "[" })]
      else { return false }
      return fan.phase.isCancelled
    }
  }

  @Test func `computed items give the states of items that are written out`() async throws {
    var random = SeededGenerator(seed: 7)
    var differences = 0
    for number in 0..<150 {
      let plan = Plan(&random)
      let engine = Engine(executor: plan.executor())
      let computed = engine.start(try plan.workflow(isComputed: true))
      let written = engine.start(try plan.workflow(isComputed: false))
      let outcomes = (try await computed.outcome, try await written.outcome)
      #expect((outcomes.0 == .succeeded) == (outcomes.1 == .succeeded), "workflow \(number)")
      #expect(
        Self.isSame(computed, written),
        "workflow \(number): \(Self.phases(computed)) \(Self.phases(written))")
      // The comparison finds an item too many.
      let wrong = engine.start(try plan.workflow(isComputed: false, isWrong: true))
      _ = try await wrong.outcome
      if !Self.isSame(computed, wrong) { differences += 1 }
    }
    #expect(differences > 50)
  }

  @Test func `a run that is resumed after any event has the states of written items`()
    async throws
  {
    var random = SeededGenerator(seed: 8)
    for number in 0..<60 {
      let plan = Plan(&random)
      let memory = RecorderTests.Memory()
      let workflow = try plan.workflow(isComputed: true)
      _ = try await Engine(executor: plan.executor(), recorder: memory).start(workflow).outcome
      let all = memory.events.value
      let length = Int.random(in: 1...all.count, using: &random)
      var state = RunState()
      for event in all.prefix(length) { try state.apply(event) }
      let done = Set(state.steps.filter(\.phase.isSuccess).map(\.id))
      let begun = Protected<[String]>([])
      let resumed = try Engine(executor: plan.executor(begun, fails: false))
        .resume(state, with: workflow)
      #expect(try await resumed.outcome == .succeeded, "workflow \(number), \(length) events")
      #expect(done.isDisjoint(with: begun.value))
      let written = Engine(executor: plan.executor(fails: false))
        .start(try plan.workflow(isComputed: false))
      #expect(try await written.outcome == .succeeded)
      #expect(
        resumed.state.steps.map(\.id).filter { id in
          !plan.steps.indices.contains { plan.steps[$0].items != nil && id == "s\($0)" }
        } == written.state.steps.map(\.id))
      var folded = RunState()
      for event in resumed.state.recap { try folded.apply(event) }
      #expect(folded == resumed.state)
    }
  }
}
