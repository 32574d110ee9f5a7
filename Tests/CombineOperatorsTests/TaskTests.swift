import CombineOperators
import TestSupport
import Testing

struct TaskTests {
  @Test func `a value is mapped through an asynchronous closure`() async {
    let probe = Probe<Int, Never>()
    [1, 2, 3].publisher.task(maxPublishers: .max(1)) { $0 * 10 }.subscribe(probe)
    await expectEventually("it ends") { probe.ended == .finished }
    #expect(probe.values == [10, 20, 30] && probe.faults == [])
  }

  @Test func `nothing starts without demand`() async {
    let started = Protected(0)
    let probe = Probe<Int, Never>(demand: .none)
    [1, 2].publisher.task { value in
      started.withLock { $0 += 1 }
      return value
    }.subscribe(probe)
    for _ in 0..<100 { await Task.yield() }
    #expect(started.value == 0)
    probe.request(1)
    await expectEventually("one value arrives") { probe.values.count == 1 }
    #expect(probe.ended == nil)
    probe.request(1)
    await expectEventually("it ends") { probe.ended == .finished }
  }

  @Test(arguments: [1, 2, 5]) func `no more closures run at once than allowed`(_ limit: Int) async {
    let running = Protected((now: 0, most: 0))
    let probe = Probe<Int, Never>()
    (0..<200).publisher.task(maxPublishers: .max(limit)) { value in
      running.withLock { running in
        running.now += 1
        running.most = max(running.most, running.now)
      }
      await Task.yield()
      running.withLock { $0.now -= 1 }
      return value
    }.subscribe(probe)
    await expectEventually("it ends") { probe.ended == .finished }
    #expect(running.value.most <= limit && Set(probe.values).count == 200)
  }

  @Test func `results without demand hold back further tasks`() async {
    let started = Protected(0)
    let probe = Probe<Int, Never>(demand: .max(1))
    (0..<100).publisher.task(maxPublishers: .max(3)) { value in
      started.withLock { $0 += 1 }
      return value
    }.subscribe(probe)
    await expectEventually("four have started, and one result is delivered") {
      started.value == 4 && probe.values.count == 1
    }
    for _ in 0..<100 { await Task.yield() }
    #expect(started.value == 4 && probe.values.count == 1)
  }

  @Test func `cancelling the subscription cancels the task`() async {
    let cancelled = Gate()
    let running = Gate()
    let probe = Probe<Int, Never>()
    [1].publisher.task { value in
      running.open()
      while !Task.isCancelled { await Task.yield() }
      cancelled.open()
      return value
    }.subscribe(probe)
    await running.wait()
    probe.cancel()
    await cancelled.wait()
    for _ in 0..<100 { await Task.yield() }
    #expect(probe.values == [] && probe.ended == nil)
  }

  @Test func `an error thrown by a closure is the failure, and cancels the other tasks`() async {
    let cancelled = Gate()
    let probe = Probe<Int, TestError>()
    [1, 2].publisher.task { (value: Int) async throws(TestError) -> Int in
      if value == 2 { throw TestError() }
      while !Task.isCancelled { await Task.yield() }
      cancelled.open()
      return value
    }.subscribe(probe)
    await expectEventually("it fails") { probe.ended == .failed }
    await cancelled.wait()
    #expect(probe.values == [])
  }

  @Test func `a failure of upstream is delivered`() async {
    let probe = Probe<Int, TestError>()
    Fail<Int, TestError>(error: TestError()).task { $0 }.subscribe(probe)
    await expectEventually("it fails") { probe.ended == .failed }
  }

  @Test func `values, cancels and ends may race`() async {
    for _ in 0..<scaled(2000) {
      let probe = Probe<Int, Never>()
      let publisher = UncheckedTransfer(
        value: (0..<5).publisher.task(maxPublishers: .max(2)) { $0 })
      await withTaskGroup(of: Void.self) { group in
        group.addTask { publisher.value.subscribe(probe) }
        group.addTask { if Bool.random() { probe.cancel() } }
      }
      #expect(probe.faults == [])
    }
  }
}
