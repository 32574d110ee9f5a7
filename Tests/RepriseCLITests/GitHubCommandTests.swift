import Foundation
import Testing

/// The command under GitHub Actions.
struct GitHubCommandTests {
  private static let workflow = """
    name: ci
    steps:
      - parallel:
          - { id: lint, run: "echo '::set-env name=A::b'; echo fine" }
          - { id: test, run: "echo broken; exit 3" }
      - { id: ship, run: echo }
    """

  private func environment(_ scenario: Scenario) -> [String: String] {
    let folder = scenario.folder.resolvingSymlinksInPath().path
    return [
      "GITHUB_ACTIONS": "true", "CI": "true", "GITHUB_WORKSPACE": folder,
      "GITHUB_STEP_SUMMARY": folder + "/summary.md",
    ]
  }

  @Test(arguments: [false, true])
  func `a run has groups, an annotation and a summary, also without a record`(
    _ isRecorded: Bool
  ) async throws {
    let scenario = try Scenario()
    try scenario.write(Self.workflow, to: "workflows/ci.yaml")
    try scenario.write("before\n", to: "summary.md")
    let arguments = ["run", "ci"] + (isRecorded ? [] : ["--no-journal"])
    let ended = try await scenario.start(arguments, environment: environment(scenario)).end()
    ended.fails(with: 1)
    let output = ended.output
    let protected =
      #/::group::lint \(\d.\ds\)\n::stop-commands::(\w{20,})\n::set-env name=A::b\nfine\n::(\w+)::\n::endgroup::\n/#
    let found = try #require(output.firstMatch(of: protected), "\(output)")
    #expect(found.1 == found.2)
    #expect(
      output.contains(
        "\n::error file=workflows/ci.yaml,line=5,title=test::exited with status 3%0Abroken\n"),
      "\(output)")
    #expect(output.contains("\nfirst failure: test exited with status 3\n  │ broken\n"))
    let summary = scenario.read("summary.md")
    #expect(summary.hasPrefix("before\n### ❌ ci: failed after "))
    #expect(summary.contains("| lint | ✅ succeeded |"))
    #expect(summary.hasSuffix("\n#### test\n\n```text\nbroken\n```\n"))
  }

  @Test func `the style github is available elsewhere, and plain lines are available there`()
    async throws
  {
    let scenario = try Scenario()
    try scenario.write("steps: [{ id: a, run: echo hello }]", to: "w.yaml")
    let elsewhere = try await scenario.reprise("run", "w.yaml", "--progress", "github").succeeds()
    #expect(elsewhere.output.contains("::group::a ("))
    let plain = try await scenario.reprise(
      "run", "w.yaml", "--progress", "plain", environment: environment(scenario)
    ).succeeds()
    #expect(plain.output.contains("a │ hello") && !plain.output.contains("::"))
    #expect(!scenario.has("summary.md"))
  }

  @Test func `a summary that is full stays as it is, and one that cannot be written is reported`()
    async throws
  {
    let scenario = try Scenario()
    try scenario.write("steps: [{ id: a, run: echo hello }]", to: "w.yaml")
    let full = String(repeating: "x", count: (1 << 20) - 10)
    try scenario.write(full, to: "summary.md")
    try await scenario.reprise("run", "w.yaml", environment: environment(scenario)).succeeds()
    #expect(scenario.read("summary.md") == full)
    var environment = environment(scenario)
    environment["GITHUB_STEP_SUMMARY"] = "/nonexistent/summary.md"
    let ended = try await scenario.reprise("run", "w.yaml", environment: environment).succeeds()
    #expect(
      ended.output.contains(
        "the summary of the run cannot be written to /nonexistent/summary.md: No such file"))
  }
}
