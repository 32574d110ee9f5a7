import Foundation
import TestSupport
import Testing

/// Runs that are started by steps of other runs, for which they must not wait.
@Suite(.serialized) struct NestedRunTests {
  private func scenario(_ outer: String, _ inner: String) throws -> Scenario {
    let scenario = try Scenario()
    let command = Scenario.Started.executable.path
    try scenario.write(outer.replacing("REPRISE", with: command), to: "outer.yaml")
    try scenario.write(inner.replacing("REPRISE", with: command), to: "inner.yaml")
    return scenario
  }

  /// Runs the outer workflow, not for ever.
  private func run(_ scenario: Scenario) async throws -> Scenario.Ended {
    let command = Scenario.Started.executable.path
    return try await scenario.shell(
      "timeout --foreground -k 10 60 '\(command)' run outer.yaml --progress plain")
  }

  @Test(arguments: [
    ("queue", "which would wait for it"), ("restart", "which waits for it"),
  ])
  func `a run of the group of the run that it runs in is refused at once`(
    _ policy: String, _ text: String
  ) async throws {
    let head = "concurrency: { group: g, policy: \(policy) }\n"
    let scenario = try scenario(
      head + "steps: [{ id: outer, run: REPRISE run inner.yaml --progress plain }]\n",
      head + "steps: [{ id: inner, run: touch ran }]\n")
    let ended = try await run(scenario).fails(with: 1)
    #expect(ended.output.contains("of the group \"g\""), "\(ended)")
    #expect(ended.output.contains(text), "\(ended)")
    #expect(!scenario.has("ran"))
    #expect(try await scenario.runs().map(\.status) == ["abandoned", "failed"])
  }

  /// The variable of the run names only the innermost one.
  @Test func `a run two levels below the run of its group is refused, too`() async throws {
    let scenario = try scenario(
      """
      concurrency: { group: g, policy: queue }
      steps: [{ id: outer, run: REPRISE run middle.yaml --progress plain }]

      """, "concurrency: { group: g, policy: queue }\nsteps: [{ id: inner, run: touch ran }]\n")
    let command = Scenario.Started.executable.path
    try scenario.write(
      "steps: [{ id: middle, run: \(command) run inner.yaml --progress plain }]\n",
      to: "middle.yaml")
    let ended = try await run(scenario).fails(with: 1)
    #expect(ended.output.contains("which would wait for it"), "\(ended)")
    #expect(!scenario.has("ran"))
  }

  @Test func `a run beside the one that it runs in may begin if its group has a place for it`()
    async throws
  {
    let head = "concurrency: { group: g, policy: queue, limit: 2 }\n"
    let scenario = try scenario(
      head + "steps: [{ id: outer, run: REPRISE run inner.yaml --progress plain }]\n",
      head + "steps: [{ id: inner, run: touch ran }]\n")
    try await run(scenario).succeeds()
    #expect(scenario.has("ran"))
  }

  @Test func `a step is refused whose pool is held by the step that its run runs in`()
    async throws
  {
    let scenario = try scenario(
      """
      pools: { p: 2 }
      steps: [{ id: outer, pool: p, run: REPRISE run inner.yaml --progress plain }]

      """,
      """
      pools: { p: 2 }
      steps:
        - { id: one, pool: p, run: touch one }
        - { id: both, pool: { name: p, take: 2 }, run: touch both }

      """)
    let ended = try await run(scenario).fails(with: 1)
    #expect(ended.output.contains("it would wait for itself: step \"outer\" of run"), "\(ended)")
    #expect(ended.output.contains("holds 1 of 2 places of pool \"p\""), "\(ended)")
    #expect(scenario.has("one") && !scenario.has("both"))
  }

  @Test func `a step cannot wait for an event of the watch whose run it belongs to`() async throws {
    let scenario = try scenario(
      """
      name: outer
      on: { start: true, socket: true }
      steps:
        - { id: outer, run: "REPRISE trigger outer --wait > answer 2>&1 || touch refused" }

      """, "steps: [{ id: inner, run: x }]\n")
    let watching = try scenario.start(["watch", "outer.yaml"])
    await expectEventually("it is refused") { scenario.has("refused") }
    #expect(scenario.read("answer").contains("waits for the command, which would wait for its end"))
    watching.send(SIGINT)
    _ = try await watching.end()
  }
}
