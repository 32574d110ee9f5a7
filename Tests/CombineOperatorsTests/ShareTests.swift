import CombineOperators
import Dispatch
import TestSupport
import Testing

struct ShareTests {
  typealias Subject = PassthroughSubject<Int, Never>

  @Test func `all subscribers share one subscription`() {
    let subscriptions = Protected(0)
    let subject = Subject()
    let shared = subject.handleEvents(receiveSubscription: { _ in
      subscriptions.withLock { $0 += 1 }
    }).share(replay: 1)
    #expect(subscriptions.value == 0)
    let probes = (0..<3).map { _ in Probe<Int, Never>() }
    for probe in probes { shared.subscribe(probe) }
    subject.send(1)
    subject.send(completion: .finished)
    #expect(subscriptions.value == 1)
    for probe in probes { #expect(probe.values == [1] && probe.ended == .finished) }
  }

  @Test func `late subscribers get the last values and the end`() {
    let subject = Subject()
    let shared = subject.share(replay: 2)
    shared.subscribe(Probe<Int, Never>())
    for value in 1...3 { subject.send(value) }
    let late = Probe<Int, Never>()
    shared.subscribe(late)
    #expect(late.values == [2, 3] && late.ended == nil)
    subject.send(completion: .finished)
    let latest = Probe<Int, Never>()
    shared.subscribe(latest)
    #expect(latest.values == [2, 3] && latest.ended == .finished)
  }

  @Test func `each subscriber gets what it asks for, and holds nobody up`() {
    let subject = Subject()
    let shared = subject.share(replay: 0)
    let (slow, fast) = (Probe<Int, Never>(demand: .max(1)), Probe<Int, Never>())
    shared.subscribe(slow)
    shared.subscribe(fast)
    for value in 1...3 { subject.send(value) }
    subject.send(completion: .finished)
    #expect(fast.values == [1, 2, 3] && fast.ended == .finished)
    #expect(slow.values == [1] && slow.ended == nil)
    slow.request(2)
    #expect(slow.values == [1, 2, 3] && slow.ended == .finished)
  }

  @Test func `upstream is cancelled when the last subscriber leaves, and connected again`() {
    let log = Protected<[String]>([])
    let subject = Subject()
    let shared = subject.handleEvents(
      receiveSubscription: { _ in log.withLock { $0.append("start") } },
      receiveCancel: { log.withLock { $0.append("cancel") } }
    ).share(replay: 1)
    let (first, second) = (Probe<Int, Never>(), Probe<Int, Never>())
    shared.subscribe(first)
    shared.subscribe(second)
    subject.send(1)
    first.cancel()
    first.cancel()
    #expect(log.value == ["start"])
    second.cancel()
    #expect(log.value == ["start", "cancel"])
    let third = Probe<Int, Never>()
    shared.subscribe(third)
    subject.send(2)
    #expect(log.value == ["start", "cancel", "start"] && third.values == [2])
  }

  @Test func `a hundred thousand subscribers come, get their value and leave in linear time`() {
    let subject = Subject()
    let shared = subject.share(replay: 1)
    let probes = (0..<scaled(100_000)).map { _ in Probe<Int, Never>() }
    for probe in probes { shared.subscribe(probe) }
    subject.send(7)
    #expect(probes.allSatisfy { $0.values == [7] })
    for probe in probes { probe.cancel() }
  }

  @Test func `subscribers come and leave while values come`() {
    for _ in 0..<scaled(2000) {
      let subject = Handed(value: Subject())
      let shared = Handed(value: subject.value.share(replay: 1))
      let probes = (0..<3).map { _ in Probe<Int, Never>() }
      DispatchQueue.concurrentPerform(iterations: 5) { number in
        switch number {
        case 0..<3: shared.value.subscribe(probes[number])
        case 3: for value in 1...5 { subject.value.send(value) }
        default: probes[0].cancel()
        }
      }
      for probe in probes {
        #expect(probe.faults == [])
        #expect(probe.values == probe.values.sorted(), "\(probe.values)")
      }
    }
  }
}
