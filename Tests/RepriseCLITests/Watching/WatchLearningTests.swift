import ChildProcesses
import Foundation
import TestSupport
import Testing

/// `reprise watch` with steps that learn which files they use.
@Suite(.serialized, .enabled(if: FileTrace.problem == nil)) struct WatchLearningTests {
  /// Watches a workflow whose steps write below `src`, too.
  private func watching(_ on: String) async throws -> (Scenario, Scenario.Started) {
    let scenario = try Scenario()
    try scenario.write("one", to: "src/a.txt")
    try scenario.write("one", to: "src/b.txt")
    try scenario.write(
      """
      on: \(on)
      steps:
        # It takes longer than the time in which changes are collected.
        - { id: a, run: "cat src/a.txt > src/a.out; echo a >> log; sleep 0.5; cat src/a.txt > src/a2.out", cache: { auto: true, ignore: log } }
        - { id: b, run: "cat src/b.txt > src/b.out; echo b >> log", cache: { auto: true, ignore: log } }
      """, to: "w.yaml")
    let started = try scenario.start(["watch", "w.yaml", "--progress", "plain"])
    await scenario.becomesWatched()
    return (scenario, started)
  }

  private func runs(_ scenario: Scenario, are count: Int) async throws {
    try await expectEventually("\(count) runs have ended") {
      try await scenario.runs().filter { $0.status == "succeeded" }.count == count
    }
  }

  @Test func `what a step makes is no change, also before it has ended`() async throws {
    let (scenario, started) = try await watching("{ files: 'src/**' }")
    try scenario.write("two", to: "src/a.txt")
    try await runs(scenario, are: 1)
    try scenario.write("three", to: "src/a.txt")
    try await runs(scenario, are: 2)
    // Longer than the time in which a change of its own would have started another run.
    try scenario.write("two", to: "src/b.txt")
    try await runs(scenario, are: 3)
    started.send(SIGINT)
    _ = try await started.end()
    #expect(try await scenario.runs().count == 3)
    #expect(scenario.read("src/a2.out") == "three")
    #expect(scenario.read("log").split(separator: "\n").map(String.init) == ["a", "b", "a", "b"])
  }

  @Test func `a step that fails after it has written does not start itself`() async throws {
    let scenario = try Scenario()
    try scenario.write("one", to: "src/a.txt")
    try scenario.write(
      """
      on: { files: 'src/**' }
      steps:
        - { id: a, run: "tr a-z A-Z < src/a.txt > src/a.out; sort -o src/a.txt src/a.txt; cat > src/x; rm src/x; exit 1", cache: auto }
      """, to: "w.yaml")
    let started = try scenario.start(["watch", "w.yaml", "--progress", "plain"])
    await scenario.becomesWatched()
    func runsHaveFailed(_ count: Int) async throws {
      try await expectEventually("\(count) runs have failed") {
        try await scenario.runs().filter { $0.status == "failed" }.count == count
      }
    }
    try scenario.write("two", to: "src/a.txt")
    try await runsHaveFailed(1)
    // A file that the step writes, too.
    try scenario.write("three", to: "src/a.out")
    try await runsHaveFailed(2)
    try scenario.write("four", to: "src/a.txt")
    try await runsHaveFailed(3)
    started.send(SIGINT)
    _ = try await started.end()
    #expect(try await scenario.runs().count == 3)
  }

  @Test func `with restart-from affected, a change restarts the steps that have read the file`()
    async throws
  {
    let (scenario, started) = try await watching(
      "{ files: 'src/**', restart-from: affected, when-busy: restart }")
    try scenario.write("two", to: "src/a.txt")
    try await runs(scenario, are: 1)
    try scenario.write("two", to: "src/b.txt")
    await expectEventually("b has run again") { scenario.read("src/b.out") == "two" }
    started.send(SIGINT)
    _ = try await started.end()
    #expect(!scenario.read("log").hasSuffix("a\n"))
  }
}
