import Synchronization
import TestSupport
import Testing
import WorkflowLanguage

@testable import Reprise

struct PipelineTests {
  /// Returns layers of steps, each of which needs two steps of the previous layer.
  private static func layers(_ count: Int, of width: Int) throws -> Graph {
    let needs = (0..<count * width).map { position -> [Int] in
      guard position >= width else { return [] }
      let before = position / width * width - width
      return [before + position % width, before + (position + 1) % width]
    }
    return try graph(needs)
  }

  private static func graph(_ needs: [[Int]]) throws -> Graph {
    try Graph(
      ids: needs.indices.map { "s\($0)" }, needs: needs.map { $0.map { "s\($0)" } })
  }

  /// Returns a result that contains a number.
  private static func result(_ number: Int) -> StepResult {
    .succeeded(["number": String(number)])
  }

  /// Connects a whole graph and waits until every step has been performed.
  private func performAll(_ graph: Graph) async -> Int {
    let performed = Protected(0)
    let queue = CountingQueue(limit: 256)
    let execution = Pipeline(graph: graph).execution()
    execution.connect(graph.topologicalOrder, in: queue) { _, _ in
      performed.withLock { $0 += 1 }
      return .stopped
    }
    await expectEventually("all steps were performed", within: .seconds(120)) {
      performed.withLock { $0 } == graph.count
    }
    return performed.withLock { $0 }
  }

  @Test func `a step gets the results of its needs in order`() async throws {
    let graph = try Self.graph([[], [0], [0], [2, 1, 0]])
    let received = Protected<[[StepResult]]>(Array(repeating: [], count: 4))
    let execution = Pipeline(graph: graph).execution()
    execution.connect(graph.topologicalOrder, in: CountingQueue(limit: 4)) { step, results in
      received.withLock { $0[step.index.position] = results }
      return Self.result(step.index.position)
    }
    await expectEventually("the last step was performed") { received.withLock { $0[3] } != [] }
    #expect(
      received.withLock { $0 } == [
        [], [Self.result(0)], [Self.result(0)], [2, 1, 0].map(Self.result),
      ])
  }

  @Test func `a step is not performed before it is connected`() async throws {
    let graph = try Self.graph([[], [0]])
    let performed = Protected<[Int]>([])
    let queue = CountingQueue(limit: 2)
    let execution = Pipeline(graph: graph).execution()
    execution.connect([StepIndex(0)], in: queue) { step, _ in
      performed.withLock { $0.append(step.index.position) }
      return .stopped
    }
    await expectEventually("the first step was performed") { performed.withLock { $0 } == [0] }
    execution.connect([StepIndex(1)], in: queue) { step, _ in
      performed.withLock { $0.append(step.index.position) }
      return .stopped
    }
    await expectEventually("the second step was performed") { performed.withLock { $0 } == [0, 1] }
  }

  @Test func `disconnecting cancels the tasks of running steps`() async throws {
    let graph = try Self.graph([[], [0]])
    let cancelled = Protected(false)
    let running = Gate()
    let execution = Pipeline(graph: graph).execution()
    execution.connect(graph.topologicalOrder, in: CountingQueue(limit: 2)) { _, _ in
      running.open()
      while !Task.isCancelled { await Task.yield() }
      cancelled.withLock { $0 = true }
      return .stopped
    }
    await running.wait()
    execution.disconnect(graph.topologicalOrder)
    await expectEventually("the task was cancelled") { cancelled.withLock { $0 } }
  }

  @Test func `dropping an execution cancels it`() async throws {
    let graph = try Self.graph([[], [0]])
    let cancelled = Gate()
    let running = Gate()
    do {
      let execution = Pipeline(graph: graph).execution()
      execution.connect(graph.topologicalOrder, in: CountingQueue(limit: 2)) { _, _ in
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
    let chain = try Self.graph((0..<count).map { $0 == 0 ? [] : [$0 - 1] })
    #expect(await performAll(chain) == count)
  }

  @Test func `a fan of 100,000 steps runs`() async throws {
    let count = scaled(100_000)
    let fan = try Self.graph(
      [[]] + (0..<count).map { _ in [0] } + [Array(1...count)])
    #expect(await performAll(fan) == count + 2)
  }

  @Test func `a graph of layers runs`() async throws {
    let layers = try Self.layers(scaled(1000), of: 100)
    #expect(await performAll(layers) == layers.count)
  }

  @Test func `a chain of 100,000 waiting steps is cancelled and released`() async throws {
    let count = scaled(100_000)
    let chain = try Self.graph((0..<count).map { $0 == 0 ? [] : [$0 - 1] })
    let gate = Gate()
    let ended = Gate()
    do {
      let execution = Pipeline(graph: chain).execution()
      execution.connect(chain.topologicalOrder, in: CountingQueue(limit: 2)) { _, _ in
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
