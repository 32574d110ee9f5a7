// Tests the places of pools, within an engine and among processes.

import Foundation
import TestSupport
import Testing
import WorkflowFiles

@testable import Reprise

struct PoolTests {
  /// Counts the places that are taken, and the most that were.
  private final class Count: Sendable {
    let counts = Protected<(now: Int, most: Int)>((0, 0))

    func change(by count: Int) {
      counts.withLock { counts in
        counts.now += count
        counts.most = max(counts.most, counts.now)
      }
    }
  }

  private static let text = """
    pools: { db: 2 }
    steps:
      - parallel:
          - { id: a, foreach: [1, 2, 3, 4, 5], pool: db, run: x }
          - { id: b, foreach: [1, 2, 3], pool: { name: db, take: 2 }, run: x }
    """

  private func engine(_ count: Count, folder: String? = nil) -> Engine {
    var engine = Engine(
      executor: ClosureExecutor { context in
        let taken = context.step.extras.pools.first?.count ?? 0
        count.change(by: taken)
        for _ in 0..<10 { await Task.yield() }
        count.change(by: -taken)
        return [:]
      })
    engine.poolFolder = folder
    return engine
  }

  @Test func `all runs of an engine share its pools`() async throws {
    let count = Count()
    let engine = engine(count)
    let workflow = try Workflow(text: Self.text, file: "w.yaml")
    let runs = (0..<4).map { _ in engine.start(workflow) }
    for run in runs { #expect(try await run.outcome == .succeeded) }
    #expect(count.counts.value.most == 2 && count.counts.value.now == 0)
  }

  @Test func `all engines that use a folder share its pools`() async throws {
    let folder = FileManager.default.temporaryDirectory.path + "/reprise-pools-\(UUID())"
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let count = Count()
    let workflow = try Workflow(text: Self.text, file: "w.yaml")
    let runs = (0..<3).map { _ in engine(count, folder: folder).start(workflow) }
    for run in runs { #expect(try await run.outcome == .succeeded) }
    #expect(count.counts.value.most == 2 && count.counts.value.now == 0)
  }

  @Test func `a step that waits says for whom, and can be cancelled`() async throws {
    let folder = FileManager.default.temporaryDirectory.path + "/reprise-pools-\(UUID())"
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let claim = PoolClaim(pool: "db", count: 2, size: 2)
    let lease = try await PoolPlaces().take(
      [claim], for: "step \"other\"", in: folder, SystemClock(), onWait: { _, _ in })
    let run = engine(Count(), folder: folder).start(
      try Workflow(
        text: "pools: { db: 2 }\nsteps: [{ id: a, pool: db, run: x }]", file: "w.yaml"))
    await expectEventually("it says so") {
      run.state["a"]?.waitsForPool?.text
        == "waits for pool \"db\" (2 of 2 in use), taken by step \"other\""
    }
    #expect(run.state["a"]?.phase == .waiting && run.state["a"]?.startedAt == nil)
    run.cancel()
    #expect(try await run.outcome == .cancelled)
    lease?.release()
    let again = engine(Count(), folder: folder).start(
      try Workflow(
        text: "pools: { db: 2 }\nsteps: [{ id: a, pool: db, run: x }]", file: "w.yaml"))
    #expect(try await again.outcome == .succeeded)
  }

  @Test func `a step that is cancelled while it waits for one of its pools gives the others back`()
    async throws
  {
    let pools = PoolPlaces()
    let (a, b) = (PoolClaim(pool: "a", count: 1, size: 1), PoolClaim(pool: "b", count: 1, size: 1))
    let held = try await pools.take([b], for: "", in: nil, SystemClock(), onWait: { _, _ in })
    let reasons = Protected<[String]>([])
    let both = Task {
      try await pools.take([a, b], for: "", in: nil, SystemClock()) { claim, _ in
        reasons.withLock { $0.append(claim.pool) }
      }
    }
    await expectEventually("it waits for the second") { pools.waitingCount == 1 }
    both.cancel()
    #expect(try await both.value == nil)
    #expect(reasons.value == ["b"])
    let again = try await pools.take([a], for: "", in: nil, SystemClock(), onWait: { _, _ in })
    #expect(again != nil && pools.waitingCount == 0)
    held?.release()
    again?.release()
  }

  @Test(arguments: [false, true])
  func `steps with several pools in any order never wait for one another`(_ isShared: Bool)
    async throws
  {
    let folder = FileManager.default.temporaryDirectory.path + "/reprise-pools-\(UUID())"
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let steps = (0..<24).map { number in
      let pools = number.isMultiple(of: 2) ? "[a, { name: b, take: 2 }]" : "[b, a]"
      return "    - { id: s\(number), pool: \(pools), run: x }"
    }
    let workflow = try Workflow(
      text: "pools: { a: 1, b: 2 }\nsteps:\n  - parallel:\n"
        + steps.map { "  " + $0 }.joined(separator: "\n"), file: "w.yaml")
    let running = Protected((now: 0, most: 0))
    var engine = Engine(
      executor: ClosureExecutor { _ in
        running.withLock {
          $0.now += 1
          $0.most = max($0.most, $0.now)
        }
        await Task.yield()
        running.withLock { $0.now -= 1 }
        return [:]
      })
    if isShared { engine.poolFolder = folder }
    #expect(try await engine.start(workflow).outcomeInTime() == .succeeded)
    #expect(running.value.most == 1)
  }

  @Test func `a step that is cancelled while it waits lets the next one through`() async throws {
    let pools = PoolPlaces()
    @Sendable func take(_ count: Int) async throws -> PoolPlaces.Lease? {
      try await pools.take(
        [PoolClaim(pool: "p", count: count, size: 2)], for: "", in: nil, SystemClock(),
        onWait: { _, _ in })
    }
    let first = try await take(1)
    let large = Task { try await take(2).map { $0.release() } != nil }
    await expectEventually("it waits") { pools.waitingCount == 1 }
    let small = Task { try await take(1).map { $0.release() } != nil }
    await expectEventually("it waits, too") { pools.waitingCount == 2 }
    large.cancel()
    #expect(try await large.value == false)
    #expect(try await small.value == true)
    first?.release()
    #expect(try await take(2).map { $0.release() } != nil)
  }

  @Test func `a step that waits has not started, and later subscribers see what it waits for`()
    async throws
  {
    let gate = Gate()
    let executor = ClosureExecutor { context in
      if context.step.id == "a" { await gate.wait() }
      return [:]
    }
    let run = Engine(executor: executor).start(
      try Workflow(
        text: """
          pools: { db: 1 }
          max-parallel: 2
          steps:
            - parallel:
                - { id: a, pool: db, run: x }
                - { id: b, pool: db, run: x }
          """, file: "w.yaml"))
    await expectEventually("it waits") { run.state["b"]?.waitsForPool != nil }
    let wait = try #require(run.state["b"]?.waitsForPool)
    #expect(wait.pool == "db" && wait.text == "waits for pool \"db\" (1 of 1 in use)")
    var folded = RunState()
    for event in run.state.recap { try folded.apply(event) }
    #expect(folded["b"] == run.state["b"])
    gate.open()
    #expect(try await run.outcome == .succeeded)
    #expect(run.state["b"]?.waitsForPool == nil && run.state["b"]?.phase.isSuccess == true)
  }

  @Test func `the wait for the next attempt replaces the attempt before`() throws {
    var state = RunState()
    let id = RunID()
    func apply(_ seconds: Int64, _ kind: Event.Kind) throws {
      try state.apply(
        Event(
          time: Timestamp(microseconds: seconds * 1_000_000), run: id, generation: 1, kind: kind))
    }
    let workflow = try Workflow(
      text: "pools: { db: 1 }\nsteps: [{ id: a, pool: db, retry: 1, run: x }]", file: "w.yaml")
    try apply(0, .runStarted(RunPlan(workflow)))
    try apply(1, .step("a", attempt: 0, .waiting))
    try apply(2, .step("a", attempt: 1, .started()))
    try apply(3, .step("a", attempt: 1, .output(.standardOutput, text: "x", isPartial: false)))
    try apply(4, .step("a", attempt: 1, .retrying(.exited(status: 1), after: .seconds(1))))
    try apply(5, .step("a", attempt: 2, .waitingForPool("db", text: "waits")))
    var folded = RunState()
    for event in state.recap { try folded.apply(event) }
    #expect(folded == state)
    #expect(state["a"]?.attempt == 2 && state["a"]?.startedAt == nil && state["a"]?.retry == nil)
    try apply(6, .step("a", attempt: 2, .started()))
    #expect(state["a"]?.waitsForPool == nil)
  }

  // MARK: Groups

  /// Runs a workflow, and returns its outcome and the steps in the order of their starts and ends, such as
  /// `a+` and `a-`.
  private func trace(_ text: String, folder: String? = nil) async throws -> (RunOutcome, [String]) {
    let trace = Protected<[String]>([])
    var engine = Engine(
      executor: ClosureExecutor { context in
        trace.withLock { $0.append(context.step.id + "+") }
        for _ in 0..<10 { await Task.yield() }
        trace.withLock { $0.append(context.step.id + "-") }
        return [:]
      })
    engine.poolFolder = folder
    let run = engine.start(try Workflow(text: text, file: "w.yaml"))
    return (try await run.outcomeInTime(), trace.value)
  }

  @Test(arguments: [true, false])
  func `a group holds its places from its first step to its last`(isShared: Bool) async throws {
    let folder = FileManager.default.temporaryDirectory.path + "/reprise-pools-\(UUID())"
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let (outcome, trace) = try await trace(
      """
      pools: { db: 1 }
      max-parallel: 2
      steps:
        - parallel:
            - { id: g, pool: db, steps: [{ id: a, run: x }, { id: b, run: x }, { id: c, run: x }] }
            - { id: h, pool: db, steps: [{ parallel: [{ id: d, run: x }, { id: e, run: x }] }, { id: f, run: x }] }
            - { id: i, pool: db, run: x }
      """, folder: isShared ? folder : nil)
    #expect(outcome == .succeeded)
    // The owner of each start and end, without repetitions.
    let owners = trace.map {
      "abc".contains($0.prefix(1)) ? "g" : "def".contains($0.prefix(1)) ? "h" : "i"
    }
    let turns = owners.indices.filter { $0 == 0 || owners[$0] != owners[$0 - 1] }.map { owners[$0] }
    #expect(Set(turns) == ["g", "h", "i"] && turns.count == 3)
  }

  @Test func `each item of a group holds its own places`() async throws {
    let (outcome, trace) = try await trace(
      """
      pools: { db: 1 }
      steps:
        - { id: list, run: x, outputs: { files: "[1, 2, 3]" } }
        - id: g
          foreach: "${{ fromJSON(steps.list.outputs.files) }}"
          pool: db
          steps: [{ id: a, run: x }, { id: b, run: x }]
      """)
    #expect(outcome == .succeeded)
    let items = trace.dropFirst(2).map { $0.prefix(4) }
    #expect(items.count == 12)
    #expect(zip(items, items.dropFirst()).count { $0 != $1 } == 2)
  }

  @Test func `a step that waits for places lets others use its slot`() async throws {
    // The step c waits before b does, and would hold the only slot that the group still needs.
    let (outcome, _) = try await trace(
      """
      pools: { db: 1 }
      max-parallel: 1
      steps:
        - parallel:
            - { id: g, pool: db, steps: [{ id: a, run: x }, { id: wait, wait: 20ms }, { id: b, run: x }] }
            - { id: c, pool: db, run: x }
            - { id: d, pool: db, mutex: m, run: x }
            - { id: h, mutex: m, steps: [{ id: e, run: x }, { id: f, pool: db, run: x }] }
      """)
    #expect(outcome == .succeeded)
  }

  @Test func `a group that no longer has a pool gives its places back`() async throws {
    let gates = ["a": Gate(), "b": Gate()]
    let executor = ClosureExecutor { context in
      try await gates[context.step.id]?.waitUnlessCancelled()
      return [:]
    }
    func workflow(_ pool: String) throws -> Workflow {
      try Workflow(
        text: """
          pools: { db: 1 }
          steps: [{ id: g, \(pool) steps: [{ id: a, run: x }, { id: b, run: x }] }]
          """, file: "w.yaml")
    }
    let engine = Engine(executor: executor)
    let run = engine.start(try workflow("pool: db,"))
    await expectEventually("a runs") { run.state["a"]?.phase == .running }
    let other = engine.start(
      try Workflow(text: "pools: { db: 1 }\nsteps: [{ id: c, pool: db, run: x }]", file: "w.yaml"))
    await expectEventually("c waits") { other.state["c"]?.waitsForPool != nil }
    #expect(try await run.restart(with: try workflow(""), from: []))
    #expect(try await other.outcome == .succeeded)
    for gate in gates.values { gate.open() }
    #expect(try await run.outcome == .succeeded)
  }

  @Test func `the places of a group are those that a surviving step has kept`() async throws {
    let folder = FileManager.default.temporaryDirectory.path + "/reprise-pools-\(UUID())"
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let claim = PoolClaim(pool: "db", count: 1, size: 1)
    let holder = CallingSteps.holder(ofGroup: "g", of: "r")
    let lease = try await PoolPlaces().take(
      [claim], for: holder, in: folder, SystemClock(), onWait: { _, _ in })
    let path = try #require(lease?.paths.first)
    // The host of the step shares the lock, and outlives the engine.
    let host = try PlaceLock(path, isShared: true)
    #expect(try PoolPlaces().keptPlaces([claim], for: holder, in: folder) != nil)
    let other = CallingSteps.holder(ofGroup: "other", of: "r")
    #expect(try PoolPlaces().keptPlaces([claim], for: other, in: folder) == nil)
    host?.release()
  }
}
