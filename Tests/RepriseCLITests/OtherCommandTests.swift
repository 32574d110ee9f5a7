import Foundation
import RepriseHost
import RepriseJournal
import Testing

@testable import RepriseCLI

struct OtherCommandTests {
  @Test func `the version names the commit that was built`() async throws {
    let version = try await Scenario().reprise("--version").succeeds()
    // Without the commit where it was not built from a checkout.
    #expect(version.output.contains(/^0\.\d+\.\d+( \([0-9a-f]{12}(-modified)?\))?\n$/))
    let checkout = FileManager.default.fileExists(
      atPath: URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: ".git").path)
    #expect(version.output.contains("(") == checkout)
  }

  @Test func `without a command the available workflows are listed`() async throws {
    let scenario = try Scenario()
    let empty = try await scenario.reprise().succeeds()
    #expect(empty.output.contains("There is no workflow here yet"))
    #expect(empty.output.contains("reprise init"))
    try scenario.write("description: greets\nsteps: [{ id: a, run: x }]", to: "workflows/hi.yaml")
    try scenario.write("steps: [", to: "workflows/broken.yml")
    let listed = try await scenario.reprise().succeeds()
    #expect(listed.output.contains("  broken  invalid: 1 error; see reprise validate\n"))
    #expect(listed.output.contains("  hi      1 step  greets\n"))
    #expect(listed.output.contains("reprise run"))
  }

  @Test func `validate reports every error of every file`() async throws {
    let scenario = try Scenario()
    try scenario.write("steps: [{ id: a, run: x, neds: b }, { id: a, run: y }]", to: "one.yaml")
    try scenario.write("steps: [{ id: a, run: ls }]", to: "two.yaml")
    let ended = try await scenario.reprise("validate", "one.yaml", "two.yaml", "three").fails(
      with: 2)
    #expect(ended.output == "two.yaml: 1 step, no errors\n")
    for part in [
      "one.yaml:1:26: error[R0201]: a step has no key \"neds\"", "did you mean \"needs\"?",
      "one.yaml:1:43: error[R0303]: the id \"a\" is already used",
      "there is no workflow \"three\"",
    ] { #expect(ended.errors.contains(part), "\(ended.errors)") }
  }

  @Test func `missing time zone data is reported`() async throws {
    let scenario = try Scenario()
    try scenario.write(
      "on: { schedule: { cron: '0 7 * * *', time-zone: Europe/Berlin } }\n"
        + "steps: [{ id: a, run: x }]", to: "w.yaml")
    try await scenario.reprise("validate", "w.yaml").succeeds()
    let ended = try await scenario.reprise(
      "validate", "w.yaml", environment: ["TZDIR": scenario.folder.path]
    ).fails(with: 2)
    #expect(ended.errors.contains("there is no time zone \"Europe/Berlin\""))
    #expect(ended.errors.contains("tzdata"))
  }

  @Test(arguments: ["text", "mermaid", "dot", "json"])
  func `a graph is drawn`(_ format: String) async throws {
    let scenario = try Scenario()
    try scenario.write("steps: [{ id: a, run: x }, { id: b, run: y }]", to: "w.yaml")
    let ended = try await scenario.reprise("graph", "w.yaml", "--format", format).succeeds()
    #expect(ended.output.contains("a") && ended.output.contains("b"))
    if format == "json" {
      _ = try JSONSerialization.jsonObject(with: Data(ended.output.utf8))
    }
  }

  @Test(arguments: [
    ["--help"], ["run", "--help"], ["validate", "--help"], ["graph", "--help"], ["list", "--help"],
  ])
  func `the help of each command has an example`(_ arguments: [String]) async throws {
    let ended = try await Scenario().start(arguments).end().succeeds()
    #expect(ended.output.contains("EXAMPLE") && ended.output.contains("reprise "))
  }

  @Test(arguments: [
    ["run"], ["run", "x", "--max-parallel", "0"], ["nonsense"], ["run", "x", "--progress", "loud"],
    ["list", "no-such-folder"],
  ])
  func `an error on the command line has exit status 2`(_ arguments: [String]) async throws {
    let ended = try await Scenario().start(arguments).end().fails(with: 2)
    #expect(ended.output.isEmpty && ended.errors.lowercased().contains("error:"))
  }

  @Test(arguments: [
    (["rnu", "x"], "error: there is no command or workflow \"rnu\"; did you mean \"run\"?"),
    (["help", "nosuch"], "error: there is no command \"nosuch\"\n"),
    (["run", "/no/such.yaml"], "error: there is no workflow file \"/no/such.yaml\""),
    (["run", "nosuch"], "there is no folder \"workflows\" here or in a parent folder"),
    (["run", "no/such"], "no file at that path, and there is no folder \"workflows\" here"),
    (["explain", "R0299"], "error: there is no error code \"R0299\"; did you mean \"R0301\"?"),
    (["explain", "build"], "Missing expected argument '<step>'"),
  ]) func `an unknown command, file or code is reported with a suggestion`(
    _ arguments: [String], _ says: String
  ) async throws {
    let ended = try await Scenario().start(arguments).end().fails(with: 2)
    #expect(ended.output.isEmpty && ended.errors.contains(says), "\(ended.errors)")
  }

  @Test func `explain shows the meaning of an error code`() async throws {
    let ended = try await Scenario().reprise("explain", "r0402").succeeds()
    let parts = ["R0402: dependency cycle\n\n", "error[R0402]: dependency cycle: a -> c -> b -> a"]
    #expect(parts.allSatisfy(ended.output.contains), "\(ended.output)")
  }

  @Test func `explain shows when a step under finally runs`() async throws {
    let scenario = try Scenario()
    try scenario.write(
      "steps: [{ id: a, run: x }]\nfinally: [{ id: notify, when: failure, run: x }]", to: "w.yaml")
    let ended = try await scenario.reprise("explain", "w.yaml", "notify").succeeds()
    #expect(ended.output.contains("it runs only if the run ends with failure"))
  }

  @Test func `validate corrects names of earlier versions, after it has shown how`() async throws {
    let scenario = try Scenario()
    try scenario.write(
      "steps: [{ id: a, run: 'true', cache: { inputs: w.yaml, outputs: [] } }]\n", to: "real.yaml")
    let files = FileManager.default
    let (link, real) = (scenario.folder.path + "/w.yaml", scenario.folder.path + "/real.yaml")
    try files.setAttributes([.posixPermissions: 0o640], ofItemAtPath: real)
    try files.createSymbolicLink(atPath: link, withDestinationPath: "real.yaml")
    let run = try await scenario.reprise("run", "w.yaml").succeeds()
    #expect(run.errors.contains("reprise validate --fix w.yaml"), "\(run.errors)")
    let ended = try await scenario.reprise("validate", "--fix", "w.yaml").succeeds()
    #expect(
      ended.output.hasPrefix("--- w.yaml\n+++ w.yaml\n@@ -1 +1 @@\n-steps:"), "\(ended.output)")
    #expect(ended.output.hasSuffix("w.yaml: 1 step, no errors\n"), "\(ended.output)")
    #expect(
      scenario.read("real.yaml")
        == "steps: [{ id: a, run: 'true', cache: { inputs: w.yaml, makes: [] } }]\n")
    #expect(try files.destinationOfSymbolicLink(atPath: link) == "real.yaml")
    #expect(try files.attributesOfItem(atPath: real)[.posixPermissions] as? Int == 0o640)
    let again = try await scenario.reprise("run", "w.yaml").succeeds()
    #expect(again.errors.isEmpty, "\(again.errors)")
  }

  private func request(_ scenario: Scenario) -> RunRequest {
    RunRequest(
      workflow: "w", file: "/w.yaml", directory: scenario.folder.path, source: "steps: []")
  }

  @Test func `a run whose engine has died has no duration`() throws {
    let scenario = try Scenario()
    let journal = try scenario.journal()
    try journal.begin(request(scenario)).end(as: .failed)
    #expect(try journal.run(named: "@last").took != nil)
    _ = try journal.begin(request(scenario))
    try journal.recover { _ in }
    let dead = try journal.run(named: "@last")
    #expect(dead.status == .interrupted && dead.endedAt != nil)
    #expect(dead.took == nil)
  }

  @Test func `prune deletes old runs, except live ones and those to keep`()
    async throws
  {
    let scenario = try Scenario()
    let journal = try scenario.journal()
    let live = try journal.begin(request(scenario))
    for _ in 0..<3 { try journal.begin(request(scenario)).end(as: .succeeded) }
    let young = try await scenario.reprise("prune", "--older-than", "1d").succeeds()
    #expect(young.output == "0 runs deleted\n")
    let reported = try await scenario.reprise("prune", "--keep", "2", "--dry-run").succeeds()
    #expect(reported.output.split(separator: "\n").count == 1, "\(reported.output)")
    #expect(try journal.runs().count == 4)
    let kept = try await scenario.reprise("prune", "--keep", "2").succeeds()
    #expect(kept.output == "1 run deleted\n")
    try await scenario.reprise("prune", "--older-than", "1ms", "--keep", "0").succeeds()
    #expect(try journal.runs().map(\.id) == [live.id])
  }

  @Test(arguments: ["bash", "zsh", "fish"]) func `shells get completions`(_ shell: String)
    async throws
  {
    let ended = try await Scenario().reprise("--generate-completion-script", shell).succeeds()
    #expect(ended.output.contains("reprise"))
  }
}
