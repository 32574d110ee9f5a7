import AllocationShim
import Foundation
import Reprise
import TestSupport
import Testing

/// Many engines and runs in one process leave nothing behind.
@Suite(.serialized) struct ManyEnginesTests {
  /// The resources of a process, which must not grow with the number of runs.
  private struct Holdings {
    var threads = 0
    var descriptors = 0
    /// The allocated bytes, without the caches of the allocator, which depend on thread timing.
    var memory = 0

    /// Returns the current resources of this process.
    static func now() throws -> Holdings {
      let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
      func number(_ name: String) -> Int {
        let line = status.split(separator: "\n").first { $0.hasPrefix(name + ":") }
        return line.flatMap { Int($0.filter(\.isNumber)) } ?? 0
      }
      return Holdings(
        threads: number("Threads"),
        descriptors: try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count,
        memory: Int(clamping: reprise_allocated_bytes()))
    }
  }

  private static func workflow() throws -> Workflow {
    try Workflow("many", .parameter("n", .number, default: 1)) {
      Step("a") { context in try context.parameter("n", as: Int.self) }
      Parallel {
        Step("b", .share("same")) { context in try context.input("a", as: Int.self) + 1 }
        Step("c", .share("same")) { context in try context.input("a", as: Int.self) + 1 }
      }
      Step("d", .timeout(.seconds(60)), .retry(1)) { context in
        let sum = try context.input("b", as: Int.self) + context.input("c", as: Int.self)
        context.report("the sum is \(sum)")
      }
    }
  }

  private static let runsAtOnce = 64

  /// Runs a workflow on many engines, at most `runsAtOnce` times at once.
  private static func run(engines: [Engine], runs: Int, _ workflow: Workflow) async throws {
    try await withThrowingTaskGroup(of: RunOutcome.self) { group in
      for number in 0..<runs {
        if number >= runsAtOnce { #expect(try await group.next() == .succeeded) }
        let engine = engines[number % engines.count]
        group.addTask {
          let run = engine.start(workflow)
          let subscription = run.events.sink { _ in }
          if number % 7 == 0 { run.restart() }
          defer { subscription.cancel() }
          return try await run.outcome
        }
      }
      for try await outcome in group { #expect(outcome == .succeeded) }
    }
  }

  @Test func `1,000 engines and 10,000 runs: neither threads nor descriptors nor memory grow`()
    async throws
  {
    let workflow = try Self.workflow()
    let engines = (0..<scaled(1000)).map { _ in Engine() }
    // One-time allocations and the caches of the allocator exist after the first runs.
    try await Self.run(engines: engines, runs: scaled(2000), workflow)
    let before = try Holdings.now()
    try await Self.run(engines: engines, runs: scaled(10_000), workflow)
    let after = try Holdings.now()
    // Events are delivered on queues, whose threads stay for some seconds: up to two for each
    // concurrent run. A thread for each engine or run would be a thousand or ten thousand.
    #expect(after.threads <= before.threads + 2 * Self.runsAtOnce)
    #expect(after.descriptors <= before.descriptors + 2)
    // The allocator caches some memory for each thread and counts it as allocated: up to 17 MB
    // here. Leaked runs would take more than 17 kB each.
    #expect(after.memory <= before.memory + (32 << 20))
  }

  @Test func `dropping the last reference cancels the runs in progress`() async throws {
    let alive = Protected(0)
    let workflow = try Workflow("long") {
      Step("a") { _ in
        alive.withLock { $0 += 1 }
        defer { alive.withLock { $0 -= 1 } }
        try await Gate().waitUnlessCancelled()
      }
    }
    let count = scaled(1000)
    var runs = (0..<count).map { _ in Engine().start(workflow) }
    await expectEventually("all runs have started") { alive.value == count }
    #expect(runs.count == count)
    runs = []
    await expectEventually("all runs have ended") { alive.value == 0 }
  }
}
