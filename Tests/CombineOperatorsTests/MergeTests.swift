import CombineOperators
import Dispatch
import RepriseTesting
import TestSupport
import Testing

/// The merge of two or many publishers, based on the tests of CombineExt and async-algorithms.
struct MergeTests {
  typealias Subject = PassthroughSubject<Int, TestError>

  @Test func `values are merged as they arrive`() {
    #expect(marbles("a-b-|", "-1-2|") { $0.merge(with: $1) } == "a1b2|")
    #expect(marbles("(ab)|", "-(12)-|") { $0.merge(with: $1) } == "(ab)(12)-|")
    #expect(marbles("a--|", "-1-|", "--x|") { [$0, $1, $2].merge() } == "a1x|")
    #expect(marbles("ab|", "1-2|") { $0.map { $0 }.merge(with: $1) } == "(a1)b2|")
  }

  @Test func `a merge finishes with the last publisher`() {
    #expect(marbles("a|", "---1|") { $0.merge(with: $1) } == "a--1|")
    #expect(marbles("|", "|") { $0.merge(with: $1) } == "|")
    #expect(marbles("a|") { _, a in [a].merge() } == "a|")
    #expect(marbles("a-") { _, a in [a, a].prefix(0).merge() } == "|")
  }

  @Test func `a failure is delivered at once`() {
    #expect(marbles("a-#", "-1-2") { $0.merge(with: $1) } == "a1#")
    #expect(marbles("a-#", "-1-2", subscriber: "1") { $0.merge(with: $1) } == "a-#")
  }

  @Test func `after a cancel nothing is delivered`() {
    #expect(marbles("abc|", "123|", subscriber: "*-!") { $0.merge(with: $1) } == "(a1)(b2)")
  }

  @Test func `each publisher is asked for one value more than it has delivered`() {
    let upstreams = (0..<3).map { _ in BareUpstream<Int, TestError>() }
    let probe = Probe<Int, TestError>(demand: .none)
    upstreams.merge().subscribe(probe)
    #expect(upstreams.allSatisfy { $0.asked == [] })
    probe.request(2)
    #expect(upstreams.allSatisfy { $0.asked == [.max(1)] })
    for (number, upstream) in upstreams.enumerated() { upstream.send(number) }
    #expect(probe.values == [0, 1] && upstreams.map(\.asked.count) == [2, 2, 1])
    probe.request(1)
    #expect(probe.values == [0, 1, 2] && upstreams.map(\.asked.count) == [2, 2, 2])
  }

  @Test func `unlimited demand is passed on`() {
    let upstreams = (0..<2).map { _ in BareUpstream<Int, TestError>() }
    let probe = Probe<Int, TestError>()
    upstreams.merge().subscribe(probe)
    for _ in 0..<10 { upstreams[0].send(1) }
    #expect(upstreams.allSatisfy { $0.asked == [.unlimited] } && probe.values.count == 10)
  }

  @Test func `sequences are merged value by value when the demand is limited`() {
    let probe = Probe<Int, Never>(demand: .none)
    [[1, 2, 3].publisher, [4, 5, 6].publisher].merge().subscribe(probe)
    for count in 1...6 {
      probe.request(1)
      #expect(probe.values.count == count)
    }
    #expect(probe.values == [1, 2, 4, 3, 5, 6] && probe.ended == .finished)
  }

  @Test func `a failure and a cancel cancel the publishers`() {
    for fails in [true, false] {
      let upstreams = (0..<3).map { _ in BareUpstream<Int, TestError>() }
      let probe = Probe<Int, TestError>()
      upstreams.merge().subscribe(probe)
      if fails { upstreams[0].send(completion: .failure(TestError())) } else { probe.cancel() }
      #expect(upstreams.map(\.cancels) == (fails ? [0, 1, 1] : [1, 1, 1]))
      upstreams[1].send(1)
      #expect(probe.values == [] && probe.ended == (fails ? .failed : nil))
    }
  }

  @Test func `a merge that has ended does not subscribe to the rest`() {
    let second = Protected(0)
    let probe = Probe<Int, TestError>()
    let counted = Deferred {
      second.withLock { $0 += 1 }
      return Empty<Int, TestError>()
    }
    [Fail(error: TestError()).eraseToAnyPublisher(), counted.eraseToAnyPublisher()].merge()
      .subscribe(probe)
    #expect(probe.ended == .failed && second.value == 0)
  }

  /// An operator that holds a lock while it calls out would make a sender wait for the
  /// subscriber here.
  @Test func `a sender does not wait for a subscriber that is busy on another thread`() async {
    let (first, second) = (BareUpstream<Int, TestError>(), BareUpstream<Int, TestError>())
    let (isInside, secondHasSent) = (Gate(), DispatchSemaphore(value: 0))
    let result = Protected<DispatchTimeoutResult?>(nil)
    let responder = Responder<Int, TestError>(
      started: { $0.request(.unlimited) },
      answer: { value, _ in
        guard value == 1 else { return .none }
        isInside.open()
        let waited = secondHasSent.wait(timeout: .now() + 30)
        result.withLock { $0 = waited }
        return .none
      })
    first.merge(with: second).subscribe(responder)
    DispatchQueue.global().async { first.send(1) }
    await isInside.wait()
    second.send(2)
    secondHasSent.signal()
    await expectEventually("the subscriber returns") { result.value != nil }
    #expect(result.value == .success)
    responder.cancel()
  }

  @Test func `values from many threads are delivered one at a time, in the order of each sender`() {
    for _ in 0..<rounds(500, soak: 5000) {
      let upstreams = (0..<4).map { _ in BareUpstream<Int, TestError>() }
      let probe = Probe<Int, TestError>()
      upstreams.merge().subscribe(probe)
      DispatchQueue.concurrentPerform(iterations: 4) { number in
        for count in 0..<10 { upstreams[number].send(number * 10 + count) }
        upstreams[number].send(completion: .finished)
      }
      let isOrdered = (0..<4).allSatisfy { number in
        probe.values.filter { $0 / 10 == number }.elementsEqual(number * 10..<(number + 1) * 10)
      }
      #expect(isOrdered && probe.values.count == 40 && probe.ended == .finished)
      #expect(probe.faults == [])
    }
  }

  @Test func `100,000 publishers or values are merged without recursion`() async {
    let sum = Protected(0)
    await onSmallStack {
      let count = Responder<Int, Never>(
        started: { $0.request(.max(1)) },
        answer: { value, _ in
          sum.withLock { $0 += value }
          return .max(1)
        })
      (0..<scaled(100_000)).map { _ in Just(1) }.merge().subscribe(count)
      let ones = (0..<scaled(100_000)).publisher.map { _ in 1 }
      [ones, ones].merge().subscribe(count)
    }
    #expect(sum.value == 3 * scaled(100_000))
  }

  @Test func `three to eight publishers of different types are merged`() {
    let subject = PassthroughSubject<Int, Never>()
    let probes = (3...8).map { _ in Probe<Int, Never>() }
    let (b, c, d) = (Just(2), subject.map { $0 * 10 }, [3].publisher)
    subject.merge(with: b, c).subscribe(probes[0])
    subject.merge(with: b, c, d).subscribe(probes[1])
    subject.merge(with: b, c, d, b).subscribe(probes[2])
    subject.merge(with: b, c, d, b, d).subscribe(probes[3])
    subject.merge(with: b, c, d, b, d, c).subscribe(probes[4])
    subject.merge(with: b, c, d, b, d, c, Empty<Int, Never>()).subscribe(probes[5])
    subject.send(1)
    #expect(probes[0].values.sorted() == [1, 2, 10])
    #expect(probes[1].values.sorted() == [1, 2, 3, 10])
    #expect(probes[2].values.sorted() == [1, 2, 2, 3, 10])
    #expect(probes[3].values.sorted() == [1, 2, 2, 3, 3, 10])
    #expect(probes[4].values.sorted() == [1, 2, 2, 3, 3, 10, 10])
    #expect(probes[5].values.sorted() == [1, 2, 2, 3, 3, 10, 10])
    #expect(probes.allSatisfy { $0.ended == nil })
    subject.send(completion: .finished)
    #expect(probes.allSatisfy { $0.ended == .finished && $0.faults == [] })
  }
}
