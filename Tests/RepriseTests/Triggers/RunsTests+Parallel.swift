import CombineOperators
import Reprise
import TestSupport
import Testing

/// Concurrent runs.
extension RunsTests {
  @Test func `runs may be concurrent, up to a limit`() async throws {
    for limit in [Int?.none, 3] {
      let work = Work(isHeld: true)
      let reported = Reported()
      let events = (1...8).publisher
      let subscription = reported.listen(
        work.engine.runs(on: events, whenBusy: .parallel(limit: limit), workflow: Self.workflow))
      await expectEventually("the runs") { work.alive.value == limit ?? 8 }
      work.gate.open()
      await expectEventually("the end") { reported.completion.value == "finished" }
      #expect(Set(work.succeeded.value) == Set(1...8))
      #expect(work.most.value == limit ?? 8)
      withExtendedLifetime(subscription) {}
    }
  }

  @Test func `no event of a subject is lost while runs are in progress`() async throws {
    let work = Work(isHeld: true)
    let reported = Reported()
    let dropped = Protected<[Int]>([])
    let events = PassthroughSubject<Int, Never>()
    let subscription = reported.listen(
      work.engine.runs(
        on: events, whenBusy: .parallel(limit: 2),
        onDrop: { number in dropped.withLock { $0.append(number) } }, workflow: Self.workflow))
    for number in 1...100 { events.send(number) }
    events.send(completion: .finished)
    work.gate.open()
    await expectEventually("the end") { reported.completion.value == "finished" }
    #expect(Set(work.succeeded.value) == Set(1...100))
    #expect(work.most.value <= 2)
    #expect(dropped.value == [])
    withExtendedLifetime(subscription) {}
  }

  @Test(arguments: [WhenBusy.Full.dropOldest, .dropNewest, .fail])
  func `a limited number of events wait for concurrent runs, and the others are reported`(
    _ full: WhenBusy.Full
  ) async throws {
    let work = Work(isHeld: true)
    let reported = Reported()
    let dropped = Protected<[Int]>([])
    let events = PassthroughSubject<Int, Never>()
    let subscription = reported.listen(
      work.engine.runs(
        on: events, whenBusy: .parallel(limit: 2, waiting: 3, whenFull: full),
        onDrop: { number in dropped.withLock { $0.append(number) } }, workflow: Self.workflow))
    for number in 1...2 {
      events.send(number)
      await expectEventually("the run") { work.alive.value == number }
    }
    for number in 3...9 { events.send(number) }
    work.gate.open()
    events.send(completion: .finished)
    await expectEventually("the end") { reported.completion.value != nil }
    #expect(Set(work.succeeded.value).isDisjoint(with: dropped.value))
    switch full {
    case .dropOldest: #expect(dropped.value == [3, 4, 5, 6])
    case .dropNewest: #expect(dropped.value == [6, 7, 8, 9])
    case .fail: #expect(reported.completion.value?.contains("queueIsFull") == true)
    }
    withExtendedLifetime(subscription) {}
  }

  @Test func `a sequence is read no faster than concurrent runs start`() async throws {
    let work = Work(isHeld: true)
    let reported = Reported()
    let read = Protected(0)
    let lines = AsyncStream {
      read.withLock { count in
        count += 1
        return count <= 50 ? count : nil
      }
    }
    let subscription = reported.listen(
      work.engine.runs(of: Self.workflow, on: lines, whenBusy: .parallel(limit: 2)))
    await expectEventually("two runs") { work.alive.value == 2 }
    for _ in 0..<1000 { await Task.yield() }
    #expect(read.value <= 4)
    work.gate.open()
    await expectEventually("the end") { reported.completion.value == "finished" }
    #expect(reported.runs.value.count == 50)
    withExtendedLifetime(subscription) {}
  }
}
