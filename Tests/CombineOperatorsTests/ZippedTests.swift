import CombineOperators
import Dispatch
import RepriseTesting
import TestSupport
import Testing

/// Zips futures in every order and number.
struct ZippedTests {
  typealias Promise = Future<Int, Never>.Promise

  enum Moment: CaseIterable, Sendable {
    case before, during, after
  }

  /// A form of zip for a number of publishers.
  enum Form: Sendable, CaseIterable {
    case pair, triple, quadruple, pairOfMany, tripleOfMany, nine

    var count: Int {
      switch self {
      case .pair, .pairOfMany: 2
      case .triple, .tripleOfMany: 3
      case .quadruple: 4
      case .nine: 9
      }
    }

    func zip(_ futures: [Future<Int, Never>]) -> AnyPublisher<[Int], Never> {
      switch self {
      case .pair:
        futures[0].zipped(with: futures[1]).map { [$0.0, $0.1] }.eraseToAnyPublisher()
      case .triple:
        futures[0].zipped(with: futures[1], futures[2]).map { [$0.0, $0.1, $0.2] }
          .eraseToAnyPublisher()
      case .quadruple:
        futures[0].zipped(with: futures[1], futures[2], futures[3])
          .map { [$0.0, $0.1, $0.2, $0.3] }.eraseToAnyPublisher()
      case .pairOfMany, .tripleOfMany, .nine:
        futures.zip().eraseToAnyPublisher()
      }
    }
  }

  private func futures(_ count: Int) -> (
    futures: [Future<Int, Never>], promises: [UncheckedTransfer<Promise>]
  ) {
    let promises = Protected<[UncheckedTransfer<Promise>]>([])
    let futures = (0..<count).map { _ in
      Future<Int, Never> { promise in
        let handed = UncheckedTransfer(value: promise)
        promises.withLock { $0.append(handed) }
      }
    }
    return (futures, promises.value)
  }

  @Test(arguments: Form.allCases, Moment.allCases)
  func `futures are zipped whether they resolve before, during or after the subscription`(
    _ form: Form, _ moment: Moment
  ) {
    for _ in 0..<rounds(500, soak: 20_000) {
      let (futures, promises) = futures(form.count)
      func resolve(_ range: Range<Int>) {
        for position in range { promises[position].value(.success(position)) }
      }
      let probe = Probe<[Int], Never>()
      if moment == .before { resolve(0..<form.count) }
      if moment == .during { resolve(0..<1) }
      form.zip(futures).subscribe(probe)
      if moment == .during { resolve(1..<form.count) }
      if moment == .after { resolve(0..<form.count) }
      guard probe.values == [Array(0..<form.count)], probe.ended == .finished, probe.faults.isEmpty
      else {
        Issue.record("got \(probe.values), \(String(describing: probe.ended)), \(probe.faults)")
        return
      }
    }
  }

  @Test(arguments: Form.allCases, [false, true])
  func `futures are zipped while threads resolve, subscribe and cancel concurrently`(
    _ form: Form, _ cancels: Bool
  ) {
    for _ in 0..<rounds(1000, soak: 20_000) {
      let count = form.count
      let (futures, promises) = futures(count)
      let zipped = UncheckedTransfer(value: form.zip(futures))
      let probe = Probe<[Int], Never>()
      DispatchQueue.concurrentPerform(iterations: count + (cancels ? 2 : 1)) { number in
        switch number {
        case 0..<count: promises[number].value(.success(number))
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

  @Test func `publishers of different types are zipped`() {
    let probe = Probe<String, Never>()
    [1, 2, 3].publisher.zipped(with: ["a", "b"].publisher, [true, false].publisher, Just(2.5))
      .map { "\($0.0) \($0.1) \($0.2) \($0.3)" }.subscribe(probe)
    #expect(probe.values == ["1 a true 2.5"] && probe.ended == .finished)
  }

  @Test func `values wait for those of the other publisher`() {
    #expect(marbles("ab---c|", "--1-23") { $0.zipped(with: $1).map(+) } == "--[a1]-[b2][c3]|")
  }

  @Test func `zipped finishes when no more outputs are possible`() {
    #expect(marbles("ab|", "---12") { $0.zipped(with: $1).map(+) } == "---[a1]([b2]|)")
    #expect(marbles("|", "1--") { $0.zipped(with: $1).map(+) } == "|")
    #expect(marbles("a--b", "-1|") { $0.zipped(with: $1).map(+) } == "-[a1]|")
  }

  @Test func `a failure is delivered at once`() {
    #expect(marbles("ab", "-#") { $0.zipped(with: $1).map(+) } == "-#")
    #expect(
      marbles("ab-", "12-", "--#") { $0.zipped(with: $1, $2).map { $0.0 + $0.1 + $0.2 } } == "--#")
  }

  @Test func `after a cancel nothing is delivered`() {
    #expect(marbles("abc", "123", subscriber: "*!") { $0.zipped(with: $1).map(+) } == "[a1]")
  }

  @Test func `no more is delivered than was requested`() {
    #expect(
      marbles("abc|", "123|", subscriber: "1-1") { $0.zipped(with: $1).map(+) } == "[a1]-[c3]|")
    #expect(
      marbles("abc|", "123|", subscriber: "1--1") {
        let (a, b) = ($0.buffer(limit: 9, whenFull: .dropNewest), $1)
        return a.zipped(with: b.buffer(limit: 9, whenFull: .dropNewest)).map(+)
      } == "[a1]--[b2]")
  }

  @Test func `100,000 publishers are zipped without recursion`() async {
    let count = Protected(0)
    await onSmallStack {
      let responder = Responder<[Int], Never>(
        started: { $0.request(.unlimited) },
        answer: { values, _ in
          count.withLock { $0 += values.count }
          return .none
        })
      (0..<scaled(100_000)).map { Just($0) }.zip().subscribe(responder)
      let values = (0..<scaled(100_000)).publisher
      [values, values].zip().subscribe(responder)
    }
    #expect(count.value == 3 * scaled(100_000))
  }
}
