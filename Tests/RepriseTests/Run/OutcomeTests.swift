// When a wait for the outcome of a run ends, and what subscribers have received by then.

import CombineOperators
import TestSupport
import Testing
import WorkflowFiles

@testable import Reprise

/// Waiting for the outcome of a run.
struct OutcomeTests {
  private static func waiting(for gate: Gate) throws -> Workflow {
    try Workflow("waiting") { Step("wait") { _ in await gate.wait() } }
  }

  @Test func `cancelling a task that awaits the outcome ends the wait and not the run`()
    async throws
  {
    let gate = Gate()
    let run = Engine().start(try Self.waiting(for: gate))
    let waiting = Task { try await run.outcome }
    waiting.cancel()
    await #expect(throws: CancellationError.self) { try await waiting.value }
    #expect(run.state.phase == .running)
    gate.open()
    #expect(try await run.outcome == .succeeded)
    let late = Task { try await run.outcome }
    late.cancel()
    // The task may be cancelled before it asks, when the outcome is already known.
    switch await late.result {
    case .success(let outcome): #expect(outcome == .succeeded)
    case .failure(let error): #expect(error is CancellationError)
    }
  }

  @Test func `one cancelled wait does not end the others`() async throws {
    let gate = Gate()
    let run = Engine().start(try Self.waiting(for: gate))
    let waits = (0..<20).map { _ in Task { try await run.outcome } }
    for (number, wait) in waits.enumerated() where number.isMultiple(of: 2) { wait.cancel() }
    for (number, wait) in waits.enumerated() where number.isMultiple(of: 2) {
      await #expect(throws: CancellationError.self) { try await wait.value }
    }
    gate.open()
    for (number, wait) in waits.enumerated() where !number.isMultiple(of: 2) {
      #expect(try await wait.value == .succeeded)
    }
  }

  @Test(.timeLimit(.minutes(1)))
  func `a step that awaits its own run ends with its timeout, or with the run`() async throws {
    let own = Protected<Run?>(nil)
    let workflow = try Workflow("own") {
      Step("wait", .timeout(.milliseconds(20))) { _ in
        await expectEventually("the run is known") { own.value != nil }
        _ = try await own.value?.outcome
      }
    }
    let run = Engine().start(workflow)
    own.withLock { $0 = run }
    #expect(
      try await run.outcome
        == .failed(step: "wait", reason: .timedOut(after: .milliseconds(20))))
    own.withLock { $0 = nil }

    let gate = Gate()
    let second = Engine().start(
      try Workflow("own") {
        Step("wait") { _ in
          await gate.wait()
          _ = try await own.value?.outcome
        }
      })
    own.withLock { $0 = second }
    gate.open()
    await expectEventually("it runs") { second.state["wait"]?.phase == .running }
    second.cancel()
    #expect(try await second.outcome == .cancelled)
    own.withLock { $0 = nil }
  }

  @Test func `a subscriber has received all events when the outcome is known`() async throws {
    let workflow = try Workflow("quick") {
      Parallel { for number in 0..<20 { Step("s\(number)") { _ in number } } }
    }
    for _ in 0..<rounds(200, soak: 5000) {
      let received = Protected((count: 0, isFinished: false))
      let run = Engine().start(workflow)
      let subscription = run.events.sink(
        receiveCompletion: { @Sendable _ in received.withLock { $0.isFinished = true } },
        receiveValue: { @Sendable _ in received.withLock { $0.count += 1 } })
      #expect(try await run.outcome == .succeeded)
      #expect(received.value == (1 + 60 + 1, true))
      withExtendedLifetime(subscription) {}
    }
  }

  @Test func `the wait for delivery includes events whose delivery is about to be started`()
    async throws
  {
    // The thread that starts the delivery has not reached the queue yet.
    let queue = LateQueue()
    let runtime = Runtime(makeQueue: { _ in queue })
    let workflow = try Workflow("w") { Step("one") { _ in 1 } }
    let ledger = RunLedger(run: RunID(), of: Plan(workflow), clock: SystemClock(), runtime: runtime)
    let received = Protected(0)
    let subscription = RunEvents(ledger: ledger).sink { _ in received.withLock { $0 += 1 } }
    ledger.decide { $0.record(.runStarted(RunPlan(workflow)), generation: 1) }
    let waiting = Task {
      _ = await ledger.delivered()
      return received.value
    }
    for _ in 0..<1000 { await Task.yield() }
    queue.catchUp()
    #expect(await waiting.value == 1)
    withExtendedLifetime(subscription) {}
  }

  @Test func `a subscriber that joins after the end has received all events, too`() async throws {
    let run = Engine().start(try Workflow("quick") { Step("one") { _ in 1 } })
    _ = try await run.outcome
    for _ in 0..<100 {
      let isFinished = Protected(false)
      let subscription = run.events.sink(
        receiveCompletion: { @Sendable _ in isFinished.withLock { $0 = true } },
        receiveValue: { @Sendable _ in })
      _ = try await run.outcome
      #expect(isFinished.value)
      withExtendedLifetime(subscription) {}
    }
  }

  @Test func `a subscriber without demand does not delay the outcome`() async throws {
    let run = Engine().start(try Workflow("quick") { Step("one") { _ in 1 } })
    var iterator = run.events.values.makeAsyncIterator()
    _ = await iterator.next()
    #expect(try await run.outcome == .succeeded)
  }
}

/// A queue that runs closures at once, except for the first, which waits.
private final class LateQueue: WorkQueue {
  private struct State {
    var isFirst = true
    var waiting: (@Sendable () -> Void)?
  }

  private let state = Protected(State())

  func enqueue(_ work: @escaping @Sendable () -> Void) {
    let isFirst = state.withLock { state in
      defer { state.isFirst = false }
      if state.isFirst { state.waiting = work }
      return state.isFirst
    }
    if !isFirst { work() }
  }

  func enqueue(after delay: Duration, _ work: @escaping @Sendable () -> Void) { enqueue(work) }

  /// Runs the first closure.
  func catchUp() { state.withLock { $0.waiting }?() }
}
