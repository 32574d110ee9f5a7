import CombineOperators
import Dispatch
import RepriseTesting
import TestSupport
import Testing

/// The latest values of several publishers, based on the tests of CombineExt and async-algorithms.
struct CombineLatestTests {
  @Test func `each change produces an output once all publishers have a value`() {
    #expect(marbles("a-b-|", "-1-2|") { $0.combineLatest($1, +) } == "-[a1][b1][b2]|")
    #expect(marbles("ab--|", "--12|") { $0.combineLatest($1, +) } == "--[b1][b2]|")
    #expect(
      marbles("a--d|", "-b--|", "--c-|") { $0.combineLatest($1, $2) { $0 + $1 + $2 } }
        == "--[abc][dbc]|")
  }

  @Test func `four publishers of different types are combined`() {
    let (number, text) = (PassthroughSubject<Int, Never>(), PassthroughSubject<String, Never>())
    let (flag, more) = (CurrentValueSubject<Bool, Never>(true), Just(2.5))
    let probe = Probe<String, Never>()
    number.combineLatest(text, flag, more).map { "\($0.0) \($0.1) \($0.2) \($0.3)" }
      .subscribe(probe)
    number.send(1)
    text.send("a")
    flag.send(false)
    #expect(probe.values == ["1 a true 2.5", "1 a false 2.5"])
    number.combineLatest(text, flag, more) { _, _, _, _ in "" }.subscribe(Probe<String, Never>())
  }

  @Test func `combineLatest finishes when all publishers have, even one without a value`() {
    #expect(marbles("a|", "-1-2|") { $0.combineLatest($1, +) } == "-[a1]-[a2]|")
    #expect(marbles("a--|", "-|") { $0.combineLatest($1, +) } == "---|")
    #expect(marbles("|", "-1-2-|") { $0.combineLatest($1, +) } == "-----|")
    #expect(marbles("|", "-1-#") { $0.combineLatest($1, +) } == "---#")
    #expect(marbles("|", "---") { $0.combineLatest($1, +) } == "")
  }

  @Test func `a failure is delivered at once`() {
    #expect(marbles("a--#", "-1-2") { $0.combineLatest($1, +) } == "-[a1]-#")
    #expect(marbles("#", "1") { $0.combineLatest($1, +) } == "#")
  }

  @Test func `after a cancel nothing is delivered`() {
    #expect(marbles("ab", "12", subscriber: "*!") { $0.combineLatest($1, +) } == "[a1]")
  }

  @Test func `changes are coalesced while there is no demand`() {
    let (a, b) = (BareUpstream<Int, TestError>(), BareUpstream<Int, TestError>())
    let probe = Probe<Int, TestError>(demand: .max(1))
    a.combineLatest(b) { $0 * 10 + $1 }.subscribe(probe)
    a.send(1)
    b.send(1)
    for value in 2...5 { a.send(value) }
    #expect(probe.values == [11])
    a.send(completion: .finished)
    b.send(completion: .finished)
    #expect(probe.ended == nil, "the latest values have not been delivered")
    probe.request(1)
    #expect(probe.values == [11, 51] && probe.ended == .finished)
    #expect(a.asked == [.max(1)] && b.asked == [.max(1)])
  }

  @Test func `a failure and a cancel cancel the publishers and release the values`() {
    for fails in [true, false] {
      let living = Protected(0)
      let (a, b) = (BareUpstream<Counted, TestError>(), BareUpstream<Counted, TestError>())
      let probe = Probe<Int, TestError>()
      a.combineLatest(b) { $0.number + $1.number }.subscribe(probe)
      a.send(Counted(1, living))
      b.send(Counted(2, living))
      a.send(Counted(3, living))
      #expect(living.value == 2 && probe.values == [3, 5])
      if fails { a.send(completion: .failure(TestError())) } else { probe.cancel() }
      #expect(living.value == 0 && b.cancels == 1 && a.cancels == (fails ? 0 : 1))
    }
  }

  @Test func `releasing a replaced value may call back into the operator`() {
    let living = Protected(0)
    let (a, b) = (BareUpstream<Counted, TestError>(), BareUpstream<Int, TestError>())
    let probe = Probe<Int, TestError>()
    a.combineLatest(b) { $0.number + $1 }.subscribe(probe)
    a.send(Counted(1, living) { b.send(20) })
    b.send(10)
    a.send(Counted(2, living))
    #expect(probe.values == [11, 12, 22])
    probe.cancel()
  }

  @Test func `values from several threads are combined one at a time`() {
    for _ in 0..<rounds(500, soak: 5000) {
      let (a, b) = (BareUpstream<Int, TestError>(), BareUpstream<Int, TestError>())
      let probe = Probe<[Int], TestError>()
      a.combineLatest(b) { [$0, $1] }.subscribe(probe)
      DispatchQueue.concurrentPerform(iterations: 2) { number in
        let upstream = number == 0 ? a : b
        for value in 0..<20 { upstream.send(value) }
        upstream.send(completion: .finished)
      }
      let isOrdered = (0...1).allSatisfy { side in
        let values = probe.values.map { $0[side] }
        return values == values.sorted()
      }
      #expect(isOrdered && probe.values.last == [19, 19] && probe.ended == .finished)
      #expect(probe.faults == [] && (20...39).contains(probe.values.count))
    }
  }

  @Test func `a chain of values that each send the next one does not recurse`() async {
    let last = Protected(0)
    await onSmallStack {
      let (a, b) = (BareUpstream<Int, TestError>(), Just(0).setFailureType(to: TestError.self))
      let responder = Responder<Int, TestError>(
        started: { $0.request(.unlimited) },
        answer: { value, _ in
          last.withLock { $0 = value }
          if value < 100_000 { a.send(value + 1) }
          return .none
        })
      a.combineLatest(b, +).subscribe(responder)
      a.send(1)
      responder.cancel()
      a.forget()
    }
    #expect(last.value == 100_000)
  }

  @Test func `the latest values of a collection are published in its order`() {
    let subjects = (0..<3).map { _ in PassthroughSubject<Int, TestError>() }
    let probe = Probe<[Int], TestError>()
    subjects.combineLatest().subscribe(probe)
    for (value, subject) in subjects.enumerated() { subject.send(value) }
    subjects[0].send(7)
    subjects[2].send(9)
    #expect(probe.values == [[0, 1, 2], [7, 1, 2], [7, 1, 9]])
    subjects[0].send(completion: .finished)
    subjects[1].send(8)
    #expect(probe.values.last == [7, 8, 9] && probe.ended == nil)
    for subject in subjects { subject.send(completion: .finished) }
    #expect(probe.ended == .finished && probe.faults == [])
    let none = Probe<[Int], TestError>()
    [PassthroughSubject<Int, TestError>]().combineLatest().subscribe(none)
    #expect(none.values == [[]] && none.ended == .finished)
  }

  @Test func `the latest values of many publishers need no deep stack`() {
    let subjects = (0..<10_000).map { CurrentValueSubject<Int, Never>($0) }
    let probe = Probe<[Int], Never>(demand: .max(1))
    subjects.combineLatest().subscribe(probe)
    #expect(probe.values == [Array(0..<10_000)])
    probe.cancel()
  }
}
