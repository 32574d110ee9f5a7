import CombineOperators
import Dispatch
import TestSupport
import Testing

struct ZipTests {
  typealias Subject = PassthroughSubject<Int, Mishap>
  typealias Promise = Future<Int, Never>.Promise

  @Test func `values are combined position by position`() {
    let (a, b) = (Subject(), Subject())
    let probe = Probe<[Int], Mishap>()
    [a, b].zip().subscribe(probe)
    a.send(1)
    a.send(2)
    #expect(probe.values == [])
    b.send(10)
    b.send(20)
    #expect(probe.values == [[1, 10], [2, 20]])
  }

  @Test func `of nothing there is one empty output, when it is asked for`() {
    let probe = Probe<[Int], Mishap>(demand: .none)
    [Subject]().zip().subscribe(probe)
    #expect(probe.values == [] && probe.ended == nil)
    probe.request(1)
    #expect(probe.values == [[]] && probe.ended == .finished)
  }

  @Test func `no more comes than was asked for`() {
    let (a, b) = ([1, 2, 3].publisher, [4, 5, 6].publisher)
    let probe = Probe<[Int], Never>(demand: .max(1))
    [a, b].zip().subscribe(probe)
    #expect(probe.values == [[1, 4]] && probe.ended == nil)
    probe.request(1)
    #expect(probe.values == [[1, 4], [2, 5]] && probe.ended == nil)
    probe.request(1)
    #expect(probe.values.count == 3 && probe.ended == .finished)
  }

  @Test func `it ends when a publisher that has finished has no value left`() {
    let (a, b) = (Subject(), Subject())
    let probe = Probe<[Int], Mishap>()
    [a, b].zip().subscribe(probe)
    a.send(1)
    a.send(completion: .finished)
    #expect(probe.ended == nil)
    b.send(2)
    #expect(probe.values == [[1, 2]] && probe.ended == .finished)
    b.send(3)
    #expect(probe.faults == [])
  }

  @Test func `a failure comes through at once and cancels the others`() {
    let (a, b) = (Subject(), Subject())
    let isCancelled = Protected(false)
    let probe = Probe<[Int], Mishap>()
    let watched = b.handleEvents(receiveCancel: { isCancelled.withLock { $0 = true } })
    [a.eraseToAnyPublisher(), watched.eraseToAnyPublisher()].zip().subscribe(probe)
    b.send(1)
    a.send(completion: .failure(Mishap()))
    #expect(probe.ended == .failed && isCancelled.value)
  }

  @Test func `after a cancel nothing comes`() {
    let (a, b) = (Subject(), Subject())
    let probe = Probe<[Int], Mishap>()
    [a, b].zip().subscribe(probe)
    a.send(1)
    probe.cancel()
    b.send(2)
    a.send(completion: .finished)
    #expect(probe.values == [] && probe.ended == nil)
  }

  enum Moment: CaseIterable, Sendable {
    case before, during, after
  }

  /// OpenCombine's own zip aborts the process in some of these.
  @Test(arguments: [2, 3, 9], Moment.allCases)
  func `futures are zipped whenever they are resolved, on one thread`(
    _ count: Int, _ moment: Moment
  ) {
    for _ in 0..<rounds(2000, soak: 20_000) {
      let promises = Protected<[Handed<Promise>]>([])
      let futures = (0..<count).map { _ in
        Future<Int, Never> { promise in
          let handed = Handed(value: promise)
          promises.withLock { $0.append(handed) }
        }
      }
      func resolve(_ range: Range<Int>) {
        for position in range { promises.value[position].value(.success(position)) }
      }
      let probe = Probe<[Int], Never>()
      if moment == .before { resolve(0..<count) }
      if moment == .during { resolve(0..<1) }
      futures.zip().subscribe(probe)
      if moment == .during { resolve(1..<count) }
      if moment == .after { resolve(0..<count) }
      guard probe.values == [Array(0..<count)], probe.ended == .finished, probe.faults.isEmpty
      else {
        Issue.record("got \(probe.values), \(String(describing: probe.ended)), \(probe.faults)")
        return
      }
    }
  }

  @Test(arguments: [2, 3, 9], [false, true])
  func `futures are zipped when threads resolve, subscribe and cancel at once`(
    _ count: Int, _ cancels: Bool
  ) {
    for _ in 0..<rounds(5000, soak: 20_000) {
      let promises = Protected<[Handed<Promise>]>([])
      let futures = (0..<count).map { _ in
        Future<Int, Never> { promise in
          let handed = Handed(value: promise)
          promises.withLock { $0.append(handed) }
        }
      }
      let resolve = promises.value
      let zipped = Handed(value: futures.zip())
      let probe = Probe<[Int], Never>()
      DispatchQueue.concurrentPerform(iterations: count + (cancels ? 2 : 1)) { number in
        switch number {
        case 0..<count: resolve[number].value(.success(number))
        case count: zipped.value.subscribe(probe)
        default: probe.cancel()
        }
      }
      let isWhole = probe.values == [Array(0..<count)] && probe.ended == .finished
      guard probe.faults.isEmpty, isWhole || (cancels && probe.values.count <= 1) else {
        Issue.record("got \(probe.values), \(String(describing: probe.ended)), \(probe.faults)")
        return
      }
    }
  }
}
