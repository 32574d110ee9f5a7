// The publisher of the states of a run.

import CombineOperators
import Reprise
import TestSupport
import Testing
import WorkflowFiles

/// The published states of a run.
struct RunStatesTests {
  private static func wide(_ count: Int) throws -> Workflow {
    try Workflow("wide") {
      Parallel { for number in 0..<count { Step("s\(number)") { _ in number } } }
    }
  }

  @Test func `the last state is the final one, and states never go back`() async throws {
    for _ in 0..<rounds(50, soak: 1000) {
      let states = Protected<[RunState]>([])
      let isFinished = Protected(false)
      let run = Engine().start(try Self.wide(10))
      let subscription = run.states.sink(
        receiveCompletion: { @Sendable _ in isFinished.withLock { $0 = true } },
        receiveValue: { @Sendable state in states.withLock { $0.append(state) } })
      #expect(try await run.outcome == .succeeded)
      #expect(isFinished.value)
      #expect(states.value.last == run.state)
      let finals = states.value.map(\.counts.final)
      #expect(finals == finals.sorted())
      withExtendedLifetime(subscription) {}
    }
  }

  @Test func `many events are coalesced into few states`() async throws {
    let count = Protected(0)
    let run = Engine().start(try Self.wide(2000))
    let start = ContinuousClock.now
    let subscription = run.states.sink { @Sendable _ in count.withLock { $0 += 1 } }
    #expect(try await run.outcome == .succeeded)
    let hundredths = Int(start.duration(to: .now) / .milliseconds(10))
    #expect((1...(hundredths + 3)).contains(count.value))
    withExtendedLifetime(subscription) {}
  }

  @Test func `a loop gets the current state first and ends with the run`() async throws {
    let gate = Gate()
    let run = Engine().start(try Workflow("w") { Step("wait") { _ in await gate.wait() } })
    await expectEventually("the step runs") { run.state["wait"]?.phase == .running }
    var phases: [RunPhase] = []
    for await state in run.states.values {
      if phases.isEmpty { gate.open() }
      phases.append(state.phase)
    }
    #expect(phases.first == .running)
    #expect(phases.last == .ended(.succeeded))
  }

  @Test func `nothing is delivered without demand, and nothing after a cancel`() async throws {
    let gate = Gate()
    let run = Engine().start(try Workflow("w") { Step("wait") { _ in await gate.wait() } })
    let states = Protected<[RunPhase]>([])
    let subscription = Protected<UncheckedSendable<(any Subscription)?>>(UncheckedSendable(nil))
    run.states.subscribe(
      AnySubscriber<RunState, Never>(
        receiveSubscription: { given in
          let given = UncheckedSendable<(any Subscription)?>(given)
          subscription.withLock { $0 = given }
        },
        receiveValue: { state in
          states.withLock { $0.append(state.phase) }
          return .none
        }))
    await expectEventually("the step runs") { run.state["wait"]?.phase == .running }
    #expect(states.value == [])
    subscription.value.value?.request(.max(1))
    await expectEventually("one state") { states.value == [.running] }
    gate.open()
    #expect(try await run.outcome == .succeeded)
    #expect(states.value == [.running])
    subscription.value.value?.cancel()
    subscription.value.value?.request(.unlimited)
    _ = try await run.outcome
    #expect(states.value == [.running])
  }
}
