import Synchronization
import TestSupport
import Testing
import WorkflowFiles

@testable import Reprise

struct PipelineTests {
  /// Returns layers of steps, each of which needs two steps of the previous layer.
  private static func layers(_ count: Int, of width: Int) throws -> Plan {
    let needs = (0..<count * width).map { position -> [Int] in
      guard position >= width else { return [] }
      let before = position / width * width - width
      return [before + position % width, before + (position + 1) % width]
    }
    return try Plan(needs: needs)
  }

  /// Returns a result that contains a number.
  private static func result(_ number: Int) -> StepResult {
    .succeeded(["number": String(number)])
  }

  /// Connects a whole plan and waits until every step has been performed.
  private func performAll(_ plan: Plan) async -> Int {
    let performed = Protected(0)
    let queue = CountingQueue(limit: 256)
    let pipeline = Pipeline()
    pipeline.connect(plan.graph.topologicalOrder, of: plan, in: queue) { _, _ in
      performed.withLock { $0 += 1 }
      return .stopped
    }
    await expectEventually("all steps were performed", within: .seconds(120)) {
      performed.withLock { $0 } == plan.count
    }
    return performed.withLock { $0 }
  }

  @Test func `a step gets the results of its needs in order`() async throws {
    let plan = try Plan(needs: [[], [0], [0], [2, 1, 0]])
    let received = Protected<[[StepResult]]>(Array(repeating: [], count: 4))
    let pipeline = Pipeline()
    let queue = CountingQueue(limit: 4)
    pipeline.connect(plan.graph.topologicalOrder, of: plan, in: queue) { step, results in
      received.withLock { $0[step.position] = results.needs }
      return Self.result(step.position)
    }
    await expectEventually("the last step was performed") { received.withLock { $0[3] } != [] }
    #expect(
      received.withLock { $0 } == [
        [], [Self.result(0)], [Self.result(0)], [2, 1, 0].map(Self.result),
      ])
  }

  @Test func `a step is not performed before it is connected`() async throws {
    let plan = try Plan(needs: [[], [0]])
    let performed = Protected<[Int]>([])
    let queue = CountingQueue(limit: 2)
    let pipeline = Pipeline()
    pipeline.connect([StepIndex(0)], of: plan, in: queue) { step, _ in
      performed.withLock { $0.append(step.position) }
      return .stopped
    }
    await expectEventually("the first step was performed") { performed.withLock { $0 } == [0] }
    pipeline.connect([StepIndex(1)], of: plan, in: queue) { step, _ in
      performed.withLock { $0.append(step.position) }
      return .stopped
    }
    await expectEventually("the second step was performed") { performed.withLock { $0 } == [0, 1] }
  }

  @Test func `disconnecting cancels the tasks of running steps`() async throws {
    let plan = try Plan(needs: [[], [0]])
    let cancelled = Protected(false)
    let running = Gate()
    let pipeline = Pipeline()
    pipeline.connect(plan.graph.topologicalOrder, of: plan, in: CountingQueue(limit: 2)) { _, _ in
      running.open()
      while !Task.isCancelled { await Task.yield() }
      cancelled.withLock { $0 = true }
      return .stopped
    }
    await running.wait()
    pipeline.disconnect(plan.graph.topologicalOrder)
    await expectEventually("the task was cancelled") { cancelled.withLock { $0 } }
  }

  @Test func `dropping a pipeline cancels it`() async throws {
    let plan = try Plan(needs: [[], [0]])
    let cancelled = Gate()
    let running = Gate()
    do {
      let pipeline = Pipeline()
      pipeline.connect(plan.graph.topologicalOrder, of: plan, in: CountingQueue(limit: 2)) { _, _ in
        running.open()
        while !Task.isCancelled { await Task.yield() }
        cancelled.open()
        return .stopped
      }
      await running.wait()
    }
    await cancelled.wait()
  }

  @Test func `a chain of 100,000 steps runs`() async throws {
    let count = scaled(100_000)
    let chain = try Plan(needs: (0..<count).map { $0 == 0 ? [] : [$0 - 1] })
    #expect(await performAll(chain) == count)
  }

  @Test func `a fan of 100,000 steps runs`() async throws {
    let count = scaled(100_000)
    let fan = try Plan(needs: [[]] + (0..<count).map { _ in [0] } + [Array(1...count)])
    #expect(await performAll(fan) == count + 2)
  }

  @Test func `a graph of layers runs`() async throws {
    let layers = try Self.layers(scaled(1000), of: 100)
    #expect(await performAll(layers) == layers.count)
  }

  @Test func `a chain of 100,000 waiting steps is cancelled and released`() async throws {
    let count = scaled(100_000)
    let chain = try Plan(needs: (0..<count).map { $0 == 0 ? [] : [$0 - 1] })
    let gate = Gate()
    let ended = Gate()
    do {
      let pipeline = Pipeline()
      let queue = CountingQueue(limit: 2)
      pipeline.connect(chain.graph.topologicalOrder, of: chain, in: queue) { _, _ in
        gate.open()
        while !Task.isCancelled { await Task.yield() }
        ended.open()
        return .stopped
      }
      await gate.wait()
    }
    await ended.wait()
  }
}
