import CombineOperators
import Dispatch
import TestSupport
import Testing

/// The subjects, futures and shared publishers of Combine.
struct CoreSubjectTests {
  @Test func `a subject loses what is not requested, and a subject with a value keeps the newest`()
  {
    let (passing, keeping) = (PassthroughSubject<Int, Never>(), CurrentValueSubject<Int, Never>(0))
    let probes = (0..<2).map { _ in Probe<Int, Never>(demand: .none) }
    passing.subscribe(probes[0])
    keeping.subscribe(probes[1])
    for value in 1...3 {
      passing.send(value)
      keeping.send(value)
    }
    for probe in probes { probe.request(2) }
    #expect(probes.map(\.values) == [[], [3]])
    passing.send(4)
    keeping.value = 4
    #expect(probes.map(\.values) == [[4], [3, 4]] && keeping.value == 4)
    passing.send(completion: .finished)
    keeping.send(completion: .finished)
    keeping.send(5)
    #expect(probes.allSatisfy { $0.ended == .finished && $0.faults == [] } && keeping.value == 4)
    let late = Probe<Int, Never>()
    keeping.subscribe(late)
    #expect(late.values == [] && late.ended == .finished)
  }

  @Test func `a value that is sent while a value is delivered follows it`() {
    let subject = PassthroughSubject<Int, Never>()
    let values = Protected<[Int]>([])
    let subscription = subject.sink { value in
      if value < 3 { subject.send(value + 1) }
      values.withLock { $0.append(value) }
    }
    subject.send(1)
    #expect(values.value == [1, 2, 3] || values.value == [3, 2, 1])
    subscription.cancel()
  }

  /// A subject that holds a lock while it calls out would wait for the subscriber here.
  @Test(arguments: ["passthrough", "replay", "flatMap"])
  func `a sender does not wait for a subscriber that is busy on another thread`(_ kind: String)
    async
  {
    let (subject, replay) = (PassthroughSubject<Int, Never>(), ReplaySubject<Int, Never>(replay: 1))
    let publisher: AnyPublisher<Int, Never> =
      switch kind {
      case "passthrough": subject.eraseToAnyPublisher()
      case "replay": replay.eraseToAnyPublisher()
      default: subject.flatMap { Just($0) }.eraseToAnyPublisher()
      }
    let (isInside, hasSent) = (Gate(), DispatchSemaphore(value: 0))
    let result = Protected<DispatchTimeoutResult?>(nil)
    let subscription = publisher.sink { value in
      guard value == 1 else { return }
      isInside.open()
      let waited = hasSent.wait(timeout: .now() + 30)
      result.withLock { $0 = waited }
    }
    DispatchQueue.global().async {
      subject.send(1)
      replay.send(1)
    }
    await isInside.wait()
    subject.send(2)
    replay.send(2)
    hasSent.signal()
    await expectEventually("the subscriber returns") { result.value != nil }
    #expect(result.value == .success)
    subscription.cancel()
  }

  @Test func `all subscribers receive the values of several threads in one order`() {
    for _ in 0..<rounds(100, soak: 1000) {
      let subject = PassthroughSubject<Int, Never>()
      let probes = (0..<3).map { _ in Probe<Int, Never>() }
      for probe in probes { subject.subscribe(probe) }
      DispatchQueue.concurrentPerform(iterations: 4) { number in
        for count in 0..<20 { subject.send(number * 20 + count) }
      }
      #expect(Set(probes.map(\.values)).count == 1 && probes[0].values.count == 80)
      #expect(probes.allSatisfy { $0.faults == [] })
    }
  }

  @Test func `a future delivers its result to early and late subscribers`() {
    let promise = Protected<(@Sendable (Result<Int, TestError>) -> Void)?>(nil)
    let future = Future<Int, TestError> { given in
      let given = UncheckedTransfer(value: given)
      promise.withLock { $0 = { given.value($0) } }
    }
    let (early, patient, cancelled) = (
      Probe<Int, TestError>(), Probe<Int, TestError>(demand: .none), Probe<Int, TestError>()
    )
    future.subscribe(early)
    future.subscribe(patient)
    future.subscribe(cancelled)
    cancelled.cancel()
    promise.value?(.success(1))
    promise.value?(.success(2))
    let late = Probe<Int, TestError>()
    future.subscribe(late)
    #expect(early.values == [1] && early.ended == .finished)
    #expect(patient.values == [] && patient.ended == nil)
    patient.request(1)
    #expect(patient.values == [1] && patient.ended == .finished)
    #expect(cancelled.values == [] && cancelled.ended == nil)
    #expect(late.values == [1] && late.ended == .finished)
  }

  /// The fifth article's own program, word for word.
  @Test func `three futures are zipped, whichever comes last`() {
    for last in 0..<3 {
      let promises = Protected<[UncheckedTransfer<(Result<Int, Never>) -> Void>]>([])
      func future() -> Future<Int, Never> {
        Future { given in
          let given = UncheckedTransfer(value: given)
          promises.withLock { $0.append(UncheckedTransfer(value: { given.value($0) })) }
        }
      }
      let probe = Probe<Int, Never>()
      Publishers.Zip3(future(), future(), future()).map { $0 + $1 + $2 }.subscribe(probe)
      for index in [0, 1, 2].filter({ $0 != last }) + [last] {
        promises.value[index].value(.success(1))
      }
      #expect(probe.values == [3] && probe.ended == .finished)
    }
  }

  @Test func `a shared publisher is subscribed to once, until the last subscriber has cancelled`() {
    let subscriptions = Protected(0)
    let source = BareUpstream<Int, Never>()
    let shared = Deferred {
      subscriptions.withLock { $0 += 1 }
      return source
    }.share()
    let probes = (0..<3).map { _ in Probe<Int, Never>() }
    shared.subscribe(probes[0])
    shared.subscribe(probes[1])
    source.send(1)
    #expect(probes[0].values == [1] && probes[1].values == [1] && subscriptions.value == 1)
    probes[0].cancel()
    #expect(source.cancels == 0)
    probes[1].cancel()
    #expect(source.cancels == 1)
    shared.subscribe(probes[2])
    source.send(2)
    #expect(probes[2].values == [2] && subscriptions.value == 2)
    probes[2].cancel()
  }

  @Test func `a multicast publishes once it is connected`() {
    let multicast = (1...3).publisher.makeConnectable()
    let probe = Probe<Int, Never>()
    multicast.subscribe(probe)
    #expect(probe.values == [])
    let connection = multicast.connect()
    #expect(probe.values == [1, 2, 3] && probe.ended == .finished)
    connection.cancel()
  }

  @Test func `publishers of known values need no source`() {
    let probes = (0..<4).map { _ in Probe<Int, TestError>() }
    Result<Int, TestError>.success(1).publisher.subscribe(probes[0])
    Result<Int, TestError>.failure(TestError()).publisher.subscribe(probes[1])
    Optional(2).publisher.setFailureType(to: TestError.self).subscribe(probes[2])
    Record<Int, TestError>(output: [1, 2], completion: .failure(TestError())).subscribe(probes[3])
    #expect(probes.map(\.values) == [[1], [], [2], [1, 2]])
    #expect(probes.map(\.ended) == [.finished, .failed, .finished, .failed])
  }

  @Test func `a subject passes on what a publisher sends to it`() {
    let source = BareUpstream<Int, Never>()
    let subject = PassthroughSubject<Int, Never>()
    let probe = Probe<Int, Never>(demand: .none)
    subject.subscribe(probe)
    let sending = source.subscribe(subject)
    #expect(source.asked == [])
    probe.request(1)
    #expect(source.asked == [.unlimited])
    source.send(1)
    #expect(probe.values == [1])
    sending.cancel()
    #expect(source.cancels == 1)
  }

  @Test func `a property is assigned until the assignment is cancelled`() {
    final class Gauge: Sendable {
      // unsafe: only this test uses it, on one thread.
      nonisolated(unsafe) var level = 0
    }
    let gauge = Gauge()
    let subject = PassthroughSubject<Int, Never>()
    let assignment = subject.assign(to: \.level, on: gauge)
    subject.send(1)
    assignment.cancel()
    subject.send(2)
    #expect(gauge.level == 1)
  }
}

/// An object with published properties.
private final class Model: ObservableObject {
  @Published var title = "a"
  @Published var count = 0
}

/// Properties that publish their changes.
struct PublishedTests {
  @Test func `a property publishes its value and each new one, and its object signals first`() {
    let model = Model()
    let (titles, counts) = (Probe<String, Never>(), Probe<Int, Never>())
    let signals = Protected(0)
    let signalling = model.objectWillChange.sink { _ in signals.withLock { $0 += 1 } }
    model.$title.subscribe(titles)
    model.$count.subscribe(counts)
    model.title = "b"
    model.count += 1
    #expect(titles.values == ["a", "b"] && counts.values == [0, 1] && signals.value == 2)
    #expect(model.title == "b" && model.count == 1)
    [5, 6].publisher.assign(to: &model.$count)
    #expect(model.count == 6 && counts.values == [0, 1, 5, 6])
    signalling.cancel()
  }
}
