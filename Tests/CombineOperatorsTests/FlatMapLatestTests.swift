import CombineOperators
import RepriseTesting
import TestSupport
import Testing

/// Publishers of which the newest wins, based on the tests of CombineExt.
struct FlatMapLatestTests {
  /// Returns the output for publishers that play the diagrams `x` and `y`.
  private func latest(
    _ outer: String, x: String = "1-2|", y: String = "3-4|", subscriber: String = "*"
  ) -> String {
    marbles(outer, subscriber: subscriber) { time, input in
      input.flatMapLatest { time.cold($0 == "x" ? x : y) }
    }
  }

  @Test func `a value cancels the publisher of the one before`() {
    #expect(latest("x-y----|", x: "1-2-5-6|") == "1-3-4--|")
    #expect(latest("x---y---|") == "1-2-3-4-|")
    #expect(latest("(xy)----|") == "3-4--|")
  }

  @Test func `it finishes with the newest publisher`() {
    #expect(latest("x|") == "1-2|")
    #expect(latest("|") == "|")
    #expect(latest("x----|", x: "|") == "-----|")
  }

  @Test func `a failure of the outer or inner publisher is delivered at once`() {
    #expect(latest("x--y|", x: "1#") == "1#")
    #expect(latest("x#", x: "1---2|") == "1#")
  }

  @Test func `a failure of a publisher that is no longer the newest is nothing`() {
    #expect(latest("xy---|", x: "1-#") == "13-4-|")
  }

  @Test func `after a cancel nothing is delivered`() {
    #expect(latest("x----y|", x: "1--2|", subscriber: "*-!") == "1")
  }

  @Test func `the publisher before is cancelled, and its demand goes to the newest`() {
    let outer = BareUpstream<Int, TestError>()
    let inners = [BareUpstream<Int, TestError>(), BareUpstream<Int, TestError>()]
    let probe = Probe<Int, TestError>(demand: .max(3))
    outer.flatMapLatest { inners[$0] }.subscribe(probe)
    #expect(outer.asked == [.unlimited])
    outer.send(0)
    inners[0].send(10)
    outer.send(1)
    #expect(inners[0].cancels == 1 && inners[1].asked == [.max(2)])
    inners[0].send(11)
    inners[1].send(20)
    #expect(probe.values == [10, 20] && probe.faults == [] && probe.ended == nil)
  }

  @Test func `one of the publishers may be unable to fail`() {
    let failing = Fail<Int, TestError>(error: TestError())
    let probe = Probe<Int, TestError>()
    failing.flatMapLatest { Just($0) }.subscribe(probe)
    failing.flatMapFirst { Just($0) }.subscribe(Probe())
    failing.concatMap { Just($0) }.subscribe(Probe())
    #expect(probe.ended == .failed)
    let inner = Probe<Int, TestError>()
    Just(1).concatMap { _ in failing }.subscribe(inner)
    Just(1).flatMapFirst { _ in failing }.subscribe(Probe())
    Just(1).flatMapLatest { _ in failing }.subscribe(Probe())
    #expect(inner.ended == .failed)
    let neither = Probe<Int, Never>()
    Just(1).concatMap { Just($0) }.flatMapFirst { Just($0) }.flatMapLatest { Just($0) }
      .subscribe(neither)
    #expect(neither.values == [1] && neither.ended == .finished)
  }
}
