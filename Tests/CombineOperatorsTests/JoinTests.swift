import CombineOperators
import Dispatch
import TestSupport
import Testing

/// Shared publishers that are joined, mapped through a task and shared again: seen from outside like the
/// operators one by one.
struct JoinTests {
  typealias Step = SharedPublisher<Int, Never>
  struct Failure: Error {}

  /// A step that ends only when its task is cancelled.
  private static func endless(_ log: Protected<[String]>, _ name: String) -> Step {
    [Step]().zip().task { _ in
      log.withLock { $0.append("\(name) starts") }
      for await _ in AsyncStream<Void>.makeStream().stream {}
      log.withLock { $0.append("\(name) is cancelled") }
      return 0
    }.share(replay: 1)
  }

  @Test func `a join waits for all, keeps their order, and repeats its value`() async {
    let starts = Protected(0)
    let leaves = (1...3).map { number in
      [Step]().zip().task { _ in
        starts.withLock { $0 += 1 }
        return number
      }.share(replay: 1)
    }
    let sum = leaves.zip().task { $0.reduce(0) { $0 * 10 + $1 } }.share(replay: 1)
    #expect(starts.value == 0, "nothing begins before somebody is there")
    let probe = Probe<Int, Never>()
    sum.subscribe(probe)
    await expectEventually("the value comes") { probe.ended == .finished }
    #expect(probe.values == [123])
    let late = Probe<Int, Never>()
    sum.subscribe(late)
    #expect(late.values == [123] && late.ended == .finished)
    #expect(starts.value == 3, "each leaf ran once")
  }

  @Test func `who holds a join needs no subscriber, and who lets go last cancels it`() async {
    let log = Protected<[String]>([])
    let leaf = Self.endless(log, "leaf")
    let join = [leaf].zip().task { $0[0] }.share(replay: 1)
    join.hold()
    join.hold()
    await expectEventually("the leaf runs") { log.value == ["leaf starts"] }
    join.letGo()
    #expect(log.value == ["leaf starts"])
    join.letGo()
    await expectEventually("the leaf ends") { log.value == ["leaf starts", "leaf is cancelled"] }
    join.hold()
    await expectEventually("it starts anew") { log.value.count == 3 }
    join.letGo()
    await expectEventually("and ends anew") { log.value.count == 4 }
  }

  @Test func `a leaf goes on while another join waits for it`() async {
    let log = Protected<[String]>([])
    let leaf = Self.endless(log, "leaf")
    let joins = (0..<3).map { _ in [leaf].zip().task { $0[0] }.share(replay: 1) }
    for join in joins { join.hold() }
    await expectEventually("the leaf runs") { log.value == ["leaf starts"] }
    joins[1].letGo()
    joins[2].letGo()
    #expect(log.value == ["leaf starts"])
    joins[0].letGo()
    await expectEventually("the leaf ends") { log.value == ["leaf starts", "leaf is cancelled"] }
  }

  @Test func `nobody is left waiting when holders come and go at once`() async {
    let log = Protected<[String]>([])
    let leaf = Self.endless(log, "leaf")
    for _ in 0..<200 {
      let join = [leaf, leaf].zip().task { $0[0] }.share(replay: 1)
      await withTaskGroup(of: Void.self) { group in
        for _ in 0..<8 {
          group.addTask {
            join.hold()
            join.letGo()
          }
        }
      }
    }
    await expectEventually("each leaf that started is cancelled") {
      let words = log.value
      return words.filter { $0 == "leaf starts" }.count * 2 == words.count
    }
  }

  @Test func `a failure ends a join at once, and cancels what else it waits for`() async {
    typealias Failing = SharedPublisher<Int, any Error>
    let log = Protected<[String]>([])
    let hasStarted = Gate()
    let failing = [Failing]().zip().task { (_: [Int]) async throws -> Int in
      await hasStarted.wait()
      throw Failure()
    }.share(replay: 1)
    let endless = [Failing]().zip().task { (_: [Int]) async throws -> Int in
      log.withLock { $0.append("starts") }
      hasStarted.open()
      for await _ in AsyncStream<Void>.makeStream().stream {}
      log.withLock { $0.append("is cancelled") }
      return 0
    }.share(replay: 1)
    for joined in [[endless, failing], [failing, endless]] {
      let join = joined.zip()
        .task { (values: [Int]) async throws -> Int in values[0] }.share(replay: 1)
      let probe = Probe<Int, any Error>()
      join.subscribe(probe)
      await expectEventually("it fails") { probe.ended == .failed }
      #expect(probe.values.isEmpty)
      // The second time it may not even start: the failure is there before it.
      await expectEventually("the other is cancelled") {
        log.value.count >= 2 && log.value.count.isMultiple(of: 2)
      }
      let late = Probe<Int, any Error>()
      join.subscribe(late)
      #expect(late.ended == .failed, "the failure is repeated")
    }
  }

  @Test func `a closure that cancels its own task stops nothing that follows`() async {
    let first = [SharedPublisher<Int, Never>]().zip().task { (_: [Int]) -> Int in
      withUnsafeCurrentTask { $0?.cancel() }
      return 1
    }.share(replay: 1)
    let second = [first].zip().task { $0[0] + (Task.isCancelled ? 100 : 1) }.share(replay: 1)
    let probe = Probe<Int, Never>()
    second.subscribe(probe)
    await expectEventually("it ends") { probe.ended == .finished }
    #expect(probe.values == [2])
  }

  @Test func `of steps that are ready at once none waits for another one's end`() async {
    let source = [SharedPublisher<Int, Never>]().zip().task { $0.count }.share(replay: 1)
    let gate = Gate()
    let waiting = Protected(0)
    let others = (0..<1000).map { _ in
      [source].zip().task { (_: [Int]) -> Int in
        if waiting.withLock({
          $0 += 1
          return $0 == 1000
        }) {
          gate.open()
        }
        await gate.wait()
        return 1
      }.share(replay: 1)
    }
    let all = others.zip().task { $0.count }.share(replay: 1)
    let probe = Probe<Int, Never>()
    all.subscribe(probe)
    await expectEventually("all have met") { probe.ended == .finished }
    #expect(probe.values == [1000])
  }

  @Test func `a subscriber that takes its time holds up nobody else`() async {
    let first = [SharedPublisher<Int, Never>]().zip().task { $0.count }.share(replay: 1)
    let hasRun = DispatchSemaphore(value: 0)
    let outcome = Protected<DispatchTimeoutResult?>(nil)
    let subscription = first.sink { _ in
      outcome.withLock { $0 = hasRun.wait(timeout: .now() + 30) }
    }
    let second = [first].zip().task { (_: [Int]) -> Int in
      hasRun.signal()
      return 1
    }.share(replay: 1)
    second.hold()
    await expectEventually("the subscriber has been told") { outcome.value != nil }
    #expect(outcome.value == .success, "the other one ran meanwhile")
    second.letGo()
    subscription.cancel()
  }

  @Test func `a failure goes through a chain of any length, and not on the stack`() async {
    typealias Failing = SharedPublisher<Int, any Error>
    let gate = Gate()
    var chain = [
      [Failing]().zip().task { (_: [Int]) async throws -> Int in
        await gate.wait()
        throw Failure()
      }.share(replay: 1)
    ]
    for _ in 0..<scaled(100_000) {
      let last = chain[chain.count - 1]
      chain.append([last].zip().task { (values: [Int]) async throws in values[0] }.share(replay: 1))
      chain[chain.count - 1].hold()
    }
    let probe = Probe<Int, any Error>()
    chain[chain.count - 1].subscribe(probe)
    gate.open()
    await expectEventually("it comes to the end") { probe.ended == .failed }
    // In the opposite order, as those do that take a pipeline apart.
    while let last = chain.popLast() { last.letGo() }
  }

  /// Whatever the graph, and whoever comes and goes meanwhile: every step comes to the value that the
  /// definition says.
  @Test func `random graphs come to their values while holders come and go`() async {
    var random = SeededGenerator.announced()
    for _ in 0..<40 {
      let count = Int.random(in: 1...40, using: &random)
      var needs: [[Int]] = []
      var expected: [Int] = []
      var steps: [Step] = []
      for position in 0..<count {
        let needed = (0..<position).filter { _ in Int.random(in: 0..<4, using: &random) == 0 }
        needs.append(needed)
        expected.append(needed.reduce(position) { ($0 &* 31) &+ expected[$1] })
        steps.append(
          needed.map { steps[$0] }.zip().task { $0.reduce(position) { ($0 &* 31) &+ $1 } }
            .share(replay: 1))
      }
      let visits = (0..<100).map { _ in Int.random(in: 0..<count, using: &random) }
      await withTaskGroup(of: Void.self) { [steps] group in
        for visit in visits {
          group.addTask {
            steps[visit].hold()
            steps[visit].letGo()
          }
        }
      }
      let probes = steps.map { step in
        let probe = Probe<Int, Never>()
        step.subscribe(probe)
        return probe
      }
      await expectEventually("all ended") { probes.allSatisfy { $0.ended == .finished } }
      #expect(probes.map(\.values) == expected.map { [$0] }, "needs: \(needs)")
    }
  }
}
