import CombineOperators
import Synchronization
import TestSupport
import Testing

/// Publishers from closures, based on the tests of CombineExt.
struct CreateTests {
  @Test func `values wait for demand, and the end for the values`() {
    let probe = Probe<Int, TestError>(demand: .max(1))
    AnyPublisher<Int, TestError>.create { feed in
      for value in 1...3 { feed.send(value) }
      feed.send(completion: .finished)
      feed.send(4)
      feed.send(completion: .failure(TestError()))
      return AnyCancellable {}
    }.subscribe(probe)
    #expect(probe.values == [1] && probe.ended == nil)
    probe.request(2)
    #expect(probe.values == [1, 2, 3] && probe.ended == .finished && probe.faults == [])
  }

  @Test(arguments: [true, false])
  func `what the closure returns is cancelled once, by a cancel and by the end`(_ cancels: Bool) {
    let (cancelled, feeds) = (Protected(0), Protected<[Publishers.Create<Int, Never>.Feed]>([]))
    let probe = Probe<Int, Never>()
    Publishers.Create<Int, Never> { feed in
      feeds.withLock { $0.append(feed) }
      return AnyCancellable { cancelled.withLock { $0 += 1 } }
    }.subscribe(probe)
    #expect(cancelled.value == 0)
    if cancels { probe.cancel() } else { feeds.value[0].send(completion: .finished) }
    feeds.value[0].send(1)
    #expect(cancelled.value == 1 && probe.values == [])
    #expect(probe.ended == (cancels ? nil : .finished))
  }

  @Test func `work that ends within the closure is cancelled, too`() {
    let cancelled = Protected(0)
    let probe = Probe<Int, Never>()
    Publishers.Create<Int, Never> { feed in
      feed.send(completion: .finished)
      return AnyCancellable { cancelled.withLock { $0 += 1 } }
    }.subscribe(probe)
    #expect(cancelled.value == 1 && probe.ended == .finished)
  }

  @Test func `each subscriber calls the closure, from threads at the same time all arrives`() async
  {
    let calls = Protected(0)
    let created = AnyPublisher<Int, Never>.create { feed in
      calls.withLock { $0 += 1 }
      let work = Task {
        await withTaskGroup { group in
          for thread in 0..<4 {
            group.addTask { for value in 0..<250 { feed.send(thread * 250 + value) } }
          }
        }
        feed.send(completion: .finished)
      }
      return AnyCancellable { work.cancel() }
    }
    let probes = [Probe<Int, Never>(), Probe<Int, Never>()]
    for probe in probes { created.subscribe(probe) }
    for probe in probes {
      await expectEventually("it ends") { probe.ended == .finished }
      #expect(probe.values.sorted() == Array(0..<1000) && probe.faults == [])
    }
    #expect(calls.value == 2)
  }
}
