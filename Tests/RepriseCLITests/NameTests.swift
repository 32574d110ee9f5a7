// Workflows by name: the lookup from a subfolder upward, and names in the place of a subcommand.

import Foundation
import TestSupport
import Testing

struct NameTests {
  /// Runs a command line in a subfolder of the scenario.
  private func reprise(
    _ line: String, in folder: String, of scenario: Scenario
  ) async throws -> Scenario.Ended {
    try await scenario.shell(
      "mkdir -p \(folder) && cd \(folder) && '\(Scenario.Started.executable.path)' \(line)")
  }

  @Test func `a workflow found by name runs in the root of its project`() async throws {
    let scenario = try Scenario()
    try scenario.write(
      "description: a\nparams: { who: {} }\nsteps: [{ id: a, dir: out, run: \"echo $WHO > log\", "
        + "env: { WHO: \"${{ params.who }}\" } }]", to: "workflows/deploy.yaml")
    try scenario.write("", to: "out/x")
    try scenario.write("who: Ada", to: "sub/deep/p.yaml")
    try await reprise("run deploy --params-file p.yaml", in: "sub/deep", of: scenario).succeeds()
    #expect(scenario.read("out/log") == "Ada\n")
    #expect(scenario.has(".reprise") && !scenario.has("sub/deep/.reprise"))
    let runs = try await reprise("runs", in: "sub", of: scenario).succeeds()
    #expect(runs.output.contains("deploy"))
    // Other commands use the same rule.
    for line in ["validate deploy", "graph deploy", "explain deploy a -p who=x", "list", ""] {
      let ended = try await reprise(line, in: "sub/deep", of: scenario).succeeds()
      #expect(ended.output.contains("a") && ended.errors.isEmpty, "\(ended)")
    }
    // A path runs where it is given, and is recorded in the same project.
    try scenario.write("steps: [{ id: a, run: echo here > here }]", to: "sub/w.yaml")
    try await reprise("run ./w.yaml", in: "sub", of: scenario).succeeds()
    #expect(scenario.has("sub/here") && !scenario.has("sub/.reprise"))
    #expect(try await scenario.runs().count == 2)
  }

  @Test func `the nearest workflow of a name is used, up to the root of the repository`()
    async throws
  {
    let scenario = try Scenario()
    try scenario.write("steps: [{ id: outer, run: x }]", to: "workflows/one.yaml")
    try scenario.write("steps: [{ id: outer, run: x }]", to: "workflows/two.yml")
    try scenario.write("steps: [{ id: inner, run: x }]", to: "part/workflows/one.yaml")
    let inner = try await reprise("graph one", in: "part/a", of: scenario).succeeds()
    #expect(inner.output.contains("inner"))
    let outer = try await reprise("graph two", in: "part/a", of: scenario).succeeds()
    #expect(outer.output.contains("outer"))
    try scenario.write("", to: "part/.git")
    try await reprise("graph one", in: "part/a", of: scenario).succeeds()
    let missing = try await reprise("graph two", in: "part/a", of: scenario).fails(with: 2)
    #expect(missing.errors.contains("there is no workflow \"two\" in \""))
    #expect(missing.errors.contains("part/workflows\"") && missing.errors.contains("there: one"))
  }

  @Test func `a name never means a file in the current folder`() async throws {
    let scenario = try Scenario()
    try scenario.write("steps: [{ id: a, run: x }]", to: "deploy")
    try scenario.write("steps: [{ id: a, run: x }]", to: "workflows/deplox.yaml")
    let ended = try await scenario.reprise("run", "deploy").fails(with: 2)
    #expect(ended.errors.contains("did you mean \"deplox\"?"), "\(ended.errors)")
    #expect(ended.errors.contains("the file of that name is: ./deploy"))
    try await scenario.reprise("validate", "./deploy").succeeds()
  }

  @Test func `the name of a workflow is short for run`() async throws {
    let scenario = try Scenario()
    try scenario.write("steps: [{ id: a, run: echo a >> log }]", to: "workflows/deploy.yaml")
    try scenario.write("steps: [{ id: a, run: echo b >> log }]", to: "workflows/list.yaml")
    try await scenario.reprise("deploy", "--progress", "none").succeeds()
    try await scenario.reprise("./workflows/deploy.yaml").succeeds()
    #expect(scenario.read("log") == "a\na\n")
    // Subcommands win, and the list says so.
    let listed = try await scenario.reprise("list").succeeds()
    #expect(
      listed.output.contains("list    1 step (a command, too; run it with: reprise run list)"))
    try await scenario.reprise("run", "list").succeeds()
    #expect(scenario.read("log") == "a\na\nb\n")
    let unknown = try await scenario.reprise("deplyo", "-p", "x=1").fails(with: 2)
    #expect(unknown.errors.contains("there is no command or workflow \"deplyo\"; did you mean"))
    #expect(unknown.errors.contains("\"deploy\"?"), "\(unknown.errors)")
  }

  @Test func `init writes a workflow that runs, and overwrites nothing`() async throws {
    let scenario = try Scenario()
    let created = try await scenario.reprise("init", "first").succeeds()
    #expect(created.output.contains("wrote workflows/first.yaml\n"))
    #expect(created.output.contains("reprise run first\n"))
    let validated = try await scenario.reprise("validate", "first").succeeds()
    #expect(validated.output == "workflows/first.yaml: 4 steps, no errors\n")
    let ended = try await scenario.reprise("first", "-p", "who=Ada").succeeds()
    #expect(ended.output.contains("greet   │ hello Ada"))
    try scenario.write("mine", to: "workflows/hello.yml")
    for line in ["init", "init first", "init a/b", "init .x"] {
      let refused = try await reprise(line, in: "sub", of: scenario).fails(with: 2)
      #expect(refused.errors.hasPrefix("error: "))
    }
    #expect(scenario.read("workflows/hello.yml") == "mine" && !scenario.has("sub/workflows"))
  }
}
