import CombineOperators
import TestSupport
import Testing

/// The contract that every operator keeps, even if upstream breaks the rules.
struct OperatorContractTests {
  typealias Upstream = BareUpstream<Int, TestError>
  typealias Output = AnyPublisher<Int, TestError>

  /// An operator that passes on the values of its upstream unchanged.
  struct Operator: Sendable, CustomTestStringConvertible {
    let testDescription: String
    var isFolding = false
    /// Whether values that arrive without demand keep their order.
    var keepsOrder = true
    let make: @Sendable (Upstream) -> Output
  }

  private static var constant: AnyPublisher<Int, TestError> {
    CurrentValueSubject(0).eraseToAnyPublisher()
  }

  static let operators = added + CoreOperators.all

  private static let added = [
    Operator(testDescription: "zip") { [$0].zip().map { $0[0] }.eraseToAnyPublisher() },
    Operator(testDescription: "zipped") {
      $0.zipped(with: (0..<9).publisher.setFailureType(to: TestError.self)).map(\.0)
        .eraseToAnyPublisher()
    },
    Operator(testDescription: "merge") { [$0].merge().eraseToAnyPublisher() },
    Operator(testDescription: "merge of two") {
      $0.merge(with: Empty()).eraseToAnyPublisher()
    },
    Operator(testDescription: "concatMap, outer") {
      $0.concatMap { Just($0).setFailureType(to: TestError.self) }.eraseToAnyPublisher()
    },
    Operator(testDescription: "concatMap, inner") { upstream in
      Just(0).setFailureType(to: TestError.self).concatMap { _ in upstream }.eraseToAnyPublisher()
    },
    Operator(testDescription: "combineLatest", isFolding: true) {
      $0.combineLatest(Just(0).setFailureType(to: TestError.self)).map(\.0).eraseToAnyPublisher()
    },
    Operator(testDescription: "collect") {
      $0.collect(.byTimeOrCount(QueueScheduler(), .seconds(600), 1)).map { $0[0] }
        .eraseToAnyPublisher()
    },
    Operator(testDescription: "merge of three") {
      $0.merge(with: Empty(), Empty()).eraseToAnyPublisher()
    },
    Operator(testDescription: "combineLatest of a collection", isFolding: true) {
      [$0.eraseToAnyPublisher(), Just(0).setFailureType(to: TestError.self).eraseToAnyPublisher()]
        .combineLatest().map { $0[0] }.eraseToAnyPublisher()
    },
    Operator(testDescription: "flatMapLatest, inner") { upstream in
      Just(0).setFailureType(to: TestError.self).flatMapLatest { _ in upstream }
        .eraseToAnyPublisher()
    },
    Operator(testDescription: "amb") { [$0].amb().eraseToAnyPublisher() },
    Operator(testDescription: "withLatestFrom") {
      $0.withLatestFrom(constant) { value, _ in value }.eraseToAnyPublisher()
    },
    // Values that upstream sends at once are in concurrent tasks.
    Operator(testDescription: "task", keepsOrder: false) {
      $0.task(maxPublishers: .max(1)) { $0 }.eraseToAnyPublisher()
    },
    Operator(testDescription: "share") { $0.share(replay: 1).eraseToAnyPublisher() },
    Operator(testDescription: "buffer") {
      $0.buffer(limit: 9, whenFull: .dropNewest).eraseToAnyPublisher()
    },
    Operator(testDescription: "debounce", isFolding: true) {
      $0.debounce(
        for: .zero, now: { Moment(elapsed: .zero) }, sleep: { _ in }, fold: { $0 = $1 }
      ).eraseToAnyPublisher()
    },
  ]

  @Test(arguments: operators, [Ended.finished, .failed])
  func `values and the end are delivered, and nothing after the end`(
    _ tested: Operator, _ end: Ended
  ) async {
    let upstream = Upstream()
    let probe = Probe<Int, TestError>()
    tested.make(upstream).subscribe(probe)
    for value in 1...3 {
      upstream.send(value)
      await expectEventually("value \(value)") { probe.values.count == value }
    }
    upstream.send(completion: end == .finished ? .finished : .failure(TestError()))
    await expectEventually("it ends") { probe.ended == end }
    upstream.send(4)
    upstream.send(completion: .finished)
    upstream.send(completion: .failure(TestError()))
    probe.request(1)
    await settle()
    #expect(probe.values == [1, 2, 3] && probe.ended == end && probe.faults == [])
    #expect(upstream.cancels == 0)
  }

  @Test(arguments: operators) func `an end without values needs no demand`(_ tested: Operator)
    async
  {
    let upstream = Upstream()
    let probe = Probe<Int, TestError>(demand: .none)
    tested.make(upstream).subscribe(probe)
    // An inner publisher is only made, and the other publisher of a combination only finishes, when
    // there is demand.
    if ["concatMap, inner", "combineLatest", "combineLatest of a collection"]
      .contains(tested.testDescription)
    {
      probe.request(1)
    }
    upstream.send(completion: .finished)
    await expectEventually("it ends") { probe.ended == .finished }
  }

  @Test(arguments: operators)
  func `a cancel cancels upstream once, and nothing is delivered after it`(
    _ tested: Operator
  ) async {
    let upstream = Upstream()
    let probe = Probe<Int, TestError>()
    tested.make(upstream).subscribe(probe)
    upstream.send(1)
    await expectEventually("a value") { probe.values == [1] }
    probe.cancel()
    probe.cancel()
    probe.request(3)
    upstream.send(2)
    upstream.send(completion: .finished)
    await settle()
    #expect(probe.values == [1] && probe.ended == nil && upstream.cancels == 1)
  }

  @Test(arguments: operators) func `a subscriber that cancels at once causes no request`(
    _ tested: Operator
  ) async {
    let upstream = Upstream()
    let values = Protected(0)
    tested.make(upstream).subscribe(
      Responder<Int, TestError>(
        started: { $0.cancel() },
        answer: { _, _ in
          values.withLock { $0 += 1 }
          return .none
        }))
    upstream.send(1)
    await settle()
    #expect(upstream.asked == [] && upstream.cancels <= 1 && values.value == 0)
  }

  @Test(arguments: operators) func `no more is delivered than was requested`(_ tested: Operator)
    async
  {
    let upstream = Upstream()
    let probe = Probe<Int, TestError>(demand: .max(1))
    tested.make(upstream).subscribe(probe)
    for value in 1...3 { upstream.send(value) }
    upstream.send(completion: .finished)
    await expectEventually("one value arrives") { !probe.values.isEmpty }
    await settle()
    #expect(probe.values.count == 1 && probe.ended == nil)
    probe.request(1)
    await expectEventually("one more value arrives") { probe.values.count == 2 }
    probe.request(1)
    await expectEventually("it ends") { probe.ended == .finished }
    let values = tested.keepsOrder ? probe.values : probe.values.sorted()
    #expect(values == (tested.isFolding ? [1, 3] : [1, 2, 3]) && probe.faults == [])
  }

  @Test(arguments: operators) func `a second subscription is cancelled`(_ tested: Operator) async {
    let (upstream, second) = (Upstream(), Upstream())
    let probe = Probe<Int, TestError>()
    tested.make(upstream).subscribe(probe)
    upstream.give(second)
    #expect(second.cancels == 1 && second.asked == [] && upstream.cancels == 0)
    upstream.send(1)
    await expectEventually("a value") { probe.values == [1] }
    probe.cancel()
  }

  @Test(arguments: operators, [true, false])
  func `after the end the subscriber and the values are released`(
    _ tested: Operator, _ cancels: Bool
  ) async {
    let upstream = Upstream()
    let living = Protected(0)
    do {
      let counted = Counted(1, living)
      let responder = Responder<Int, TestError>(
        started: { $0.request(.unlimited) }, answer: { [counted] _, _ in .max(counted.number) })
      tested.make(upstream).subscribe(responder)
      upstream.send(1)
      if cancels { responder.cancel() } else { upstream.send(completion: .finished) }
      // Breaks a retain cycle of the test itself.
      responder.forget()
    }
    // Upstream still retains the operator, which must not retain the subscriber.
    await expectEventually("the value is released") { living.value == 0 }
    upstream.forget()
  }

  /// Yields long enough to detect a task that should not run.
  private func settle() async {
    for _ in 0..<100 { await Task.yield() }
  }
}
