import CombineOperators
import Reprise
import TestSupport
import Testing

/// A run as a cold publisher, combined with standard operators.
struct RunPublisherTests {
  /// How many closures are running, the maximum at once, and the total.
  private struct Alive {
    var now = 0
    var most = 0
    var begun = 0

    mutating func begin() {
      now += 1
      begun += 1
      most = max(most, now)
    }
  }

  @Test func `a run that fails ends its publisher with a failure, after the last event`()
    async throws
  {
    let workflow = try Workflow("fails") {
      Step("a") { _ in throw FailureReason.exited(status: 3) }
    }
    var last: Event?
    do {
      for try await event in Engine().publisher(for: workflow).values { last = event }
      Issue.record("the run succeeded")
    } catch {
      let outcome = RunOutcome.failed(step: "a", reason: .exited(status: 3))
      #expect(last?.kind == .runEnded(outcome))
      #expect(
        (error as? RunFailure)?.outcome == outcome && (error as? RunFailure)?.run == last?.run)
      #expect("\(error)".hasSuffix("step \"a\" failed: exited with status 3"))
    }
  }

  @Test func `retry starts another run, and catch takes over`() async throws {
    let count = Protected(0)
    let workflow = try Workflow("flaky") {
      Step("a") { _ in
        let number = count.withLock {
          $0 += 1
          return $0
        }
        if number < 3 { throw FailureReason.exited(status: number) }
      }
    }
    var runs: Set<RunID> = []
    for try await event in Engine().publisher(for: workflow).retry(5).values {
      runs.insert(event.run)
    }
    #expect(runs.count == 3 && count.value == 3)
    let failing = try Workflow("fails") { Step("a") { _ in throw FailureReason.exited(status: 1) } }
    let other = try Workflow("other") { Step("b") { _ in } }
    let engine = Engine()
    var names: [String] = []
    let caught = engine.publisher(for: failing).catch { _ in engine.publisher(for: other) }
    for try await event in caught.values {
      if case .runStarted(let plan) = event.kind { names.append(plan.workflow) }
    }
    #expect(names == ["fails", "other"])
  }

  @Test func `timeout cancels the run`() async throws {
    let alive = Protected(Alive())
    let workflow = try Workflow("slow") {
      Step("a") { _ in
        alive.withLock { $0.begin() }
        defer { alive.withLock { $0.now -= 1 } }
        try await Gate().waitUnlessCancelled()
      }
    }
    let finished = Gate()
    let subscription = Engine().publisher(for: workflow)
      .timeout(.seconds(3), scheduler: QueueScheduler())
      .sink(receiveCompletion: { _ in finished.open() }, receiveValue: { _ in })
    await finished.wait()
    await expectEventually("the closure has ended") {
      alive.value.begun == 1 && alive.value.now == 0
    }
    subscription.cancel()
  }

  @Test func `switchToLatest never runs two generations at once`() async throws {
    let alive = Protected(Alive())
    let workflow = try Workflow("build") {
      Step("a") { _ in
        alive.withLock { $0.begin() }
        defer { alive.withLock { $0.now -= 1 } }
        // The closure takes a while to end.
        await Task.detached { for _ in 0..<1000 { await Task.yield() } }.value
        try await Gate().waitUnlessCancelled()
      }
    }
    let engine = Engine()
    let saves = PassthroughSubject<Int, Never>()
    let subscription = saves.map { _ in
      engine.publisher(for: workflow).catch { _ in Empty<Event, Never>() }
    }
    .switchToLatest()
    .sink { _ in }
    for count in 1...20 {
      saves.send(count)
      if count % 3 == 0 {
        await expectEventually("a run has started") { alive.value.now == 1 }
      }
    }
    await expectEventually("the last one runs") { alive.value.now == 1 }
    #expect(alive.value.most == 1)
    subscription.cancel()
    await expectEventually("no closure is running") { alive.value.now == 0 }
    let begun = alive.value.begun
    // Independent subscriptions do not wait for one another.
    let both = [0, 1].map { _ in
      engine.publisher(for: workflow).sink(receiveCompletion: { _ in }, receiveValue: { _ in })
    }
    await expectEventually("both run side by side") { alive.value.now == 2 }
    for subscription in both { subscription.cancel() }
    await expectEventually("no closure is running") { alive.value.now == 0 }
    #expect(alive.value.begun == begun + 2)
  }

  @Test func `a subscriber receives all events from the first one`() async throws {
    let workflow = try Workflow("w") {
      Step("a") { context in
        for number in 1...2000 {
          context.report("\(number)")
          await context.roomForOutput()
        }
      }
    }
    for _ in 1...rounds(20, soak: 1000) {
      let (kinds, lines) = (Protected<[Event.Kind]>([]), Protected(0))
      let finished = Gate()
      let subscription = Engine().publisher(for: workflow).sink(
        receiveCompletion: { _ in finished.open() },
        receiveValue: { event in
          if case .step(_, _, .output) = event.kind {
            lines.withLock { $0 += 1 }
          } else {
            kinds.withLock { $0.append(event.kind) }
          }
        })
      await finished.wait()
      subscription.cancel()
      #expect(lines.value == 2000)
      #expect(
        kinds.value.dropFirst() == [
          .step("a", attempt: 0, .waiting), .step("a", attempt: 1, .started()),
          .step("a", attempt: 1, .succeeded([:])), .runEnded(.succeeded),
        ])
    }
  }

  @Test func `a run that is cancelled while it starts is awaited, too`() async throws {
    let reported = Protected<[String]>([])
    let workflow = try Workflow("w") {
      Step("a") { _ in try await Gate().waitUnlessCancelled() }
    } finally: {
      Step("end") { context in reported.withLock { $0.append("end") } }
    }
    let switching = Switching(reported)
    var engine = Engine()
    engine.observer = switching
    let publisher = engine.publisher(for: workflow)
    switching.state.withLock { $0.second = publisher }
    let first = publisher.handleEvents(receiveSubscription: { subscription in
      switching.state.withLock { $0.first = subscription }
    }).sink(receiveCompletion: { _ in }, receiveValue: { _ in })
    await expectEventually("the second run has started") {
      reported.value.count { $0 == "begin" } == 2
    }
    #expect(reported.value == ["begin", "end", "begin"])
    first.cancel()
    // This also cancels the second subscription.
    switching.state.withLock { $0 = Switching.State() }
    await expectEventually("both runs have ended") { reported.value.count == 4 }
  }

  /// Replaces the first run with a second one while it starts, as another thread could at any time.
  private final class Switching: EngineObserver {
    // @unchecked: a field is used outside of the lock only after it was taken out of the state.
    struct State: @unchecked Sendable {
      var first: (any Subscription)?
      var second: RunPublisher?
      var subscription: AnyCancellable?
    }

    let state = Protected(State())
    private let reported: Protected<[String]>

    init(_ reported: Protected<[String]>) {
      self.reported = reported
    }

    func runStarted(_ run: RunID, of workflow: Workflow) -> (any RunObserver)? {
      reported.withLock { $0.append("begin") }
      let taken = state.withLock { state in
        defer { (state.first, state.second) = (nil, nil) }
        return state
      }
      taken.first?.cancel()
      let second = taken.second?.sink(receiveCompletion: { _ in }, receiveValue: { _ in })
      let carried = UncheckedSendable(second)
      state.withLock { state in
        if let second = carried.value { state.subscription = second }
      }
      return nil
    }
  }

  @Test func `leaving a loop over the events cancels the run`() async throws {
    let alive = Protected(Alive())
    let workflow = try Workflow("long") {
      Step("a") { _ in
        alive.withLock { $0.begin() }
        defer { alive.withLock { $0.now -= 1 } }
        try await Gate().waitUnlessCancelled()
      }
    }
    for try await event in Engine().publisher(for: workflow).values {
      if case .step(_, _, .started) = event.kind { break }
    }
    // It begins a moment after the event.
    await expectEventually("the closure has ended") {
      alive.value.begun == 1 && alive.value.now == 0
    }
    let reading = Task {
      for try await _ in Engine().publisher(for: workflow).values {}
    }
    await expectEventually("another one runs") { alive.value.now == 1 }
    reading.cancel()
    await expectEventually("it is cancelled with its reader") { alive.value.now == 0 }
  }

  @Test func `no event is delivered without demand`() async throws {
    let workflow = try Workflow("w") { for number in 1...5 { Step("s\(number)") { _ in } } }
    let seen = Protected(0)
    let finished = Gate()
    let events = Engine().publisher(for: workflow).catch { _ in Empty<Event, Never>() }
    let subscription = events.sinkOneByOne(
      receiveCompletion: { finished.open() },
      receiveValue: { _ in
        seen.withLock { $0 += 1 }
        await Task.yield()
      })
    await finished.wait()
    // Three events for each step (waiting, started and succeeded), and the start and end of the run.
    #expect(seen.value == 17)
    subscription.cancel()
  }
}
