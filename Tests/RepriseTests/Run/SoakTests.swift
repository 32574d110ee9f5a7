import ChildProcesses
import Foundation
import Reprise
import TestSupport
import Testing

/// Many runs in one process, with random cancels and restarts, leak nothing.
@Suite(.serialized) struct SoakTests {
  private struct Usage: CustomStringConvertible {
    let descriptors: Int
    let threads: Int
    let children: Int
    let kibibytes: Int

    static func now() throws -> Usage {
      let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
      func number(_ key: String) -> Int {
        let line = status.split(separator: "\n").first { $0.hasPrefix(key) } ?? ""
        return line.split(separator: "\t").last.flatMap {
          Int($0.prefix { $0.isNumber || $0 == " " }.filter(\.isNumber))
        } ?? 0
      }
      let pid = getpid()
      let children = try String(
        contentsOfFile: "/proc/\(pid)/task/\(pid)/children", encoding: .utf8)
      return Usage(
        descriptors: try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count,
        threads: number("Threads:"), children: children.split(separator: " ").count,
        kibibytes: number("VmRSS:"))
    }

    var description: String {
      "\(descriptors) descriptors, \(threads) threads, \(children) children, \(kibibytes) KiB"
    }
  }

  @Test func `descriptors, threads, children and memory do not grow over many runs`()
    async throws
  {
    adoptOrphans()
    var generator = SeededGenerator.announced()
    let workflow = try Workflow(
      text: """
        grace: 500ms
        steps:
          - { id: a, run: echo hello }
          - parallel:
              - { id: b, run: "(setsid sleep 0.02 &); echo b" }
              - { id: c, run: exit 1 }
              - { id: d, run: sleep 0.01 }
          - { id: e, needs: [b, d], run: echo done }
        """, file: "w.yaml")
    let count = rounds(60, soak: 10_000)
    var early: Usage?
    let clock = SystemClock()
    for number in 0..<count {
      let run = Engine().start(workflow)
      let seen = Protected(0)
      let subscription = run.events.sink { _ in seen.withLock { $0 += 1 } }
      for _ in 0..<Int.random(in: 0...2, using: &generator) {
        try await clock.sleep(for: .milliseconds(Int.random(in: 0...15, using: &generator)))
        switch Int.random(in: 0..<4, using: &generator) {
        case 0: run.cancel()
        case 1: try run.restart(from: "b")
        default: run.restart()
        }
      }
      // The grace period plus three times the length of the steps; a run that hangs misses the
      // deadline.
      await expectEventually(
        "run \(number) ends", within: promised(.seconds(5), busy: .seconds(60))
      ) {
        !run.state.phase.isActive
      }
      guard !run.state.phase.isActive else { return }
      _ = try await run.outcome
      // Events are delivered on a queue of the run and may still be pending.
      await expectEventually("the events of run \(number)") { seen.value > 0 }
      subscription.cancel()
      if number == count / 3 { early = try Usage.now() }
    }
    let late = try Usage.now()
    let first = try #require(early)
    print("after a third: \(first); at the end: \(late)")
    #expect(abs(late.descriptors - first.descriptors) <= 4)
    #expect(abs(late.threads - first.threads) <= 8)
    // Tests before this one may have left hosts that are still ending.
    #expect(late.children <= first.children)
    // Allows for allocator caches; the soak test detects a leak of 10 KiB per run.
    #expect(late.kibibytes - first.kibibytes < 32 * 1024, "\(first) → \(late)")
  }
}
