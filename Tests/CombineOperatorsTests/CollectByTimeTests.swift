import CombineOperators
import RepriseTesting
import TestSupport
import Testing

/// Lists of the values of each interval.
struct CollectByTimeTests {
  /// Returns the output for intervals of three ticks; a list is its values, joined.
  private func collected(
    _ input: String, upTo count: Int? = nil, subscriber: String = "*"
  ) -> String {
    marbles(input, subscriber: subscriber) { time, input in
      let lists =
        if let count {
          input.collect(.byTimeOrCount(time, .seconds(3), count)).eraseToAnyPublisher()
        } else {
          input.collect(.byTime(time, .seconds(3))).eraseToAnyPublisher()
        }
      return lists.map { $0.joined() }
    }
  }

  @Test func `the values of an interval are one list`() {
    #expect(collected("ab-c--de----|") == "---[ab]--c--[de]--|")
  }

  @Test func `an interval without values publishes nothing`() {
    #expect(collected("a---------|") == "---a------|")
  }

  @Test func `what is left comes before the end, at once`() {
    #expect(collected("ab|") == "--([ab]|)")
    #expect(collected("|") == "|")
  }

  @Test func `a failure discards what is left`() {
    #expect(collected("ab#") == "--#")
  }

  @Test func `a full list does not wait for the interval`() {
    #expect(collected("abcd--e|", upTo: 2) == "-[ab]-c--d(e|)")
    #expect(collected("(abcde)|", upTo: 2) == "([ab][cd])(e|)")
  }

  @Test func `without demand values are collected further`() {
    #expect(collected("abcde---f----", subscriber: "------1----1") == "------[abcde]----f")
  }

  @Test func `after a cancel nothing is delivered, and the timer is cancelled`() {
    #expect(collected("abcdefghi|", subscriber: "*---!") == "---[abc]")
  }

  @Test func `values and intervals may race on threads`() async {
    for _ in 0..<rounds(100, soak: 2000) {
      let subject = UncheckedTransfer(value: PassthroughSubject<Int, Never>())
      let probe = Probe<[Int], Never>()
      subject.value.collect(.byTime(QueueScheduler(), .microseconds(200))).subscribe(probe)
      await withTaskGroup(of: Void.self) { group in
        for thread in 0..<4 {
          group.addTask {
            for number in 0..<100 { subject.value.send(thread * 100 + number) }
          }
        }
      }
      subject.value.send(completion: .finished)
      await expectEventually("finished") { probe.ended == .finished }
      #expect(probe.values.flatMap(\.self).sorted() == Array(0..<400))
      #expect(probe.faults == [])
    }
  }
}
