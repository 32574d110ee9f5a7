import Synchronization
import TestSupport
import Testing
import WorkflowLanguage

@testable import Reprise

struct PipelineTests {
  /// Layers of steps, each of which needs two of the layer before.
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

  /// Connects a whole graph and waits until every step has been performed.
  private func performAll(_ graph: Graph) async -> Int {
    let performed = Protected(0)
    let execution = Pipeline<Int>(graph: graph).execution()
    execution.connect(graph.topologicalOrder) { _, values in
      performed.withLock { $0 += 1 }
      return 1 + (values.max() ?? 0)
    }
    await expectEventually("all steps were performed", within: .seconds(120)) {
      performed.withLock { $0 } == graph.count
    }
    return performed.withLock { $0 }
  }

  @Test func `a step gets the values of what it needs in the order of its needs`() async throws {
    let graph = try Self.graph([[], [0], [0], [2, 1, 0]])
    let received = Protected<[[Int]]>(Array(repeating: [], count: 4))
    let execution = Pipeline<Int>(graph: graph).execution()
    execution.connect(graph.topologicalOrder) { step, values in
      received.withLock { $0[step.position] = values }
      return step.position * 10
    }
    await expectEventually("the last step was performed") { received.withLock { $0[3] } != [] }
    #expect(received.withLock { $0 } == [[], [0], [0], [20, 10, 0]])
  }

  @Test func `nothing is performed before its steps are connected`() async throws {
    let graph = try Self.graph([[], [0]])
    let performed = Protected<[Int]>([])
    let execution = Pipeline<Int>(graph: graph).execution()
    execution.connect([StepIndex(0)]) { step, _ in
      performed.withLock { $0.append(step.position) }
      return 0
    }
    await expectEventually("the first step was performed") { performed.withLock { $0 } == [0] }
    execution.connect([StepIndex(1)]) { step, _ in
      performed.withLock { $0.append(step.position) }
      return 0
    }
    await expectEventually("the second step was performed") { performed.withLock { $0 } == [0, 1] }
  }

  @Test func `disconnecting cancels the tasks of the steps that run`() async throws {
    let graph = try Self.graph([[], [0]])
    let cancelled = Protected(false)
    let running = Gate()
    let execution = Pipeline<Int>(graph: graph).execution()
    execution.connect(graph.topologicalOrder) { step, _ in
      running.open()
      while !Task.isCancelled { await Task.yield() }
      cancelled.withLock { $0 = true }
      return step.position
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
      let execution = Pipeline<Int>(graph: graph).execution()
      execution.connect(graph.topologicalOrder) { step, _ in
        running.open()
        while !Task.isCancelled { await Task.yield() }
        cancelled.open()
        return step.position
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

  @Test func `a chain of 100,000 steps that wait is cancelled and let go`() async throws {
    let count = scaled(100_000)
    let chain = try Self.graph((0..<count).map { $0 == 0 ? [] : [$0 - 1] })
    let gate = Gate()
    let ended = Gate()
    do {
      let execution = Pipeline<Int>(graph: chain).execution()
      execution.connect(chain.topologicalOrder) { _, _ in
        gate.open()
        while !Task.isCancelled { await Task.yield() }
        ended.open()
        return 0
      }
      await gate.wait()
    }
    await ended.wait()
  }
}
