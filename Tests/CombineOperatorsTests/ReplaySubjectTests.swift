import CombineOperators
import TestSupport
import Testing

/// A subject that replays its last values.
struct ReplaySubjectTests {
  @Test func `a late subscriber gets the last values first`() {
    let subject = ReplaySubject<Int, Never>(replay: 2)
    for number in 1...3 { subject.send(number) }
    let probe = Probe<Int, Never>()
    subject.subscribe(probe)
    #expect(probe.values == [2, 3])
    subject.send(4)
    #expect(probe.values == [2, 3, 4] && probe.ended == nil && probe.faults == [])
  }

  @Test func `values are kept while there is no subscriber`() {
    let subject = ReplaySubject<Int, Never>(replay: 1)
    let first = Probe<Int, Never>()
    subject.subscribe(first)
    first.cancel()
    subject.send(1)
    let second = Probe<Int, Never>()
    subject.subscribe(second)
    #expect(first.values == [] && second.values == [1])
  }

  @Test func `after the end, subscribers get the last values and the end`() {
    let subject = ReplaySubject<Int, TestError>(replay: 1)
    subject.send(1)
    subject.send(2)
    subject.send(completion: .failure(TestError()))
    subject.send(3)
    let probe = Probe<Int, TestError>()
    subject.subscribe(probe)
    #expect(probe.values == [2] && probe.ended == .failed)
  }

  @Test func `each subscriber has its own demand`() {
    let subject = ReplaySubject<Int, Never>(replay: 3)
    let (slow, fast) = (Probe<Int, Never>(demand: .max(1)), Probe<Int, Never>())
    subject.subscribe(slow)
    subject.subscribe(fast)
    for number in 1...4 { subject.send(number) }
    #expect(slow.values == [1] && fast.values == [1, 2, 3, 4])
    slow.request(2)
    #expect(slow.values == [1, 2, 3])
  }

  @Test func `values of many threads reach all subscribers in one order`() async {
    let subject = ReplaySubject<Int, Never>(replay: 0)
    let probes = [Probe<Int, Never>(), Probe<Int, Never>()]
    for probe in probes { subject.subscribe(probe) }
    await withTaskGroup(of: Void.self) { group in
      for thread in 0..<4 {
        group.addTask { for number in 0..<250 { subject.send(thread * 1000 + number) } }
      }
    }
    await expectEventually("all values") { probes.allSatisfy { $0.values.count == 1000 } }
    #expect(probes[0].values == probes[1].values && probes.allSatisfy { $0.faults == [] })
  }
}
