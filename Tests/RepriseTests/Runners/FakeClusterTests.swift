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
    let outcome = await run.outcome
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
    _ = await run.outcome
    check(cluster, seed)
  }
}
