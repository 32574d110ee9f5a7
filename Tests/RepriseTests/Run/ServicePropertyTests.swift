import TestSupport
import Testing

@testable import Reprise
@testable import WorkflowFiles

/// Random workflows with services in groups with a mutex, retries and `max-parallel`.
struct ServicePropertyTests {
  /// Writes a random workflow.
  private struct Writer {
    var random: SeededGenerator
    private(set) var ids: [String] = []
    private var count = 0

    init(_ random: SeededGenerator) { self.random = random }

    private mutating func chance(_ part: Double) -> Bool {
      Double.random(in: 0..<1, using: &random) < part
    }

    mutating func workflow() -> String {
      let settings = chance(0.3) ? "max-parallel: \(Int.random(in: 1...2, using: &random))\n" : ""
      let steps = list(depth: 0, isInMutex: false)
      let finally = chance(0.3) ? "finally: [{ id: f, run: x }]\n" : ""
      return settings + "steps: [\(steps)]\n" + finally
    }

    private mutating func list(depth: Int, isInMutex: Bool) -> String {
      (0..<Int.random(in: 1...4, using: &random))
        .map { _ in item(depth: depth, isInMutex: isInMutex) }.joined(separator: ", ")
    }

    private mutating func item(depth: Int, isInMutex: Bool) -> String {
      count += 1
      let number = count
      switch Int.random(in: (depth < 2 ? 0 : 4)..<8, using: &random) {
      case 0, 1:
        var settings = ["id: g\(number)"]
        let holds = !isInMutex && chance(0.6)
        if holds { settings.append("mutex: \(chance(0.7) ? "m" : "n")") }
        if chance(0.4) { settings.append("retry: { limit: 1, delay: 0s }") }
        if chance(0.2) { settings.append("continue-on-error: true") }
        let steps = list(depth: depth + 1, isInMutex: isInMutex || holds)
        return "{ \(settings.joined(separator: ", ")), steps: [\(steps)] }"
      case 2:
        let steps = list(depth: 2, isInMutex: isInMutex)
        return "{ id: e\(number), foreach: [1, 2], max-parallel: 1, steps: [\(steps)] }"
      case 3:
        let branches = (0..<2).map { _ in
          "{ steps: [\(list(depth: depth + 1, isInMutex: isInMutex))] }"
        }
        return "{ parallel: [\(branches.joined(separator: ", "))] }"
      case 4:
        return "{ id: d\(number), service: x }"
      default:
        let mutex = !isInMutex && chance(0.15) ? ", mutex: m" : ""
        if depth == 0 { ids.append("s\(number)") }
        return "{ id: s\(number), run: x\(mutex) }"
      }
    }
  }

  /// Returns the services that a step uses and that are not ready.
  private static func missing(_ context: StepContext, _ run: Run) -> [String] {
    let (state, plan) = run.ledger.decide { ($0.state, $0.plan) }
    guard state.phase == .running, state.generation == context.generation,
      state[context.step.id]?.phase == .running,
      let step = plan.graph.index(of: context.step.id)
    else { return [] }
    return ServiceUsers(of: plan).users.compactMap { service, users in
      let isNeeded = !plan.graph.dependents(of: service).isEmpty
      guard isNeeded, users.contains(step), !state[service].isReady else {
        return nil
      }
      return state[service].id
    }
  }

  // Some workflows from number 462 on are reported, perhaps without cause: steps after a group with
  // `continue-on-error` also run if a service in it never started.
  @Test(.enabled(if: isSoak))
  func `each run ends, and each step finds the services that it uses ready`() async throws {
    var random = SeededGenerator(seed: 4)
    var (valid, restarts) = (0, 0)
    for number in 0..<rounds(200, soak: 5000) {
      var writer = Writer(SeededGenerator(seed: UInt64(number) + 1000))
      let text = writer.workflow()
      guard let workflow = try? Workflow(text: text, file: "w.yaml") else { continue }
      valid += 1
      let runs = Protected<Run?>(nil)
      let isKnown = Gate()
      let problems = Protected<[String]>([])
      let starts = Protected(0)
      let failing = Int.random(in: 0..<4, using: &random)
      let executor = ClosureExecutor { context in
        await isKnown.wait()
        if context.step.action.isService {
          for _ in 0..<3 { await Task.yield() }
          context.reportReady(outputs: [:])
          try await Gate().waitUnlessCancelled()
          return [:]
        }
        let missing = runs.value.map { Self.missing(context, $0) } ?? []
        if !missing.isEmpty {
          problems.withLock { $0.append("\(context.step.id) starts without \(missing)") }
        }
        let count = starts.withLock { starts in
          starts += 1
          return starts
        }
        for _ in 0..<count % 5 { await Task.yield() }
        if failing == 0, count % 4 == 0 { throw FailureReason.exited(status: 1) }
        return [:]
      }
      let run = Engine(executor: executor).start(workflow)
      runs.withLock { $0 = run }
      isKnown.open()
      let restart = Int.random(in: 1...6, using: &random)
      if let id = writer.ids.randomElement(using: &random), Bool.random(using: &random) {
        await expectEventually("some steps have started, workflow \(number)") {
          if case .ended = run.state.phase { return true }
          return starts.value >= restart || starts.value >= workflow.steps.count / 2
        }
        if (try? await run.perform(.restart(from: [id]))) != nil { restarts += 1 }
      }
      await expectEventually("run \(number) ends:\n\(text)", within: .seconds(30)) {
        if case .ended = run.state.phase { return true }
        return false
      }
      guard case .ended(let outcome) = run.state.phase else {
        let left = run.state.steps.filter { !$0.phase.isFinal }.map { "\($0.id): \($0.phase)" }
        let retrying = run.ledger.decide { $0.groups.retrying }
        Issue.record("\(run.state.phase) \(run.state.generation) \(left), retrying: \(retrying)")
        return run.kill()
      }
      if failing > 0 { #expect(outcome == .succeeded, "\(text)") }
      #expect(problems.value == [], "workflow \(number):\n\(text)")
      runs.withLock { $0 = nil }
    }
    #expect(valid > 50 && restarts > 10)
  }
}
