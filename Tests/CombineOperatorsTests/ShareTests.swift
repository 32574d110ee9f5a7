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

  @Test func `each subscriber gets what it requests and does not delay the others`() {
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

  @Test func `upstream is cancelled when the last subscriber leaves, and reconnected for the next`()
  {
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

  @Test(arguments: [0, 1, 3]) func `the given number of last values is replayed`(_ count: Int) {
    let subject = Subject()
    let shared = subject.share(replay: count)
    let first = Probe<Int, Never>()
    shared.subscribe(first)
    for value in 1...4 { subject.send(value) }
    let late = Probe<Int, Never>(demand: .none)
    shared.subscribe(late)
    late.request(1)
    #expect(first.values == [1, 2, 3, 4] && late.values == Array((1...4).suffix(count).prefix(1)))
    late.request(9)
    subject.send(5)
    #expect(late.values == Array((1...4).suffix(count)) + [5])
  }

  @Test func `a failure is replayed after the last values`() {
    let subject = PassthroughSubject<Int, TestError>()
    let shared = subject.share(replay: 2)
    let first = Probe<Int, TestError>()
    shared.subscribe(first)
    for value in 1...3 { subject.send(value) }
    subject.send(completion: .failure(TestError()))
    subject.send(4)
    let late = Probe<Int, TestError>(demand: .none)
    shared.subscribe(late)
    #expect(late.values == [] && late.ended == nil, "the values come first")
    late.request(2)
    #expect(late.values == [2, 3] && late.ended == .failed && first.ended == .failed)
  }

  @Test func `a publisher that finishes immediately is subscribed to once`() {
    let count = Protected(0)
    let shared = Deferred {
      count.withLock { $0 += 1 }
      return [1, 2, 3].publisher
    }.share(replay: 0)
    let probes = (0..<3).map { _ in Probe<Int, Never>() }
    for probe in probes { shared.subscribe(probe) }
    #expect(count.value == 1 && probes.map(\.values) == [[1, 2, 3], [], []])
    #expect(probes.allSatisfy { $0.ended == .finished })
  }

  @Test func `a new connection replays no values of the previous one`() {
    let subject = Subject()
    let shared = subject.share(replay: 1)
    let first = Probe<Int, Never>()
    shared.subscribe(first)
    subject.send(1)
    first.cancel()
    let second = Probe<Int, Never>()
    shared.subscribe(second)
    #expect(second.values == [])
  }

  @Test func `a subscriber may cancel, and subscribe others, while it receives a value`() {
    let subject = Subject()
    let shared = subject.share(replay: 1)
    let (late, values) = (Probe<Int, Never>(), Protected<[Int]>([]))
    let handed = UncheckedTransfer(value: shared)
    let responder = Responder<Int, Never>(
      started: { $0.request(.unlimited) },
      answer: { value, subscription in
        values.withLock { $0.append(value) }
        if value == 2 {
          handed.value.subscribe(late)
          subscription.cancel()
        }
        return .none
      })
    shared.subscribe(responder)
    for value in 1...3 { subject.send(value) }
    #expect(values.value == [1, 2] && late.values == [2, 3])
    late.cancel()
    responder.forget()
  }

  @Test func `upstream is released at the end`() {
    weak var released: Subject?
    let shared: SharedPublisher<Int, Never>
    do {
      let subject = Subject()
      released = subject
      shared = subject.share(replay: 1)
      shared.subscribe(Probe<Int, Never>())
      subject.send(1)
      subject.send(completion: .finished)
    }
    #expect(released == nil)
    withExtendedLifetime(shared) {}
  }

  @Test func `100,000 subscribers join, get a value and leave in linear time`() {
    let subject = Subject()
    let shared = subject.share(replay: 1)
    let probes = (0..<scaled(100_000)).map { _ in Probe<Int, Never>() }
    for probe in probes { shared.subscribe(probe) }
    subject.send(7)
    #expect(probes.allSatisfy { $0.values == [7] })
    for probe in probes { probe.cancel() }
  }

  @Test func `subscribers join and leave while values are sent`() {
    for _ in 0..<scaled(2000) {
      let subject = UncheckedTransfer(value: Subject())
      let shared = UncheckedTransfer(value: subject.value.share(replay: 1))
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
