import CombineOperators
import TestSupport
import Testing

/// The cases of the articles that inspired the design, with their intended behavior.
struct SeedTests {
  @Test func `events in bursts are handled one by one, and the oldest surplus events are dropped`()
    async
  {
    let subject = PassthroughSubject<Int, Never>()
    let gate = Gate()
    let handled = Protected<[Int]>([])
    let inside = Protected((now: 0, most: 0))
    let subscription =
      subject
      // Not `.keepFull`, as in the article: with it, the buffer requests only as many values as fit
      // from the subject, and the subject itself drops the newest ones.
      .buffer(size: 10, prefetch: .byRequest, whenFull: .dropOldest)
      .task(maxPublishers: .max(1)) { value in
        inside.withLock { inside in
          inside.now += 1
          inside.most = max(inside.most, inside.now)
        }
        await gate.wait()
        handled.withLock { $0.append(value) }
        inside.withLock { $0.now -= 1 }
      }.sink { _ in }
    for value in 0..<30 { subject.send(value) }
    gate.open()
    await expectEventually("the last one is handled") { handled.value.last == 29 }
    #expect(handled.value == handled.value.sorted() && handled.value.count <= 12)
    #expect(inside.value.most == 1)
    subscription.cancel()
  }

  @Test func `a one-by-one sink requests the next value when it has handled one`() async {
    let handled = Protected<[Int]>([])
    let isOver = Gate()
    let subscription = (0..<50).publisher.sinkOneByOne(
      receiveCompletion: { isOver.open() },
      receiveValue: { value in
        await Task.yield()
        handled.withLock { $0.append(value) }
      })
    await isOver.wait()
    #expect(handled.value == Array(0..<50))
    subscription.cancel()
  }

  @Test func `a buffered sequence loses no value of a subject`() async {
    let subject = PassthroughSubject<Int, Never>()
    let sequence = subject.sequence()
    for value in 0..<100 { subject.send(value) }
    subject.send(completion: .finished)
    var values: [Int] = []
    for await value in sequence { values.append(value) }
    #expect(values == Array(0..<100))
  }

  @Test func `a future wraps a function that may throw`() async {
    let good = Probe<Int, any Error>()
    Future<Int, any Error> { 42 }.subscribe(good)
    let bad = Probe<Int, any Error>()
    Future<Int, any Error> { throw TestError() }.subscribe(bad)
    await expectEventually("both end") { good.ended != nil && bad.ended != nil }
    #expect(good.values == [42] && good.ended == .finished && bad.ended == .failed)
  }

  private func numbers(_ count: Int, failing: Bool = false) -> AsyncThrowingStream<Int, any Error> {
    AsyncThrowingStream { continuation in
      for value in 0..<count { continuation.yield(value) }
      continuation.finish(throwing: failing ? TestError() : nil)
    }
  }

  @Test func `an asynchronous sequence is read only as far as requested`() async {
    let probe = Probe<Int, any Error>(demand: .max(2))
    numbers(5).publisher.subscribe(probe)
    await expectEventually("two values arrive") { probe.values == [0, 1] }
    probe.request(9)
    await expectEventually("it ends") { probe.ended == .finished }
    #expect(probe.values == [0, 1, 2, 3, 4] && probe.faults == [])
    let failing = Probe<Int, any Error>()
    numbers(2, failing: true).publisher.subscribe(failing)
    await expectEventually("it fails") { failing.ended == .failed }
  }

  @Test func `a publisher of a sequence stops reading when it is cancelled`() async {
    let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
    let isOver = Gate()
    continuation.onTermination = { _ in isOver.open() }
    let probe = Probe<Int, any Error>()
    stream.publisher.subscribe(probe)
    continuation.yield(1)
    await expectEventually("one value arrives") { probe.values == [1] }
    probe.cancel()
    await isOver.wait()
    #expect(probe.ended == nil)
  }

  @Test func `a subject emits the elements of a sequence`() async {
    let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
    let subject = PassthroughSubject<Int, any Error>.emittingValues(from: stream)
    let probe = Probe<Int, any Error>()
    subject.subscribe(probe)
    for value in 0..<3 { continuation.yield(value) }
    continuation.finish()
    await expectEventually("it ends") { probe.ended == .finished }
    #expect(probe.values == [0, 1, 2])
  }

  @Test func `the latest value of a second stream is sampled`() {
    let (first, second) = (PassthroughSubject<Int, Never>(), PassthroughSubject<String, Never>())
    let probe = Probe<String, Never>()
    first.withLatestFrom(second) { "\($0)\($1)" }.subscribe(probe)
    first.send(0)
    for text in ["2", "3"] { second.send(text) }
    first.send(1)
    second.send("4")
    first.send(5)
    first.send(6)
    for text in ["7", "8"] { second.send(text) }
    first.send(9)
    #expect(probe.values == ["13", "54", "64", "98"])
    second.send(completion: .finished)
    first.send(1)
    #expect(probe.values.last == "18" && probe.ended == nil)
    first.send(completion: .finished)
    #expect(probe.ended == .finished)
  }

  @Test func `sampling respects the demand, and dropped values do not consume it`() {
    let second = CurrentValueSubject<Int, Never>(100)
    let probe = Probe<Int, Never>(demand: .max(2))
    (1...5).publisher.withLatestFrom(second, transform: +).subscribe(probe)
    #expect(probe.values == [101, 102])
    probe.cancel()
    probe.request(1)
    #expect(probe.values == [101, 102])
    let empty = PassthroughSubject<Int, Never>()
    let first = PassthroughSubject<Int, Never>()
    let patient = Probe<Int, Never>(demand: .max(1))
    first.withLatestFrom(empty, transform: +).subscribe(patient)
    first.send(1)
    first.send(2)
    empty.send(10)
    first.send(3)
    first.send(4)
    #expect(patient.values == [13])
  }

  @Test func `callers with the same key share one request, which is then removed`() async {
    let requests = Protected(0)
    let gate = Gate()
    let loads = SharedPublishers<String, String, Never>()
    func load(_ key: String) -> SharedPublisher<String, Never> {
      loads.publisher(for: key) {
        Just(key).task { key in
          requests.withLock { $0 += 1 }
          await gate.wait()
          return "article \(key)"
        }
      }
    }
    let probes = (0..<3).map { _ in Probe<String, Never>() }
    load("a").subscribe(probes[0])
    load("a").subscribe(probes[1])
    load("b").subscribe(probes[2])
    #expect(loads.count == 2)
    gate.open()
    await expectEventually("all end") { probes.allSatisfy { $0.ended == .finished } }
    #expect(probes.map(\.values) == [["article a"], ["article a"], ["article b"]])
    #expect(requests.value == 2)
    await expectEventually("the publishers are removed") { loads.count == 0 }
    let again = Probe<String, Never>()
    load("a").subscribe(again)
    await expectEventually("it is loaded again") { again.ended == .finished && requests.value == 3 }
  }

  @Test func `callers from many threads share one execution`() async {
    for _ in 0..<scaled(300) {
      let executions = Protected(0)
      let gate = Gate()
      let loads = SharedPublishers<Int, Int, Never>()
      let probes = (0..<8).map { _ in Probe<Int, Never>() }
      await withTaskGroup(of: Void.self) { group in
        for probe in probes {
          group.addTask {
            loads.publisher(for: 1) {
              Just(1).task { value in
                executions.withLock { $0 += 1 }
                await gate.wait()
                return value
              }
            }.subscribe(probe)
          }
        }
      }
      gate.open()
      await expectEventually("all end") { probes.allSatisfy { $0.ended == .finished } }
      #expect(executions.value == 1 && probes.allSatisfy { $0.values == [1] })
    }
  }

  @Test func `publishers are merged and concatenated`() {
    let subjects = (0..<3).map { _ in PassthroughSubject<Int, Never>() }
    let merged = Probe<Int, Never>()
    subjects.merge().subscribe(merged)
    for (value, subject) in subjects.enumerated() { subject.send(value) }
    for subject in subjects { subject.send(completion: .finished) }
    #expect(merged.values == [0, 1, 2] && merged.ended == .finished)
    let concatenated = Probe<Int, Never>(demand: .max(3))
    [1, 2].publisher.concatMap { [$0 * 10, $0 * 10 + 1].publisher }.subscribe(concatenated)
    #expect(concatenated.values == [10, 11, 20] && concatenated.ended == nil)
    concatenated.request(2)
    #expect(concatenated.values == [10, 11, 20, 21] && concatenated.ended == .finished)
  }

  @Test func `the coordinator runs step 1, then three at once, then 3, then 4`() async {
    let log = Protected<[String]>([])
    func step(_ name: String, after needs: [SharedPublisher<String, Never>]) -> SharedPublisher<
      String, Never
    > {
      needs.zip().task { _ in
        log.withLock { $0.append("+\(name)") }
        await Task.yield()
        log.withLock { $0.append("-\(name)") }
        return name
      }.share(replay: 1)
    }
    let first = step("1", after: [])
    let second = (1...3).map { step("2\($0)", after: [first]) }
    let third = step("3", after: second)
    let probe = Probe<String, Never>()
    step("4", after: [third]).subscribe(probe)
    await expectEventually("it ends") { probe.ended == .finished }
    let order = log.value
    #expect(order.prefix(2) == ["+1", "-1"] && order.suffix(4) == ["+3", "-3", "+4", "-4"])
    #expect(Set(order.dropFirst(2).prefix(6)) == ["+21", "-21", "+22", "-22", "+23", "-23"])
  }
}
