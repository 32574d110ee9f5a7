import CombineOperators
import Reprise
import TestSupport
import Testing

/// Runs that are started by events.
struct RunsTests {
  static let workflow: Workflow = {
    do {
      return try Workflow(text: "steps: [{ id: a, run: x }]\n", file: "w.yaml")
    } catch {
      preconditionFailure("\(error)")
    }
  }()

  /// Returns a workflow whose step gets the number of its event.
  static func workflow(_ number: Int) -> Workflow {
    do {
      return try Workflow(
        text: "steps: [{ id: a, env: { N: '${{ trigger.line }}' }, run: x }]\n", file: "w.yaml",
        with: Arguments(trigger: Trigger(.stdin(line: "\(number)"), time: "")))
    } catch {
      preconditionFailure("\(error)")
    }
  }

  /// The work of the steps; records how many runs are in progress.
  final class Work: Sendable {
    let begun = Protected<[Int]>([])
    let succeeded = Protected<[Int]>([])
    let alive = Protected(0)
    let most = Protected(0)
    let gate = Gate()
    private let isHeld: Bool

    init(isHeld: Bool = false) {
      self.isHeld = isHeld
    }

    var engine: Engine {
      Engine(
        executor: ClosureExecutor { [self] context in
          let number = Int(context.resolved.environment["N"] ?? "") ?? 0
          begun.withLock { $0.append(number) }
          let now = alive.withLock { alive in
            alive += 1
            return alive
          }
          most.withLock { $0 = max($0, now) }
          defer { alive.withLock { $0 -= 1 } }
          if isHeld { try await gate.waitUnlessCancelled() } else { await Task.yield() }
          try Task.checkCancellation()
          succeeded.withLock { $0.append(number) }
          return [:]
        })
    }
  }

  /// Records the runs and the completion that a subscriber receives.
  final class Reported: Sendable {
    let runs = Protected<[Run]>([])
    let completion = Protected<String?>(nil)

    var outcomes: [RunOutcome] {
      get async throws {
        var outcomes: [RunOutcome] = []
        for run in runs.value { outcomes.append(try await run.outcome) }
        return outcomes
      }
    }

    func listen(_ publisher: RunsPublisher) -> AnyCancellable {
      publisher.sink { [completion] end in
        completion.withLock { $0 = "\(end)" }
      } receiveValue: { [runs] run in
        runs.withLock { $0.append(run) }
      }
    }
  }

  // MARK: queue

  @Test func `events wait in order for one run at a time, and dropped events are counted`()
    async throws
  {
    let work = Work(isHeld: true)
    let reported = Reported()
    let dropped = Protected<[Int]>([])
    let events = PassthroughSubject<Int, Never>()
    let subscription = reported.listen(
      work.engine.runs(
        on: events, whenBusy: .queue(limit: 3, whenFull: .dropOldest),
        onDrop: { number in dropped.withLock { $0.append(number) } }, workflow: Self.workflow))
    for number in 1...10 { events.send(number) }
    await expectEventually("the first run is in progress") { work.alive.value == 1 }
    #expect(dropped.value == [2, 3, 4, 5, 6, 7])
    events.send(completion: .finished)
    work.gate.open()
    await expectEventually("the end") { reported.completion.value != nil }
    #expect(work.succeeded.value == [1, 8, 9, 10])
    #expect(work.most.value == 1)
    withExtendedLifetime(subscription) {}
  }

  @Test func `no event is lost by default`() async throws {
    let work = Work(isHeld: true)
    let reported = Reported()
    let events = PassthroughSubject<Int, Never>()
    let subscription = reported.listen(work.engine.runs(on: events, workflow: Self.workflow))
    for number in 1...50 { events.send(number) }
    events.send(completion: .finished)
    work.gate.open()
    await expectEventually("the end") { reported.completion.value != nil }
    #expect(work.succeeded.value == Array(1...50))
    withExtendedLifetime(subscription) {}
  }

  @Test func `a full queue may drop the newest event or fail`() async throws {
    let work = Work(isHeld: true)
    let reported = Reported()
    let dropped = Protected<[Int]>([])
    let events = PassthroughSubject<Int, Never>()
    let subscription = reported.listen(
      work.engine.runs(
        on: events, whenBusy: .queue(limit: 2, whenFull: .dropNewest),
        onDrop: { number in dropped.withLock { $0.append(number) } }, workflow: Self.workflow))
    for number in 1...6 { events.send(number) }
    #expect(dropped.value == [4, 5, 6])
    work.gate.open()
    await expectEventually("three runs") { work.succeeded.value == [1, 2, 3] }
    withExtendedLifetime(subscription) {}

    let held = Work(isHeld: true)
    let failing = Reported()
    let more = PassthroughSubject<Int, Never>()
    let other = failing.listen(
      held.engine.runs(
        on: more, whenBusy: .queue(limit: 1, whenFull: .fail), workflow: Self.workflow))
    for number in 1...3 { more.send(number) }
    held.gate.open()
    await expectEventually("the failure") { failing.completion.value != nil }
    #expect(failing.completion.value == "failure(Reprise.RunsError.queueIsFull)")
    #expect(held.succeeded.value == [1, 2])
    withExtendedLifetime(other) {}
  }

  @Test func `no run starts without demand`() async throws {
    let work = Work()
    let events = PassthroughSubject<Int, Never>()
    let runs = Protected(0)
    let subscriber = Asking { runs.withLock { $0 += 1 } }
    work.engine.runs(on: events, whenBusy: .queue(), workflow: Self.workflow)
      .subscribe(subscriber)
    for number in 1...5 { events.send(number) }
    subscriber.ask(2)
    await expectEventually("two runs") { work.succeeded.value.count == 2 }
    for _ in 0..<1000 { await Task.yield() }
    #expect(work.begun.value == [1, 2])
    await expectEventually("both runs have been delivered") { runs.value == 2 }
    subscriber.ask(.max(3))
    await expectEventually("five runs") { work.succeeded.value == [1, 2, 3, 4, 5] }
  }

  @Test func `a sequence is read no faster than runs end`() async throws {
    let work = Work(isHeld: true)
    let reported = Reported()
    let read = Protected(0)
    let numbers = AsyncStream<Int>(unfolding: {
      read.withLock { read in
        read += 1
        return read <= 5 ? read : nil
      }
    })
    let subscription = reported.listen(
      work.engine.runs(of: Self.workflow, on: numbers, whenBusy: .hold))
    await expectEventually("a run") { work.alive.value == 1 }
    for _ in 0..<1000 { await Task.yield() }
    #expect(read.value == 1)
    work.gate.open()
    await expectEventually("the end") { reported.completion.value == "finished" }
    #expect(reported.runs.value.count == 5)
    withExtendedLifetime(subscription) {}
  }

  // MARK: ignore

  @Test func `events may be ignored while a run is in progress`() async throws {
    let work = Work(isHeld: true)
    let reported = Reported()
    let dropped = Protected<[Int]>([])
    let events = PassthroughSubject<Int, Never>()
    let subscription = reported.listen(
      work.engine.runs(
        on: events, whenBusy: .ignore,
        onDrop: { number in dropped.withLock { $0.append(number) } }, workflow: Self.workflow))
    for number in 1...5 { events.send(number) }
    #expect(dropped.value == [2, 3, 4, 5])
    await expectEventually("a run") { work.alive.value == 1 }
    work.gate.open()
    await expectEventually("its end") { work.succeeded.value == [1] }
    _ = try await reported.outcomes
    await expectEventually("the next one") {
      events.send(6)
      return work.succeeded.value.last == 6
    }
    withExtendedLifetime(subscription) {}
  }

  // MARK: restart

  @Test func `an event restarts the current run with the values of the event`()
    async throws
  {
    let work = Work(isHeld: true)
    let reported = Reported()
    let events = PassthroughSubject<Int, Never>()
    let subscription = reported.listen(
      work.engine.runs(on: events, whenBusy: .restart, workflow: Self.workflow))
    events.send(1)
    await expectEventually("the run") { work.begun.value == [1] }
    events.send(2)
    await expectEventually("its second generation") { work.begun.value == [1, 2] }
    work.gate.open()
    await expectEventually("the run is delivered") { reported.runs.value.count == 1 }
    #expect(try await reported.outcomes == [.succeeded])
    #expect(work.succeeded.value == [2])
    #expect(reported.runs.value.map(\.state.generation) == [2])
    withExtendedLifetime(subscription) {}
  }

  @Test func `an event with different steps restarts the run in place`() async throws {
    let work = Work(isHeld: true)
    let reported = Reported()
    let events = PassthroughSubject<Int, Never>()
    let subscription = reported.listen(
      work.engine.runs(on: events, whenBusy: .restart) { number in
        try? Workflow(text: "steps: [{ id: s\(number), run: x }]\n", file: "w.yaml")
      })
    events.send(1)
    await expectEventually("the first run") { work.alive.value == 1 }
    for number in 2...5 { events.send(number) }
    work.gate.open()
    events.send(completion: .finished)
    await expectEventually("the end") { reported.completion.value == "finished" }
    #expect(reported.runs.value.last?.workflow.steps.map(\.id) == ["s5"])
    #expect(work.most.value == 1)
    withExtendedLifetime(subscription) {}
  }

  /// Tests the guarantee of `restart`: the last successful run has used the last event.
  @Test func `the last successful run has always used the last event`() async throws {
    var generator = SeededGenerator.announced()
    for _ in 0..<rounds(20, soak: 500) {
      let work = Work()
      let reported = Reported()
      let events = PassthroughSubject<Int, Never>()
      let subscription = reported.listen(
        work.engine.runs(on: events, whenBusy: .restart, workflow: Self.workflow))
      for number in 1...25 {
        events.send(number)
        for _ in 0..<Int.random(in: 0...60, using: &generator) { await Task.yield() }
      }
      events.send(completion: .finished)
      await expectEventually("the end") { reported.completion.value == "finished" }
      #expect(work.succeeded.value.last == 25)
      #expect(work.most.value == 1, "two generations or runs were alive at once")
      withExtendedLifetime(subscription) {}
    }
  }

  // MARK: The end

  @Test func `cancelling cancels the runs in progress and starts no more`() async throws {
    let work = Work(isHeld: true)
    let reported = Reported()
    let events = PassthroughSubject<Int, Never>()
    let subscription = reported.listen(
      work.engine.runs(on: events, whenBusy: .parallel(), workflow: Self.workflow))
    events.send(1)
    events.send(2)
    await expectEventually("two runs") { reported.runs.value.count == 2 }
    subscription.cancel()
    #expect(try await reported.outcomes == [.cancelled, .cancelled])
    events.send(3)
    for _ in 0..<1000 { await Task.yield() }
    #expect(work.begun.value.count <= 2)
    #expect(reported.runs.value.count == 2)
    #expect(reported.completion.value == nil)
  }

  @Test func `leaving a loop over the runs cancels the runs in progress and the events`()
    async throws
  {
    let work = Work(isHeld: true)
    let events = PassthroughSubject<Int, Never>()
    let isCancelled = Protected(false)
    let watched = events.handleEvents(receiveCancel: { isCancelled.withLock { $0 = true } })
    let sending = Task { [carried = UncheckedSendable(events)] in
      // There may be no subscriber yet.
      await expectEventually("the events are cancelled") {
        carried.value.send(1)
        return isCancelled.value
      }
    }
    var first: Run?
    for try await run in work.engine.runs(on: watched, whenBusy: .ignore, workflow: Self.workflow)
      .values
    {
      first = run
      break
    }
    let run = try #require(first)
    await expectEventually("the run is cancelled") { run.state.phase == .ended(.cancelled) }
    await sending.value
  }
}

/// A subscriber that requests as many values as a test asks for.
private final class Asking: Subscriber, Sendable {
  typealias Input = Run
  typealias Failure = RunsError

  private let subscription = Protected(UncheckedSendable<(any Subscription)?>(nil))
  private let onValue: @Sendable () -> Void

  init(_ onValue: @escaping @Sendable () -> Void) {
    self.onValue = onValue
  }

  func ask(_ count: Subscribers.Demand) {
    subscription.value.value?.request(count)
  }

  func ask(_ count: Int) { ask(.max(count)) }

  func receive(subscription: any Subscription) {
    let carried = UncheckedSendable<(any Subscription)?>(subscription)
    self.subscription.withLock { $0 = carried }
  }

  func receive(_ input: Run) -> Subscribers.Demand {
    onValue()
    return .none
  }

  func receive(completion: Subscribers.Completion<RunsError>) {}
}
