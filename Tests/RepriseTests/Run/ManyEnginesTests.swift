import AllocationShim
import Foundation
import Reprise
import TestSupport
import Testing

/// Many engines and runs in one process leave nothing behind.
@Suite(.serialized) struct ManyEnginesTests {
  /// What a process holds: it may not grow with the number of runs.
  private struct Holdings {
    var threads = 0
    var descriptors = 0
    /// What is allocated, in bytes; not what the allocator keeps, which depends on how threads met.
    var memory = 0

    /// What this process holds now.
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

  /// Starts runs of many engines, some at a time.
  private static func run(engines: [Engine], runs: Int, _ workflow: Workflow) async {
    await withTaskGroup(of: RunOutcome.self) { group in
      for number in 0..<runs {
        if number >= runsAtOnce { #expect(await group.next() == .succeeded) }
        let engine = engines[number % engines.count]
        group.addTask {
          let run = engine.start(workflow)
          let subscription = run.events.sink { _ in }
          if number % 7 == 0 { run.restart() }
          defer { subscription.cancel() }
          return await run.outcome
        }
      }
      for await outcome in group { #expect(outcome == .succeeded) }
    }
  }

  @Test func `1,000 engines and 10,000 runs: neither threads nor descriptors nor memory grow`()
    async throws
  {
    let workflow = try Self.workflow()
    let engines = (0..<scaled(1000)).map { _ in Engine() }
    // What is made once, and what the allocator keeps for itself, is there after the first ones.
    await Self.run(engines: engines, runs: scaled(2000), workflow)
    let before = try Holdings.now()
    await Self.run(engines: engines, runs: scaled(10_000), workflow)
    let after = try Holdings.now()
    // Events are told on queues, whose threads stay for some seconds: up to two for each run that is under way at
    // the same time. A thread for each engine or run would be a thousand or ten.
    #expect(after.threads <= before.threads + 2 * Self.runsAtOnce)
    #expect(after.descriptors <= before.descriptors + 2)
    // The allocator keeps some memory for each thread, and counts it as allocated: up to 17 MB for these. Runs that
    // stayed would take more than that many kilobytes each.
    #expect(after.memory <= before.memory + (32 << 20))
  }

  @Test func `dropping the last reference cancels what is under way`() async throws {
    let alive = Protected(0)
    let workflow = try Workflow("long") {
      Step("a") { _ in
        alive.withLock { $0 += 1 }
        defer { alive.withLock { $0 -= 1 } }
        try await Gate().waitOrStop()
      }
    }
    let count = scaled(1000)
    var runs = (0..<count).map { _ in Engine().start(workflow) }
    await expectEventually("all run") { alive.value == count }
    #expect(runs.count == count)
    runs = []
    await expectEventually("none is left") { alive.value == 0 }
  }
}
