import CombineOperators
import TestSupport
import Testing

struct ZipTests {
  typealias Subject = PassthroughSubject<Int, TestError>

  @Test func `values are combined position by position`() {
    let (a, b) = (Subject(), Subject())
    let probe = Probe<[Int], TestError>()
    [a, b].zip().subscribe(probe)
    a.send(1)
    a.send(2)
    #expect(probe.values == [])
    b.send(10)
    b.send(20)
    #expect(probe.values == [[1, 10], [2, 20]])
  }

  @Test func `zipping no publishers gives one empty output, on demand`() {
    let probe = Probe<[Int], TestError>(demand: .none)
    [Subject]().zip().subscribe(probe)
    #expect(probe.values == [] && probe.ended == nil)
    probe.request(1)
    #expect(probe.values == [[]] && probe.ended == .finished)
  }

  @Test func `no more is delivered than was requested`() {
    let (a, b) = ([1, 2, 3].publisher, [4, 5, 6].publisher)
    let probe = Probe<[Int], Never>(demand: .max(1))
    [a, b].zip().subscribe(probe)
    #expect(probe.values == [[1, 4]] && probe.ended == nil)
    probe.request(1)
    #expect(probe.values == [[1, 4], [2, 5]] && probe.ended == nil)
    probe.request(1)
    #expect(probe.values.count == 3 && probe.ended == .finished)
  }

  @Test func `zip finishes when a finished publisher has no value left`() {
    let (a, b) = (Subject(), Subject())
    let probe = Probe<[Int], TestError>()
    [a, b].zip().subscribe(probe)
    a.send(1)
    a.send(completion: .finished)
    #expect(probe.ended == nil)
    b.send(2)
    #expect(probe.values == [[1, 2]] && probe.ended == .finished)
    b.send(3)
    #expect(probe.faults == [])
  }

  @Test func `a failure is delivered at once and cancels the others`() {
    let (a, b) = (Subject(), Subject())
    let isCancelled = Protected(false)
    let probe = Probe<[Int], TestError>()
    let watched = b.handleEvents(receiveCancel: { isCancelled.withLock { $0 = true } })
    [a.eraseToAnyPublisher(), watched.eraseToAnyPublisher()].zip().subscribe(probe)
    b.send(1)
    a.send(completion: .failure(TestError()))
    #expect(probe.ended == .failed && isCancelled.value)
  }

  @Test func `after a cancel nothing is delivered`() {
    let (a, b) = (Subject(), Subject())
    let probe = Probe<[Int], TestError>()
    [a, b].zip().subscribe(probe)
    a.send(1)
    probe.cancel()
    b.send(2)
    a.send(completion: .finished)
    #expect(probe.values == [] && probe.ended == nil)
  }
}
