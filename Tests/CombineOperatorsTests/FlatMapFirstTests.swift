import CombineOperators
import RepriseTesting
import TestSupport
import Testing

/// Publishers of which the first wins while it runs.
struct FlatMapFirstTests {
  /// Returns the output for publishers that play the diagrams `x` and `y`.
  private func first(
    _ outer: String, x: String = "1-2|", y: String = "3-4|", subscriber: String = "*"
  ) -> String {
    marbles(outer, subscriber: subscriber) { time, input in
      input.flatMapFirst { time.cold($0 == "x" ? x : y) }
    }
  }

  @Test func `a value that arrives while a publisher runs is dropped`() {
    #expect(first("xy----|") == "1-2---|")
    #expect(first("x---y---|") == "1-2-3-4-|")
    #expect(first("(xy)y--y|", y: "3|") == "1-2-3|")
  }

  @Test func `it finishes with the last publisher`() {
    #expect(first("x|") == "1-2|")
    #expect(first("|") == "|")
    #expect(first("x----|", x: "|") == "-----|")
  }

  @Test func `a failure of the outer or inner publisher is delivered at once`() {
    #expect(first("x--y|", x: "1#") == "1#")
    #expect(first("x#", x: "1---2|") == "1#")
  }

  @Test func `after a cancel nothing is delivered`() {
    #expect(first("x----y|", x: "1--2|", subscriber: "*-!") == "1")
  }

  @Test func `dropped values cost no demand, and unmet demand goes to the next publisher`() {
    let outer = BareUpstream<Int, TestError>()
    let inners = [BareUpstream<Int, TestError>(), BareUpstream<Int, TestError>()]
    let probe = Probe<Int, TestError>(demand: .max(3))
    outer.flatMapFirst { inners[$0] }.subscribe(probe)
    #expect(outer.asked == [.unlimited])
    outer.send(0)
    outer.send(1)
    #expect(inners[0].asked == [.max(3)] && inners[1].asked == [])
    inners[0].send(10)
    inners[0].send(completion: .finished)
    outer.send(1)
    #expect(inners[1].asked == [.max(2)])
    inners[1].send(20)
    #expect(probe.values == [10, 20] && probe.faults == [] && probe.ended == nil)
  }

  @Test func `the transform is not called for dropped values`() {
    let calls = Protected<[Int]>([])
    let outer = PassthroughSubject<Int, Never>()
    let inner = PassthroughSubject<Int, Never>()
    let probe = Probe<Int, Never>()
    outer.flatMapFirst { number in
      calls.withLock { $0.append(number) }
      return inner
    }.subscribe(probe)
    for number in 1...1000 { outer.send(number) }
    #expect(calls.value == [1])
    inner.send(7)
    inner.send(completion: .finished)
    outer.send(1001)
    #expect(calls.value == [1, 1001] && probe.values == [7])
  }

  @Test func `starts, ends and a cancel may race on threads`() async {
    for round in 0..<rounds(300, soak: 5000) {
      let outer = UncheckedTransfer(value: PassthroughSubject<Int, Never>())
      let probe = Probe<Int, Never>()
      outer.value.flatMapFirst { number in
        [0, 1].publisher.task(maxPublishers: .max(1)) { number * 2 + $0 }
      }.subscribe(probe)
      await withTaskGroup(of: Void.self) { group in
        for number in 0..<4 { group.addTask { outer.value.send(number) } }
        if round.isMultiple(of: 3) { group.addTask { probe.cancel() } }
      }
      outer.value.send(completion: .finished)
      if !round.isMultiple(of: 3) {
        await expectEventually("finished") { probe.ended == .finished }
        #expect(probe.values.count >= 2 && probe.values.count.isMultiple(of: 2))
      }
      #expect(probe.faults == [])
    }
  }
}
