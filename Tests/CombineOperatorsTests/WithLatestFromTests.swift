import CombineOperators
import Dispatch
import RepriseTesting
import TestSupport
import Testing

/// Sampling of a second publisher, based on the tests of CombineExt.
struct WithLatestFromTests {
  @Test func `each value is combined with the latest sample`() {
    #expect(
      marbles("ab-c-d-e", "--1-2-3") { $0.withLatestFrom($1, transform: +) }
        == "---[c1]-[d2]-[e3]")
  }

  @Test func `the end of the sampled publisher matters only before its first value`() {
    #expect(marbles("-a-b|", "1-|") { $0.withLatestFrom($1, transform: +) } == "-[a1]-[b1]|")
    #expect(marbles("-a-b|", "--|") { $0.withLatestFrom($1, transform: +) } == "--|")
  }

  @Test func `a failure of either publisher is delivered at once`() {
    #expect(marbles("-a-b|", "1-#") { $0.withLatestFrom($1, transform: +) } == "-[a1]#")
    #expect(marbles("-a-#", "1") { $0.withLatestFrom($1, transform: +) } == "-[a1]-#")
    #expect(marbles("-a-#", "----") { $0.withLatestFrom($1, transform: +) } == "---#")
  }

  @Test func `withLatestFrom finishes with its upstream`() {
    #expect(marbles("--|", "1---2") { $0.withLatestFrom($1, transform: +) } == "--|")
    #expect(marbles("|", "---") { $0.withLatestFrom($1, transform: +) } == "|")
  }

  @Test func `after a cancel nothing is delivered`() {
    #expect(
      marbles("-abc", "1", subscriber: "*-!") { $0.withLatestFrom($1, transform: +) } == "-[a1]")
  }

  @Test func `values before the first sample are dropped and do not consume demand`() {
    #expect(
      marbles("abcdef", "--1-2-", subscriber: "2") { $0.withLatestFrom($1, transform: +) }
        == "---[d1][e1]")
  }

  /// `withLatestFrom` of CombineExt behaves alike: it subscribes to upstream after the first
  /// sample.
  @Test func `a publisher that waits for demand waits for the first sample`() {
    let samples = PassthroughSubject<String, Never>()
    let (one, many) = (Probe<String, Never>(), Probe<String, Never>(demand: .max(1)))
    Just("1").withLatestFrom(samples, transform: +).subscribe(one)
    ["1", "2"].publisher.withLatestFrom(samples, transform: +).subscribe(many)
    #expect(one.values == [] && one.ended == nil)
    samples.send("a")
    #expect(one.values == ["1a"] && one.ended == .finished && many.values == ["1a"])
    samples.send("b")
    many.request(1)
    #expect(many.values == ["1a", "2b"] && many.ended == .finished)
  }

  @Test func `upstream gets the demand of downstream after the first sample`() {
    let (upstream, other) = (BareUpstream<Int, TestError>(), BareUpstream<Int, TestError>())
    let probe = Probe<Int, TestError>(demand: .max(2))
    upstream.withLatestFrom(other, transform: +).subscribe(probe)
    probe.request(1)
    #expect(upstream.asked == [] && other.asked == [.unlimited])
    other.send(1)
    other.send(2)
    #expect(upstream.asked == [.max(3)])
    probe.request(4)
    #expect(upstream.asked == [.max(3), .max(4)])
  }

  @Test func `values without demand wait`() {
    let upstream = BareUpstream<Int, TestError>()
    let probe = Probe<Int, TestError>(demand: .max(1))
    upstream.withLatestFrom(Just(10).setFailureType(to: TestError.self), transform: +).subscribe(
      probe)
    for value in 1...2 { upstream.send(value) }
    upstream.send(completion: .finished)
    #expect(probe.values == [11] && probe.ended == nil)
    probe.request(1)
    #expect(probe.values == [11, 12] && probe.ended == .finished)
  }

  @Test func `the end, a failure and a cancel cancel the sampled publisher and release its value`()
  {
    for way in ["end", "failure", "cancel"] {
      let living = Protected(0)
      let upstream = BareUpstream<Int, TestError>()
      let other = BareUpstream<Counted, TestError>()
      let probe = Probe<Int, TestError>()
      upstream.withLatestFrom(other) { $0 + $1.number }.subscribe(probe)
      for number in 1...2 { other.send(Counted(number, living)) }
      #expect(living.value == 1)
      switch way {
      case "end": upstream.send(completion: .finished)
      case "failure": upstream.send(completion: .failure(TestError()))
      default: probe.cancel()
      }
      #expect(living.value == 0 && other.cancels == 1, "\(way)")
    }
  }

  @Test func `neither publisher is retained after a cancel`() {
    weak var first: PassthroughSubject<Int, Never>?
    weak var second: PassthroughSubject<Int, Never>?
    do {
      let (a, b) = (PassthroughSubject<Int, Never>(), PassthroughSubject<Int, Never>())
      (first, second) = (a, b)
      let subscription = a.withLatestFrom(b, transform: +).sink { _ in }
      b.send(1)
      a.send(2)
      subscription.cancel()
    }
    #expect(first == nil && second == nil)
  }

  @Test func `samples, values and the end may come from several threads`() {
    for _ in 0..<rounds(500, soak: 5000) {
      let (upstream, other) = (BareUpstream<Int, TestError>(), BareUpstream<Int, TestError>())
      let probe = Probe<[Int], TestError>()
      upstream.withLatestFrom(other) { [$0, $1] }.subscribe(probe)
      other.send(0)
      DispatchQueue.concurrentPerform(iterations: 2) { number in
        for value in 1...20 { (number == 0 ? upstream : other).send(value) }
        if number == 0 { upstream.send(completion: .finished) }
      }
      #expect(probe.values.map { $0[0] } == Array(1...20) && probe.ended == .finished)
      #expect(probe.values.map { $0[1] } == probe.values.map { $0[1] }.sorted())
      #expect(probe.faults == [])
    }
  }

  @Test func `one, two or three other publishers are sampled`() {
    let (one, two, three) = (
      CurrentValueSubject<Int, Never>(1), CurrentValueSubject<Int, Never>(2),
      CurrentValueSubject<Int, Never>(3)
    )
    let clicks = PassthroughSubject<String, Never>()
    let seen = Protected<[String]>([])
    @Sendable func see(_ text: String) { seen.withLock { $0.append(text) } }
    let subscriptions = [
      clicks.withLatestFrom(one).sink { see("\($0)") },
      clicks.withLatestFrom(one, two).sink { see("\($0.0)\($0.1)") },
      clicks.withLatestFrom(one, two, three).sink { see("\($0.0)\($0.1)\($0.2)") },
      clicks.withLatestFrom(one, two) { "\($0)\($1.0)\($1.1)" }.sink { see($0) },
      clicks.withLatestFrom(one, two, three) { "\($0)\($1.0)\($1.1)\($1.2)" }.sink { see($0) },
    ]
    clicks.send("a")
    #expect(seen.value.sorted() == ["1", "12", "123", "a12", "a123"])
    three.send(4)
    clicks.send("b")
    #expect(seen.value.suffix(5).sorted() == ["1", "12", "124", "b12", "b124"])
    for subscription in subscriptions { subscription.cancel() }
  }
}
