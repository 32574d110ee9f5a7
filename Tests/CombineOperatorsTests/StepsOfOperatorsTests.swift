import CombineOperators
import TestSupport
import Testing

/// Steps of a graph as plain operators: needs are zipped, mapped through a task, and shared.
struct StepsOfOperatorsTests {
  typealias Step = SharedPublisher<Int, Never>
  typealias Failing = SharedPublisher<Int, TestError>

  /// A step that ends only when its task is cancelled.
  private static func endless(_ log: Protected<[String]>) -> Step {
    [Step]().zip().task { _ in
      log.withLock { $0.append("start") }
      for await _ in AsyncStream<Void>.makeStream().stream {}
      log.withLock { $0.append("cancel") }
      return 0
    }.share(replay: 1)
  }

  @Test func `a step waits for all of its needs, keeps their order, and replays its value`() async {
    let starts = Protected(0)
    let leaves = (1...3).map { number in
      [Step]().zip().task { _ in
        starts.withLock { $0 += 1 }
        return number
      }.share(replay: 1)
    }
    let sum = leaves.zip().task { $0.reduce(0) { $0 * 10 + $1 } }.share(replay: 1)
    #expect(starts.value == 0, "nothing starts before the first subscriber")
    let probe = Probe<Int, Never>()
    sum.subscribe(probe)
    await expectEventually("the value arrives") { probe.ended == .finished }
    #expect(probe.values == [123])
    let late = Probe<Int, Never>()
    sum.subscribe(late)
    #expect(late.values == [123] && late.ended == .finished && starts.value == 3)
  }

  @Test func `a step runs as long as another one needs it`() async {
    let log = Protected<[String]>([])
    let leaf = Self.endless(log)
    let others = (0..<3).map { _ in [leaf].zip().task { $0[0] }.share(replay: 1).sink { _ in } }
    await expectEventually("the step runs") { log.value == ["start"] }
    others[1].cancel()
    others[2].cancel()
    #expect(log.value == ["start"])
    others[0].cancel()
    await expectEventually("it is cancelled") { log.value == ["start", "cancel"] }
    let again = leaf.sink { _ in }
    await expectEventually("it starts again") { log.value.count == 3 }
    again.cancel()
    await expectEventually("and is cancelled again") { log.value.count == 4 }
  }

  @Test func `no task is left when subscribers come and go concurrently`() async {
    let log = Protected<[String]>([])
    let leaf = Self.endless(log)
    for _ in 0..<scaled(200) {
      let step = [leaf, leaf].zip().task { $0[0] }.share(replay: 1)
      await withTaskGroup(of: Void.self) { group in
        for _ in 0..<8 { group.addTask { step.sink { _ in }.cancel() } }
      }
    }
    await expectEventually("each task is cancelled") {
      let words = log.value
      return words.filter { $0 == "start" }.count * 2 == words.count
    }
  }

  @Test func `a failure ends a step at once and cancels its other needs`() async {
    let log = Protected<[String]>([])
    let hasStarted = Gate()
    let failing = [Failing]().zip().task { (_: [Int]) async throws(TestError) -> Int in
      await hasStarted.wait()
      throw TestError()
    }.share(replay: 1)
    let endless = [Failing]().zip().task { (_: [Int]) async throws(TestError) -> Int in
      log.withLock { $0.append("start") }
      hasStarted.open()
      for await _ in AsyncStream<Void>.makeStream().stream {}
      log.withLock { $0.append("cancel") }
      return 0
    }.share(replay: 1)
    let step = [endless, failing].zip()
      .task { (values: [Int]) async throws(TestError) -> Int in values[0] }.share(replay: 1)
    let probe = Probe<Int, TestError>()
    step.subscribe(probe)
    await expectEventually("it fails") { probe.ended == .failed }
    await expectEventually("the other is cancelled") { log.value == ["start", "cancel"] }
    let late = Probe<Int, TestError>()
    step.subscribe(late)
    #expect(late.ended == .failed && probe.values == [], "the failure is replayed")
  }

  @Test func `steps that wait at once run concurrently`() async {
    let source = [Step]().zip().task { $0.count }.share(replay: 1)
    let gate = Gate()
    let waiting = Protected(0)
    let others = (0..<1000).map { _ in
      [source].zip().task { (_: [Int]) -> Int in
        let count = waiting.withLock {
          $0 += 1
          return $0
        }
        if count == 1000 { gate.open() }
        await gate.wait()
        return 1
      }.share(replay: 1)
    }
    let probe = Probe<[Int], Never>()
    others.zip().subscribe(probe)
    await expectEventually("all steps run at once") { probe.ended == .finished }
    #expect(probe.values.first?.count == 1000)
  }

  @Test(arguments: [false, true])
  func `a value and a failure pass through a chain of any length without recursion`(_ fails: Bool)
    async
  {
    let gate = Gate()
    var chain = [
      [Failing]().zip().task { (_: [Int]) async throws(TestError) -> Int in
        await gate.wait()
        if fails { throw TestError() }
        return 1
      }.share(replay: 1)
    ]
    // Each is subscribed to before the next is made, so that subscribing does not recurse either.
    var subscriptions: [AnyCancellable] = []
    for _ in 0..<scaled(20_000) {
      let last = chain[chain.count - 1]
      let next = [last].zip().task { (values: [Int]) async throws(TestError) in values[0] }
        .share(replay: 1)
      chain.append(next)
      subscriptions.append(next.sink(receiveCompletion: { _ in }, receiveValue: { _ in }))
    }
    let probe = Probe<Int, TestError>()
    chain[chain.count - 1].subscribe(probe)
    gate.open()
    await expectEventually("the result reaches the end") {
      probe.ended == (fails ? .failed : .finished)
    }
    #expect(probe.values == (fails ? [] : [1]))
    while chain.popLast() != nil { _ = subscriptions.popLast() }
  }

  /// In any graph, and with any subscribers, every step has the value of its definition.
  @Test func `random graphs compute their values while subscribers come and go`() async {
    var random = SeededGenerator.announced()
    for _ in 0..<40 {
      let count = Int.random(in: 1...40, using: &random)
      var expected: [Int] = []
      var steps: [Step] = []
      for position in 0..<count {
        let needed = (0..<position).filter { _ in Int.random(in: 0..<4, using: &random) == 0 }
        expected.append(needed.reduce(position) { ($0 &* 31) &+ expected[$1] })
        steps.append(
          needed.map { steps[$0] }.zip().task { $0.reduce(position) { ($0 &* 31) &+ $1 } }
            .share(replay: 1))
      }
      let visits = (0..<100).map { _ in Int.random(in: 0..<count, using: &random) }
      await withTaskGroup(of: Void.self) { [steps] group in
        for visit in visits { group.addTask { steps[visit].sink { _ in }.cancel() } }
      }
      let probes = steps.map { step in
        let probe = Probe<Int, Never>()
        step.subscribe(probe)
        return probe
      }
      await expectEventually("all end") { probes.allSatisfy { $0.ended == .finished } }
      #expect(probes.map(\.values) == expected.map { [$0] })
    }
  }
}
