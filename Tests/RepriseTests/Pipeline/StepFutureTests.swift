import CombineOperators
import Synchronization
import TestSupport
import Testing
import WorkflowFiles

@testable import Reprise

struct StepFutureTests {
  @Test func `a future performs nothing before it is connected`() async {
    let performed = Protected(0)
    let future = StepFuture.zip([]).flatMap { _ in
      performed.withLock { $0 += 1 }
      return .stopped
    }
    let values = Received()
    let subscription = values.subscribe(to: future)
    #expect(performed.value == 0)
    future.connect()
    await expectEventually("the value arrived") { values.all == [.stopped] && values.isFinished }
    future.connect()
    #expect(performed.value == 1)
    withExtendedLifetime(subscription) {}
  }

  @Test func `a late subscriber receives the value at once`() async {
    let future = StepFuture.zip([]).flatMap { _ in .failed("3") }
    let (early, late) = (Received(), Received())
    let first = early.subscribe(to: future)
    future.connect()
    await expectEventually("the value arrived") { early.isFinished }
    let second = late.subscribe(to: future)
    #expect(late.all == [.failed("3")])
    #expect(late.isFinished)
    withExtendedLifetime((first, second)) {}
  }

  @Test func `cancelling a subscription does not affect the others`() async {
    let gate = Gate()
    let future = StepFuture.zip([]).flatMap { _ in
      await gate.wait()
      return Task.isCancelled ? .stopped : .succeeded([:])
    }
    let (left, kept) = (Received(), Received())
    let subscriptions = [left.subscribe(to: future), kept.subscribe(to: future)]
    future.connect()
    subscriptions[0].cancel()
    gate.open()
    await expectEventually("the value arrived") { kept.all == [.succeeded([:])] }
    #expect(left.all.isEmpty && !left.isFinished)
    withExtendedLifetime(subscriptions) {}
  }

  @Test func `a future that is cancelled before its work starts sends nothing`() async {
    let need = StepFuture.zip([]).flatMap { _ in .succeeded([:]) }
    let future = StepFuture.zip([need]).flatMap { _ in .succeeded([:]) }
    let (values, needValues) = (Received(), Received())
    let subscriptions = [values.subscribe(to: future), needValues.subscribe(to: need)]
    future.connect()
    future.cancel()
    need.connect()
    await expectEventually("the need has its value") { needValues.isFinished }
    #expect(values.all.isEmpty)
    withExtendedLifetime(subscriptions) {}
  }

  @Test func `cancelling the cancellable that connect returns cancels the task`() async {
    let isCancelled = Gate()
    let future = StepFuture.zip([]).flatMap { _ in
      while !Task.isCancelled { await Task.yield() }
      isCancelled.open()
      return .stopped
    }
    future.connect().cancel()
    await isCancelled.wait()
  }

  @Test func `cancelled futures are released by the futures that they need`() async {
    let gate = Gate()
    let need = StepFuture.zip([]).flatMap { _ in
      await gate.wait()
      return .stopped
    }
    need.connect()
    let released = Protected(0)
    for _ in 0..<1000 {
      let witness = DeinitWitness(released)
      let future = StepFuture.zip([need]).flatMap { _ in
        withExtendedLifetime(witness) {}
        return .stopped
      }
      future.connect()
      future.cancel()
    }
    #expect(released.value > 900)
    gate.open()
  }

  /// Compares the futures with the documented chain of operators, under the same random graphs,
  /// results, disconnects and reconnects.
  @Test func `futures behave like the documented chain of operators`() async throws {
    var generator = SeededGenerator.announced()
    for round in 0..<rounds(40, soak: 4000) {
      let graph = try Self.randomGraph(using: &generator)
      let alternatives = Self.randomAlternatives(in: graph, using: &generator)
      let ours = Futures(graph, alternatives)
      let theirs = Operators(graph, alternatives)
      var expected = Expected(graph, alternatives)
      for world in [ours, theirs] as [any World] { world.connect(graph.topologicalOrder) }
      expected.connect(graph.topologicalOrder)
      for _ in 0..<30 {
        let performing = expected.performing
        await expectEventually("round \(round): both perform \(performing)") {
          [ours.log, theirs.log].allSatisfy {
            $0.performing == performing && $0.values == expected.values
          }
        }
        // How many of its alternatives a step sees depends on when it looks.
        let inputs = [ours.log.inputs, theirs.log.inputs].map { inputs in
          Dictionary(
            uniqueKeysWithValues: inputs.map { step, results in
              let needs = graph.needs(of: StepIndex(step))
              let anyOf = alternatives[StepIndex(step)] ?? []
              return (step, zip(needs, results).filter { !anyOf.contains($0.0) }.map(\.1))
            })
        }
        #expect(inputs[0] == inputs[1])
        if Int.random(in: 0..<4, using: &generator) == 0 || performing.isEmpty {
          let step = StepIndex(Int.random(in: 0..<graph.count, using: &generator))
          let steps = graph.withDependents([step])
          for world in [ours, theirs] as [any World] {
            world.disconnect(steps)
            world.connect(steps)
          }
          expected.disconnect(steps)
          expected.connect(steps)
        } else if let step = performing.randomElement(using: &generator) {
          let result: StepResult =
            Bool.random(using: &generator)
            ? .succeeded(["of": "\(step)"]) : .failed("\(step)")
          for log in [ours.log, theirs.log] { log.end(step, result) }
          expected.end(step, result)
        }
      }
    }
  }

  /// Makes some of the needs of some steps alternatives.
  private static func randomAlternatives(
    in graph: Graph, using generator: inout SeededGenerator
  ) -> [StepIndex: Set<StepIndex>] {
    var alternatives: [StepIndex: Set<StepIndex>] = [:]
    for step in graph.indices where Bool.random(using: &generator) {
      let some = graph.needs(of: step).filter { _ in Int.random(in: 0..<3, using: &generator) > 0 }
      if !some.isEmpty { alternatives[step] = Set(some) }
    }
    return alternatives
  }

  private static func randomGraph(using generator: inout SeededGenerator) throws -> Graph {
    let count = Int.random(in: 1...12, using: &generator)
    return try Graph(
      ids: (0..<count).map { "s\($0)" },
      needs: (0..<count).map { step in
        (0..<step).filter { _ in Int.random(in: 0..<3, using: &generator) == 0 }.map { "s\($0)" }
      })
  }
}

/// Increments a counter when it is released.
private final class DeinitWitness: Sendable {
  let count: Protected<Int>

  init(_ count: Protected<Int>) {
    self.count = count
  }

  deinit {
    count.withLock { $0 += 1 }
  }
}

/// Records the values and the completion that a subscriber receives.
private final class Received: Sendable {
  private let state = Mutex<(values: [StepResult], isFinished: Bool)>(([], false))

  var all: [StepResult] { state.withLock { $0.values } }
  var isFinished: Bool { state.withLock { $0.isFinished } }

  func subscribe(to publisher: some Publisher<StepResult, Never>) -> AnyCancellable {
    publisher.sink(
      receiveCompletion: { _ in self.state.withLock { $0.isFinished = true } },
      receiveValue: { value in self.state.withLock { $0.values.append(value) } })
  }
}

/// Records the steps that one implementation performs, and the values that it publishes.
private final class Log: Sendable {
  private struct State {
    var tickets: [Int: Ticket<StepResult>] = [:]
    var inputs: [Int: [StepResult]] = [:]
    var values: [Int: StepResult] = [:]
  }

  private let state = Mutex(State())

  /// The steps that are being performed.
  var performing: Set<Int> { Set(state.withLock { $0.tickets.keys }) }
  /// The results with which each of these steps started.
  var inputs: [Int: [StepResult]] { state.withLock { $0.inputs } }
  /// The values that the subscribers of connected steps have received.
  var values: [Int: StepResult] { state.withLock { $0.values } }

  func perform(_ step: Int, _ results: [StepResult]) async -> StepResult {
    let ticket = Ticket<StepResult>()
    state.withLock { state in
      state.tickets[step] = ticket
      state.inputs[step] = results
    }
    return await ticket.value() ?? .stopped
  }

  func end(_ step: Int, _ result: StepResult) {
    let ticket = state.withLock { state in
      state.inputs[step] = nil
      return state.tickets.removeValue(forKey: step)
    }
    ticket?.answer(result)
  }

  func receive(_ step: Int, _ result: StepResult) {
    state.withLock { $0.values[step] = result }
  }

  func forget(_ step: Int) {
    state.withLock { state in
      state.tickets[step] = nil
      state.inputs[step] = nil
      state.values[step] = nil
    }
  }
}

private protocol World: AnyObject {
  var log: Log { get }
  func connect(_ steps: [StepIndex])
  func disconnect(_ steps: [StepIndex])
}

/// The futures of the pipeline.
private final class Futures: World {
  let log = Log()
  private let graph: Graph
  private let alternatives: [StepIndex: Set<StepIndex>]
  private var futures: [Int: StepFuture] = [:]
  private var subscriptions: [Int: AnyCancellable] = [:]

  init(_ graph: Graph, _ alternatives: [StepIndex: Set<StepIndex>]) {
    self.graph = graph
    self.alternatives = alternatives
  }

  func connect(_ steps: [StepIndex]) {
    for step in steps {
      let position = step.position
      let needs = Array(graph.needs(of: step))
      let anyOf = needs.indices.filter { alternatives[step]?.contains(needs[$0]) == true }
      let future = StepFuture.zip(needs.compactMap { futures[$0.position] }, anyOf: Set(anyOf))
        .flatMap { [log] results in await log.perform(position, results) }
      futures[position] = future
      subscriptions[position] = future.sink { [log] in log.receive(position, $0) }
      future.connect()
    }
  }

  func disconnect(_ steps: [StepIndex]) {
    for step in steps.reversed() {
      subscriptions[step.position] = nil
      futures.removeValue(forKey: step.position)?.cancel()
      log.forget(step.position)
    }
  }
}

/// The same graph, built from operators.
private final class Operators: World {
  let log = Log()
  private let graph: Graph
  private let alternatives: [StepIndex: Set<StepIndex>]
  private var published: [Int: AnyPublisher<StepResult, Never>] = [:]
  private var subscriptions: [Int: AnyCancellable] = [:]

  init(_ graph: Graph, _ alternatives: [StepIndex: Set<StepIndex>]) {
    self.graph = graph
    self.alternatives = alternatives
  }

  /// Publishes the results of the needs once, in order, when there are enough of them.
  private func results(
    ofNeedsOf step: StepIndex
  ) -> AnyPublisher<[StepResult], Never> {
    let needs = Array(graph.needs(of: step))
    let anyOf = alternatives[step] ?? []
    let required = needs.filter { !anyOf.contains($0) }
    let all = required.compactMap { published[$0.position] }.zip()
    guard !anyOf.isEmpty else { return all.eraseToAnyPublisher() }
    var merged = Empty<(StepIndex, StepResult), Never>().eraseToAnyPublisher()
    for need in anyOf {
      guard let publisher = published[need.position] else { continue }
      merged = merged.merge(with: publisher.map { (need, $0) }).eraseToAnyPublisher()
    }
    let known =
      merged
      .scan([StepIndex: StepResult]()) { known, next in known.merging([next.0: next.1]) { $1 } }
    return all.combineLatest(known)
      .first { _, known in
        known.count == anyOf.count || known.values.contains { $0.blockingResult == nil }
      }
      .map { all, known in
        needs.map { need in
          required.firstIndex(of: need).map { all[$0] } ?? known[need] ?? .stopped
        }
      }
      .eraseToAnyPublisher()
  }

  func connect(_ steps: [StepIndex]) {
    for step in steps {
      let position = step.position
      // Type-erased, so that only plain operators take part.
      let publisher = results(ofNeedsOf: step)
        .task { [log] results in await log.perform(position, results) }
        .share(replay: 1)
        .eraseToAnyPublisher()
      published[position] = publisher
      subscriptions[position] = publisher.sink { [log] in log.receive(position, $0) }
    }
  }

  func disconnect(_ steps: [StepIndex]) {
    for step in steps.reversed() {
      subscriptions[step.position] = nil
      published[step.position] = nil
      log.forget(step.position)
    }
  }
}

/// The steps that should be performed and their values, computed from the graph.
private struct Expected {
  let graph: Graph
  private let alternatives: [StepIndex: Set<StepIndex>]
  private var connected: Set<Int> = []
  private(set) var values: [Int: StepResult] = [:]

  init(_ graph: Graph, _ alternatives: [StepIndex: Set<StepIndex>]) {
    self.graph = graph
    self.alternatives = alternatives
  }

  var performing: Set<Int> {
    connected.filter { step in
      let anyOf = alternatives[StepIndex(step)] ?? []
      let hasSuccess = anyOf.contains { need in
        values[need.position].map { $0.blockingResult == nil } ?? false
      }
      return values[step] == nil
        && graph.needs(of: StepIndex(step)).allSatisfy {
          values[$0.position] != nil || hasSuccess && anyOf.contains($0)
        }
    }
  }

  mutating func connect(_ steps: [StepIndex]) {
    connected.formUnion(steps.map(\.position))
  }

  mutating func disconnect(_ steps: [StepIndex]) {
    for step in steps {
      connected.remove(step.position)
      values[step.position] = nil
    }
  }

  mutating func end(_ step: Int, _ result: StepResult) {
    values[step] = result
  }
}
