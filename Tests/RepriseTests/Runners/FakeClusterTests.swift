import Reprise
import Synchronization
import TestSupport
import Testing

/// Runs on a cluster that fails in every way, with restarts, cancels and deaths of the engine.
struct FakeClusterTests {
  private func engine() -> Engine {
    var engine = Engine(clock: HurryingClock())
    engine.register(FakeRunner.self)
    return engine
  }

  private func workflow(_ seed: UInt64, steps: Int, failing: Bool) throws -> Workflow {
    var text = "runners: { far: { fake: { cluster: \(seed) } } }\nrunner: far\nsteps:\n"
    for step in 0..<steps {
      let needs = (0..<step).filter { _ in step % 3 != 0 }.suffix(2).map { "s\($0)" }
      let word = failing && step == steps - 1 ? "fail" : "true"
      text += "  - { id: s\(step), needs: [\(needs.joined(separator: ", "))], exec: [\(word)] }\n"
    }
    return try Workflow(text: text, file: "w.yaml", actions: engine().actions)
  }

  private func cluster(_ seed: UInt64) -> FakeCluster {
    let cluster = FakeCluster(seed: seed)
    FakeRunner.clusters.withLock { $0[Int(seed)] = cluster }
    return cluster
  }

  private func check(_ cluster: FakeCluster, _ seed: UInt64) {
    let record = cluster.record
    #expect(record.overlaps == [], "two attempts of a step at once; seed \(seed)")
    #expect(record.alive.isEmpty, "something is left at the end; seed \(seed)")
    #expect(record.launches.values.allSatisfy { $0 == 1 }, "seed \(seed)")
  }

  @Test(arguments: 1..<40 as Range<UInt64>)
  func `every step runs once, whatever the cluster answers`(seed: UInt64) async throws {
    let cluster = cluster(seed)
    let failing = seed % 4 == 0
    let run = engine().start(try workflow(seed, steps: 8, failing: failing))
    let outcome = try await run.outcome
    #expect(
      outcome
        == (failing ? .failed(step: "s7", reason: .exited(status: 1)) : .succeeded), "seed \(seed)")
    #expect(cluster.record.launches.count == 8, "seed \(seed)")
    check(cluster, seed)
  }

  @Test(arguments: 100..<140 as Range<UInt64>)
  func `restarts and cancels leave nothing and never overlap`(seed: UInt64) async throws {
    let cluster = cluster(seed)
    var random = SeededGenerator(seed: seed)
    let run = engine().start(try workflow(seed, steps: 6, failing: false))
    for _ in 0..<Int.random(in: 1...4, using: &random) {
      let count = run.state.counts.final + Int.random(in: 0...2, using: &random)
      let launches = cluster.record.launches.count
      await expectEventually("something happens") {
        run.state.counts.final >= count || cluster.record.launches.count > launches
          || !run.state.phase.isActive
      }
      if Bool.random(using: &random) {
        run.restart()
      } else {
        try run.restart(from: "s\(Int.random(in: 0..<6, using: &random))")
      }
    }
    if Bool.random(using: &random) { run.cancel() }
    _ = try await run.outcome
    check(cluster, seed)
  }

  // MARK: Clusters that refuse, and that cannot be reached

  private func faulty(
    _ seed: UInt64, _ fault: FakeCluster.Fault, settings: String = "", steps: String
  ) throws -> (FakeCluster, Run) {
    let cluster = FakeCluster(seed: seed, fault: fault)
    FakeRunner.clusters.withLock { $0[Int(seed)] = cluster }
    let text = """
      runner: { fake: { cluster: \(seed)\(settings) } }
      steps:
      \(steps)
      finally:
        - { id: f, runner: local, exec: ["true"] }
      """
    let engine = engine()
    let workflow = try Workflow(text: text, file: "w.yaml", actions: engine.actions)
    return (cluster, engine.start(workflow))
  }

  @Test(arguments: 200..<210 as Range<UInt64>)
  func `a limit of a cluster makes attempts wait, and all of them run`(seed: UInt64) async throws {
    let (cluster, run) = try faulty(
      seed, .limit(2), steps: "  - { id: a, foreach: { from: 1, to: 9 }, exec: [\"true\"] }")
    #expect(try await run.outcome == .succeeded, "seed \(seed)")
    #expect(cluster.record.launches.count == 9, "seed \(seed)")
    check(cluster, seed)
  }

  @Test func `a policy that refuses an attempt fails it, and retry decides`() async throws {
    let (cluster, run) = try faulty(
      220, .policy, steps: "  - { id: a, retry: { limit: 2, delay: 1ms }, exec: [\"true\"] }")
    #expect(try await run.outcome == .failed(step: "a", reason: .notStarted("Invalid account")))
    #expect(run.state["a"]?.attempt == 3 && run.state["f"]?.phase == .succeeded([:]))
    check(cluster, 220)
  }

  @Test(arguments: ["timeout: 2s, ", ""])
  func `a step on a cluster that is never reached fails in its time`(timeout: String) async throws {
    let (cluster, run) = try faulty(
      timeout.isEmpty ? 221 : 222, .unreachable,
      settings: ", isPatient: true" + (timeout.isEmpty ? ", lostAfter: 2s" : ""),
      steps: "  - { id: a, \(timeout)exec: [\"true\"] }")
    let events = Task {
      await run.events.values.reduce(into: [String]()) { $0.append($1.kind.description) }
    }
    #expect(
      try await run.outcome
        == .failed(
          step: "a", reason: .notStarted("gave up after 2.0 s: no route to the cluster")))
    #expect(run.state["f"]?.phase == .succeeded([:]))
    #expect(await events.value.count { $0.contains("queued") && $0.contains("no route") } == 1)
    let questions = cluster.record.questions
    #expect((2...3).contains(questions.count))
    for (before, after) in zip(questions, questions.dropFirst()) {
      #expect(after - before >= .milliseconds(900))
    }
  }

  @Test(arguments: [FakeCluster.Fault.unreachable, .silent])
  func `a cancel of a step on a cluster that does not answer ends`(_ fault: FakeCluster.Fault)
    async throws
  {
    let (cluster, run) = try faulty(
      fault == .silent ? 223 : 224, fault, settings: ", isPatient: true",
      steps: "  - { id: a, grace: 100ms, exec: [\"true\"] }")
    await expectEventually("the cluster is asked") { !cluster.record.questions.isEmpty }
    run.cancel()
    #expect(try await run.outcome == .cancelled)
    #expect(run.state["f"]?.phase == .succeeded([:]))
    // From the stop on as well, each pause is longer than the one before.
    let questions = cluster.record.questions
    #expect(questions.count <= 8, "\(questions.count) questions")
  }
}
