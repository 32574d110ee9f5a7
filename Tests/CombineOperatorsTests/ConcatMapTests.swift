import CombineOperators
import Dispatch
import RepriseTesting
import TestSupport
import Testing

/// Concatenation of publishers.
struct ConcatMapTests {
  typealias Inner = AnyPublisher<String, TestError>

  /// Returns the output for publishers that play the diagrams `x` and `y`.
  private func concatenated(
    _ outer: String, x: String = "12|", y: String = "34|", subscriber: String = "*"
  ) -> String {
    marbles(outer, subscriber: subscriber) { time, input in
      // A subject does not wait for demand; a buffer does.
      input.buffer(limit: 9, whenFull: .dropNewest)
        .concatMap { time.cold($0 == "x" ? x : y) }
    }
  }

  @Test func `publishers are concatenated`() {
    #expect(concatenated("x---y---|") == "12--34--|")
    #expect(concatenated("xy|") == "1234|")
    #expect(concatenated("(xyx)|", x: "1-2|", y: "(34|)") == "1-2(341)-2|")
  }

  @Test func `concatMap finishes with the last publisher`() {
    #expect(concatenated("x|", x: "1---2|") == "1---2|")
    #expect(concatenated("xy-----|", x: "|", y: "|") == "-------|")
    #expect(concatenated("|") == "|")
  }

  @Test func `a failure of the outer or inner publisher is delivered at once`() {
    #expect(concatenated("xy|", x: "1#", y: "34|") == "1#")
    #expect(concatenated("x-#", x: "1---2|") == "1-#")
  }

  @Test func `after a cancel nothing is delivered`() {
    #expect(concatenated("xy|", subscriber: "*-!") == "12")
  }

  @Test func `demand is passed on to one publisher after another`() {
    let probe = Probe<Int, Never>(demand: .max(3))
    let asked = Protected<[Int]>([])
    [1, 2, 3].publisher.concatMap { number in
      asked.withLock { $0.append(number) }
      return [number * 10, number * 10 + 1].publisher
    }.subscribe(probe)
    #expect(probe.values == [10, 11, 20] && probe.ended == nil && asked.value == [1, 2])
    probe.request(2)
    #expect(probe.values == [10, 11, 20, 21, 30])
    probe.request(1)
    #expect(probe.values.last == 31 && probe.ended == .finished && probe.faults == [])
  }

  @Test func `nothing is requested before downstream requests something`() {
    let upstream = BareUpstream<Int, TestError>()
    let probe = Probe<Int, TestError>(demand: .none)
    upstream.concatMap { _ in Empty<Int, TestError>(completeImmediately: false) }.subscribe(probe)
    #expect(upstream.asked == [])
    probe.request(1)
    #expect(upstream.asked == [.max(1)])
    upstream.send(1)
    #expect(upstream.asked == [.max(1)], "a publisher is running")
  }

  @Test func `a failure and a cancel cancel both publishers`() {
    for fails in [true, false] {
      let (outer, inner) = (BareUpstream<Int, TestError>(), BareUpstream<Int, TestError>())
      let probe = Probe<Int, TestError>()
      outer.concatMap { _ in inner }.subscribe(probe)
      outer.send(0)
      #expect(inner.asked == [.unlimited])
      if fails { outer.send(completion: .failure(TestError())) } else { probe.cancel() }
      #expect(inner.cancels == 1 && outer.cancels == (fails ? 0 : 1))
      inner.send(1)
      #expect(probe.values == [] && probe.ended == (fails ? .failed : nil))
    }
  }

  @Test func `an endless publisher is read only as far as requested`() {
    let probe = Probe<Int, Never>()
    [1, 2].publisher.concatMap { $0 == 1 ? (0..<2).publisher : (0..<Int.max).publisher }
      .prefix(5).subscribe(probe)
    #expect(probe.values == [0, 1, 0, 1, 2] && probe.ended == .finished)
  }

  @Test func `a sender does not wait for a subscriber that is busy on another thread`() async {
    let inner = BareUpstream<Int, TestError>()
    let (isInside, hasSent) = (Gate(), DispatchSemaphore(value: 0))
    let result = Protected<DispatchTimeoutResult?>(nil)
    let responder = Responder<Int, TestError>(
      started: { $0.request(.unlimited) },
      answer: { value, _ in
        guard value == 1 else { return .none }
        isInside.open()
        let waited = hasSent.wait(timeout: .now() + 30)
        result.withLock { $0 = waited }
        return .none
      })
    Just(0).setFailureType(to: TestError.self).concatMap { _ in inner }.subscribe(responder)
    DispatchQueue.global().async { inner.send(1) }
    await isInside.wait()
    inner.send(2)
    hasSent.signal()
    await expectEventually("the subscriber returns") { result.value != nil }
    #expect(result.value == .success)
    responder.cancel()
  }

  @Test func `100,000 publishers that finish immediately do not recurse`() async {
    let sum = Protected(0)
    await onSmallStack {
      let responder = Responder<Int, Never>(
        started: { $0.request(.max(1)) },
        answer: { value, _ in
          sum.withLock { $0 += value }
          return .max(1)
        })
      (0..<scaled(100_000)).publisher.concatMap { _ in Just(1) }.subscribe(responder)
      (0..<scaled(100_000)).publisher.concatMap { _ in Empty<Int, Never>() }.subscribe(responder)
    }
    #expect(sum.value == scaled(100_000))
  }

  @Test func `publishers that end on other threads, requests and a cancel may race`() async {
    for round in 0..<rounds(300, soak: 5000) {
      let probe = Probe<Int, Never>(demand: .none)
      let publisher = UncheckedTransfer(
        value: (0..<5).publisher.concatMap { number in
          [0, 1].publisher.task(maxPublishers: .max(1)) { number * 2 + $0 }
        })
      await withTaskGroup(of: Void.self) { group in
        group.addTask { publisher.value.subscribe(probe) }
        group.addTask {
          await expectEventually("subscribed") { probe.isSubscribed }
          for _ in 0..<10 { probe.request(1) }
        }
        if round.isMultiple(of: 3) { group.addTask { probe.cancel() } }
      }
      if !round.isMultiple(of: 3) {
        await expectEventually("it ends") { probe.ended == .finished }
        #expect(probe.values == Array(0..<10))
      }
      // One look: a value may still be in flight after the cancel.
      let values = probe.values
      #expect(values == Array(0..<values.count) && probe.faults == [])
    }
  }
}
