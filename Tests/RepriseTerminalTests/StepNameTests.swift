// How displays refer to steps with names.

import Reprise
import Testing

@testable import RepriseTerminal

struct StepNameTests {
  private func events() throws -> [Event] {
    let run = try #require(RunID("abc"))
    var build = PlannedStep(id: "build")
    build.name = "Build all"
    var plan = RunPlan(workflow: "w", steps: [build, PlannedStep(id: "b", label: "linux")])
    plan.groupNames = ["b": "Tests"]
    let kinds: [Event.Kind] = [
      .runStarted(plan), .step("build", attempt: 1, .waiting),
      .step("build", attempt: 1, .started()),
      .step("build", attempt: 1, .output(.standardOutput, text: "x", isPartial: false)),
      .step("build", attempt: 1, .failed(.exited(status: 1))),
      .step("b", attempt: 0, .cancelled(.failure(ofStep: "build"))),
      .runEnded(.failed(step: "build", reason: .exited(status: 1))),
    ]
    return kinds.map { Event(time: Timestamp(microseconds: 0), run: run, generation: 1, kind: $0) }
  }

  private let style = Style(hasColour: false, hasUnicode: true)

  @Test func `the log shows names, and ids of the other steps`() throws {
    var log = PlainLog(style: style) { _ in .zero }
    let lines = try events().flatMap { log.lines(for: $0) }
      .map { String($0.string.dropFirst(13)) }
    #expect(
      lines == [
        "run abc of w started: 2 steps", "Build all started", "Build all │ x",
        "Build all failed after 0 ms: exited with status 1",
        "b         not run: Build all failed",
        "run failed after 0 ms, first at Build all",
      ])
  }

  @Test func `the report on a failure shows the id, too, for the next command`() throws {
    var log = PlainLog(style: style) { _ in .zero }
    for event in try events() { log.note(event) }
    let lines = FailureReport(state: log.state, style: style).lines.map(\.string)
    #expect(
      lines == [
        "", "first failure: Build all (build) exited with status 1", "  │ x",
        "not run because Build all failed: b",
      ])
  }

  @Test func `sentences about the end of a run and of a step have names`() throws {
    var log = PlainLog(style: style) { _ in .zero }
    for event in try events() { log.note(event) }
    let state = log.state
    #expect(
      state.text(of: RunOutcome.failed(step: "build", reason: .rejected))
        == "step \"Build all\" failed: was not approved")
    #expect(state.text(of: .cancelled) == "cancelled")
    #expect(
      state.text(of: CancellationCause.failure(ofStep: "build"))
        == "because step \"Build all\" failed")
    #expect(
      state.text(of: .cancellation(ofStep: "build"))
        == "because step \"Build all\" was cancelled")
    #expect(state.text(of: .restart) == "for a restart")
    #expect(state.text(of: .cancellation(ofStep: "none")) == "because step \"none\" was cancelled")
  }

  @Test func `groups of GitHub Actions and the summary of the job have names`() throws {
    var log = PlainLog(style: style) { _ in .zero }
    var groups = GitHubGroups(GitHubJob(environment: [:]), makeToken: { "t" })
    let text = try events().map { groups.text(for: $0, in: &log).string }.joined()
    #expect(text.contains("::group::Build all (0.0s)\n"))
    #expect(text.contains("::error title=Build all::"))
    let summary = GitHubSummary(state: log.state).markdown(room: 10_000)
    #expect(summary.contains("| Build all | ❌"))
    #expect(summary.contains("| b \\(linux\\) |"))
  }
}
