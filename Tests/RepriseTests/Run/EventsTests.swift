import CombineOperators
import Reprise
import Synchronization
import TestSupport
import Testing

struct EventsTests {
  private static func workflow() throws -> Workflow {
    try Workflow(
      name: "two",
      steps: [
        Workflow.Step(id: "a", action: .run("true")),
        Workflow.Step(id: "b", needs: ["a"], action: .run("true")),
      ])
  }

  @Test func `the events of a run begin with its plan and end with its outcome`() async throws {
    let run = Engine(executor: ClosureExecutor { _ in ["v": "1"] }).start(try Self.workflow())
    let events = await EventCollector(run).all()
    let expected: [Event.Kind] = [
      .runStarted(
        RunPlan(
          workflow: "two",
          steps: [PlannedStep(id: "a"), PlannedStep(id: "b", needs: ["a"])])),
      .step("a", attempt: 0, .waiting), .step("a", attempt: 1, .started()),
      .step("a", attempt: 1, .succeeded(["v": "1"])),
      .step("b", attempt: 0, .waiting), .step("b", attempt: 1, .started()),
      .step("b", attempt: 1, .succeeded(["v": "1"])),
      .runEnded(.succeeded),
    ]
    #expect(events.map(\.kind) == expected)
    #expect(events.allSatisfy { $0.run == run.id && $0.generation == 1 })
  }

  @Test func `a late subscriber sees the same state as an early one`() async throws {
    var generator = SeededGenerator.announced()
    for _ in 0..<scaled(30) {
      let workflow = try randomWorkflow(steps: 30, using: &generator)
      let run = Engine(
        executor: ClosureExecutor { context in
          context.report("one\ntwo")
          await Task.yield()
          return ["id": context.step.id]
        }
      ).start(workflow)
      for _ in 0..<Int.random(in: 0...400, using: &generator) { await Task.yield() }
      if Bool.random(using: &generator) { run.restart() }
      let late = await EventCollector(run).all()
      var folded = RunState()
      for event in late { try folded.apply(event) }
      #expect(folded == run.state)
    }
  }

  @Test func `a subscriber gets no more than it requested, and all events in the end`() async throws
  {
    let run = Engine(executor: ClosureExecutor { _ in [:] }).start(try Self.workflow())
    let subscriber = PatientSubscriber()
    run.events.subscribe(subscriber)
    _ = try await run.outcome
    #expect(subscriber.received == 0)
    for asked in 1...8 {
      subscriber.ask()
      await expectEventually("\(asked) events have arrived") { subscriber.received == asked }
    }
    await expectEventually("the completion has arrived") { subscriber.isFinished }
  }

  @Test func `a subscriber that cancels gets nothing more`() async throws {
    let gate = Gate()
    let engine = Engine(
      executor: ClosureExecutor { _ in
        await gate.wait()
        return [:]
      })
    let run = engine.start(try Self.workflow())
    let count = Protected(0)
    let subscription = run.events.sink { _ in count.withLock { $0 += 1 } }
    await expectEventually("the first step runs") { count.withLock { $0 } == 3 }
    subscription.cancel()
    gate.open()
    #expect(try await run.outcome == .succeeded)
    #expect(count.withLock { $0 } == 3)
  }

  @Test func `a subscriber that blocks delays output and nothing else`() async throws {
    let isSubscribed = Gate()
    let pieces = 2000
    let reported = Protected(0)
    let engine = Engine(
      executor: ClosureExecutor { context in
        if context.step.id == "quiet" { return [:] }
        // The recap has only the last lines of what is reported before the subscription.
        await isSubscribed.wait()
        for _ in 0..<pieces {
          context.report("x")
          await context.roomForOutput()
          reported.withLock { $0 += 1 }
        }
        return [:]
      })
    let workflow = try Workflow(
      name: "w",
      steps: [
        Workflow.Step(id: "loud", action: .run("true")),
        Workflow.Step(id: "quiet", action: .run("true")),
      ])
    let run = engine.start(workflow)
    let lines = Protected(0)
    let blocked = DispatchGate()
    let subscription = run.events.sink { event in
      blocked.wait()
      if case .step(_, _, .output) = event.kind { lines.withLock { $0 += 1 } }
    }
    isSubscribed.open()
    await expectEventually("the quiet step has ended") { run.state["quiet"]?.phase.isFinal == true }
    #expect(reported.withLock { $0 } < pieces)
    blocked.open()
    #expect(try await run.outcome == .succeeded)
    await expectEventually("all lines have arrived") { lines.withLock { $0 } == pieces }
    subscription.cancel()
  }
}

/// Requests one event for each call of `ask`.
private final class PatientSubscriber: Subscriber, Sendable {
  // @unchecked: a subscription is not Sendable; `request` may be called from any thread.
  private struct State: @unchecked Sendable {
    var subscription: (any Subscription)?
    var received = 0
    var isFinished = false
  }

  private let state = Mutex(State())

  var received: Int { state.withLock { $0.received } }
  var isFinished: Bool { state.withLock { $0.isFinished } }

  func ask() {
    let held = state.withLock { $0 }
    held.subscription?.request(.max(1))
  }

  func receive(subscription: any Subscription) {
    let held = State(subscription: subscription)
    state.withLock { $0 = held }
  }

  func receive(_ input: Event) -> Subscribers.Demand {
    state.withLock { $0.received += 1 }
    return .none
  }

  func receive(completion: Subscribers.Completion<Never>) {
    state.withLock { $0.isFinished = true }
  }
}
