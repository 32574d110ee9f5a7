// Simulates many seeds, several at the same time.

import Platform

/// What many simulated runs were like together.
public struct SimulationFigures: Sendable, CustomStringConvertible {
  /// The number of seeds.
  public internal(set) var seeds = 0
  /// The first seed.
  public internal(set) var firstSeed: UInt64 = 0

  /// The figures as a sentence.
  public var description: String {
    "\(seeds) seeds from \(firstSeed) were simulated without a failure"
  }
}

/// Simulates a workflow under many seeds of failures, restarts, cancellations and crashes.
///
///     try await simulate(seeds: 1000) { simulation in
///       let shop = FakeShop()
///       let ended = try await simulation.run(order(from: shop))
///       try simulation.check(shop.charges <= 1, "charged twice", in: ended)
///     }
///
/// Equal seeds give equal runs, if the closures of the steps wait only for the clock of their context
/// and use no other randomness. A seed that fails is printed as part of the error, which ends the
/// simulation. With the environment variable `REPRISE_SEED`, only that seed is simulated.
///
/// - Parameters:
///   - count: The number of seeds.
///   - first: The first seed.
///   - faults: What happens to the runs.
///   - body: Runs the workflow with ``Simulation/run(_:engine:secrets:)`` and checks the result. It is
///     called once for each seed, for several seeds at the same time: what the steps change, such as
///     a fake service, must be made by `body`.
/// - Returns: The number of seeds, for a test to print.
/// - Throws: The error of the first seed that fails: a ``SimulationFailure``, with the error of `body`
///   as its reason if that is another one.
@discardableResult
public func simulate(
  seeds count: Int = 1000, from first: UInt64 = 1, faults: Faults = Faults(),
  _ body: @escaping @Sendable (Simulation) async throws -> Void
) async throws -> SimulationFigures {
  var seeds = Array(first..<first + UInt64(max(0, count)))
  if let alone = environmentVariable("REPRISE_SEED").flatMap(UInt64.init) { seeds = [alone] }
  let concurrentMax = 4
  try await withThrowingTaskGroup(of: Void.self) { group in
    for (position, seed) in seeds.enumerated() {
      if position >= concurrentMax { try await group.next() }
      group.addTask { try await simulate(seed, faults, body) }
    }
    try await group.waitForAll()
  }
  return SimulationFigures(seeds: seeds.count, firstSeed: seeds.first ?? first)
}

private func simulate(
  _ seed: UInt64, _ faults: Faults, _ body: @Sendable (Simulation) async throws -> Void
) async throws {
  do {
    try await body(Simulation(seed: seed, faults: faults))
  } catch let failure as SimulationFailure {
    throw failure
  } catch is CancellationError where Task.isCancelled {
    throw CancellationError()
  } catch {
    throw SimulationFailure(seed: seed, reason: "\(error)", events: nil)
  }
}
