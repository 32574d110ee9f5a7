import Foundation
import TestSupport
import Testing

/// `reprise trigger NAME --for`: runs for past times of a schedule.
struct BackfillTests {
  private static let workflow = """
    params: { to: { type: string, default: x } }
    on: { schedule: ['0 2 * * *', { cron: '30 12 * * 1', time-zone: Europe/Berlin }] }
    steps:
      - id: report
        env: { T: "${{ trigger.time }}", KIND: "${{ trigger.kind }}", TO: "${{ params.to }}" }
        run: echo $KIND $T $TO >> log; case $T in *11-03*) test -e fixed;; esac

    """

  private func scenario(_ text: String = workflow) throws -> Scenario {
    let scenario = try Scenario()
    try scenario.write(text, to: "workflows/nightly.yaml")
    return scenario
  }

  @Test func `each time of the schedule has a run, and only those without one run again`()
    async throws
  {
    let scenario = try scenario()
    let environment = ["TZ": "UTC"]
    let range = ["--for", "2026-11-01..2026-11-04", "--progress", "plain"]
    func backfill(_ more: String...) async throws -> Scenario.Ended {
      try await scenario.start(
        ["trigger", "nightly"] + range + more, environment: environment
      ).end()
    }
    let first = try await backfill("-p", "to=me").fails(with: 1)
    #expect(first.errors.contains("5 runs, 1 failed: 2026-11-03T02:00:00.000000Z"))
    #expect(
      scenario.read("log").split(separator: "\n") == [
        "schedule 2026-11-01T02:00:00.000000Z me", "schedule 2026-11-02T02:00:00.000000Z me",
        "schedule 2026-11-02T11:30:00.000000Z me", "schedule 2026-11-03T02:00:00.000000Z me",
        "schedule 2026-11-04T02:00:00.000000Z me",
      ])
    let listed = try await backfill("--dry-run").succeeds()
    #expect(listed.output.contains("2026-11-02T11:30:00.000000Z  succeeded\n"))
    #expect(listed.output.contains("2026-11-03T02:00:00.000000Z\n"))
    try scenario.write("", to: "fixed")
    let second = try await backfill().succeeds()
    #expect(second.errors.contains("1 run, 0 failed; 4 had a run before"))
    #expect(scenario.read("log").split(separator: "\n").count == 6)
    try await backfill("--again").succeeds()
    #expect(scenario.read("log").split(separator: "\n").count == 11)
    #expect(try await scenario.runs().count == 11)
  }

  @Test func `a command that is stopped leaves the other times for the next one`() async throws {
    let scenario = try scenario(
      """
      on: { schedule: '@daily' }
      steps: [{ id: a, run: 'echo >> log; until test -e go; do sleep 0.02; done' }]

      """)
    let command = ["trigger", "nightly", "--for", "2026-11-01..2026-11-03", "--progress", "none"]
    let started = try scenario.start(command)
    await expectEventually("the first run") { scenario.has("log") }
    started.send(SIGINT)
    try await started.end().fails(with: 130)
    #expect(try await scenario.runs().map(\.status) == ["cancelled"])
    try scenario.write("", to: "go")
    try await scenario.start(command).end().succeeds()
    #expect(scenario.read("log") == "\n\n\n\n")
  }

  @Test(arguments: [
    ("2026-13-01", "on: { schedule: '@daily' }", "2026-11-01..2026-11-07"),
    ("2026-11-02..2026-11-01", "on: { schedule: '@daily' }", "expects days or minutes"),
    ("2026-11-01", "on: { socket: true }", "has no \"schedule\""),
    ("2026-11-01", "on: { schedule: { every: 10m } }", "counts from the start of the watch"),
    ("2999-01-01", "on: { schedule: '@daily' }", "has no times"),
    ("2006-01-01..2026-01-01", "on: { schedule: '* * * * *' }", "more than 10000 moments"),
  ])
  func `a range without times is refused with the reason`(
    _ range: String, _ on: String, _ reason: String
  ) async throws {
    let scenario = try scenario("\(on)\nsteps: [{ id: a, run: echo a >> log }]\n")
    let ended = try await scenario.reprise("trigger", "nightly", "--for", range).fails(with: 2)
    #expect(ended.errors.contains(reason), "\(ended.errors)")
    #expect(!scenario.has("log"))
  }
}
