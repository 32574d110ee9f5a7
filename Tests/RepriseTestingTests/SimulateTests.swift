// Tests of workflows under simulated faults.

import Reprise
import RepriseTesting
import Synchronization
import Testing

/// Tests of the simulation of an embedder's workflow.
struct SimulateTests {
  /// A fake service, which an order must not charge twice.
  final class Shop: Sendable {
    private let keys = Mutex<[String]>([])

    var charges: Int { keys.withLock { $0.count } }

    func charge(key: String?) {
      keys.withLock { keys in
        if let key, keys.contains(key) { return }
        keys.append(key ?? "")
      }
    }
  }

  private func order(from shop: Shop, isIdempotent: Bool) throws -> Workflow {
    try Workflow("order") {
      Step("reserve", .retry(20)) { _ in 7 }
      Step("charge", .retry(20)) { context in
        shop.charge(key: isIdempotent ? context.run.description : nil)
      }
      Parallel {
        Step("ship", .retry(20)) { context in try await context.clock.sleep(for: .seconds(86_400)) }
        Step("invoice", .retry(20)) { _ in "invoice" }
      }
      Step("go", approval: "Close it?")
      Step("close", .retry(20)) { _ in }
    }
  }

  @Test func `a thousand seeds of a small workflow keep what the engine promises`() async throws {
    let start = ContinuousClock.now
    let crashes = Mutex(0)
    let figures = try await simulate(seeds: 1000) { simulation in
      let shop = Shop()
      let ended = try await simulation.run(try order(from: shop, isIdempotent: true))
      try simulation.check(shop.charges <= 1, "charged twice", in: ended)
      if ended.outcome == .succeeded {
        try simulation.check(shop.charges == 1, "not charged", in: ended)
      }
      crashes.withLock { $0 += ended.crashes }
    }
    print(figures, crashes.withLock { $0 }, "crashes", ContinuousClock.now - start)
    #expect(figures.seeds == 1000)
    #expect(crashes.withLock { $0 } > 300)
  }

  @Test func `an error is found, and its seed finds it again`() async throws {
    @Sendable func simulated(_ simulation: Simulation) async throws {
      let shop = Shop()
      let ended = try await simulation.run(try order(from: shop, isIdempotent: false))
      try simulation.check(shop.charges <= 1, "charged twice", in: ended)
    }
    let failure = await #expect(throws: SimulationFailure.self) {
      try await simulate(seeds: 1000) { try await simulated($0) }
    }
    let seed = try #require(failure?.seed)
    #expect(
      failure?.description.hasPrefix(
        "seed \(seed): charged twice; simulate it alone with REPRISE_SEED=\(seed)\n") == true)
    let again = await #expect(throws: SimulationFailure.self) {
      try await simulate(seeds: 1, from: seed) { try await simulated($0) }
    }
    #expect(again?.description == failure?.description)
  }

  @Test(arguments: 1...20 as ClosedRange<UInt64>)
  func `a seed determines everything that happens`(_ seed: UInt64) async throws {
    let events = Mutex<[RecordedEvents]>([])
    for _ in 0..<2 {
      try await simulate(seeds: 1, from: seed) { simulation in
        let ended = try await simulation.run(try order(from: Shop(), isIdempotent: true))
        events.withLock { $0.append(ended.events) }
      }
    }
    let both = events.withLock { $0 }
    #expect(both[0] == both[1])
  }

  @Test func `a run that cannot end is a failure`() async throws {
    var faults = Faults.none
    faults.delayMax = .zero
    let failure = await #expect(throws: SimulationFailure.self) {
      try await simulate(seeds: 1, faults: faults) { simulation in
        _ = try await simulation.run(
          try Workflow("forever") {
            Step("again", .repeat(until: "1 == 2")) { _ in }
          })
      }
    }
    #expect(failure?.reason == "the run does not end")
  }
}
