// Commands that name no workflow or no run, and workflows in files that are named alone.

import Foundation
import TestSupport
import Testing

struct ObviousTests {
  private static let tasks = """
    workflows:
      build:
        description: Build everything
        aliases: [b, make]
        params: { mode: { options: [debug, release], default: debug } }
        steps: [{ id: compile, env: { M: "${{ params.mode }}" }, run: "echo build $M >> ran" }]
      test:
        steps:
          - { id: build, uses: "#build", with: { mode: release } }
          - { id: unit, run: echo test >> ran }
      fail: { steps: [{ id: no, run: exit 3 }] }
    """

  private func scenario(_ tasks: String = Self.tasks) throws -> Scenario {
    let scenario = try Scenario()
    try scenario.write(tasks, to: "workflows/tasks.yaml")
    return scenario
  }

  // MARK: Workflows

  @Test func `a workflow in a file is run by its own name or an alias, also from a subfolder`()
    async throws
  {
    let scenario = try scenario()
    for words in [["run", "build"], ["b"], ["run", "make", "-p", "mode=release"], ["test"]] {
      _ = try await scenario.start(words).end().succeeds()
    }
    #expect(
      scenario.read("ran") == "build debug\nbuild debug\nbuild release\nbuild release\ntest\n")
    let inside = try await scenario.shell(
      "mkdir -p sub; cd sub; '\(Scenario.Started.executable.path)' run b --progress none")
    inside.succeeds()
    #expect(scenario.read("ran").hasSuffix("test\nbuild debug\n"))
  }

  @Test func `the name of a file takes precedence, and a name of several workflows is refused`()
    async throws
  {
    let scenario = try scenario()
    try scenario.write("steps: [{ id: a, run: echo file >> ran }]", to: "workflows/build.yaml")
    try await scenario.reprise("run", "build").succeeds()
    #expect(scenario.read("ran") == "file\n")
    try scenario.write(Self.tasks, to: "workflows/others.yaml")
    let refused = try await scenario.reprise("run", "test").fails(with: 2)
    #expect(
      refused.errors.contains(
        "more than one workflow is called \"test\"; name one: others#test, tasks#test"))
    try await scenario.reprise("run", "tasks#test").succeeds()
  }

  @Test func `without a name, the default runs, else the only one, else a list is printed`()
    async throws
  {
    let scenario = try scenario()
    let listed = try await scenario.reprise("run").fails(with: 2)
    #expect(
      listed.errors.contains("name one of the workflows")
        && listed.errors.contains("build  Build everything"))
    try scenario.write(
      Self.tasks.replacingOccurrences(of: "aliases:", with: "default: true\n    aliases:"),
      to: "workflows/tasks.yaml")
    try await scenario.reprise("run").succeeds()
    #expect(scenario.read("ran") == "build debug\n")
    try scenario.write("default: true\nsteps: [{ id: a, run: echo a }]", to: "workflows/other.yaml")
    let two = try await scenario.reprise("run").fails(with: 2)
    #expect(two.errors.contains("more than one workflow has \"default: true\": other, build"))
    let single = try Scenario()
    try single.write("steps: [{ id: a, run: echo single >> ran }]", to: "workflows/single.yaml")
    try await single.reprise("run").succeeds()
    #expect(single.read("ran") == "single\n")
    let empty = try Scenario()
    #expect(try await empty.reprise("run").fails(with: 2).errors.contains("reprise init"))
  }

  @Test func `on a terminal, the workflow is chosen with arrow keys or by a part of its name`()
    async throws
  {
    let scenario = try scenario()
    let output = try await scenario.onTerminal(
      "reprise run; reprise run",
      keys: "shown 'Which workflow?'; printf '\\033[B\\r'; shown '2 of 2 done'; "
        + "shown_times 2 'Which workflow?'; printf 'bui\\r'")
    #expect(output.contains("status 0"))
    #expect(scenario.read("ran") == "build release\ntest\nbuild debug\n")
  }

  @Test func `several workflows run one after the other until one fails, each with its parameters`()
    async throws
  {
    let scenario = try scenario()
    try await scenario.reprise("run", "build", "test", "-p", "mode=release").succeeds()
    #expect(scenario.read("ran") == "build release\nbuild release\ntest\n")
    try await scenario.reprise("run", "fail", "build").fails(with: 1)
    #expect(scenario.read("ran") == "build release\nbuild release\ntest\n")
    let unknown = try await scenario.reprise("run", "build", "test", "-p", "mod=x").fails(with: 2)
    #expect(
      unknown.errors.contains(
        "none of the workflows has a parameter \"mod\"; did you mean \"mode\"?"))
    try await scenario.reprise("run", "build", "nothing").fails(with: 2)
    #expect(scenario.read("ran").split(separator: "\n").count == 3, "nothing runs before an error")
  }

  @Test func `validate without a name checks all workflows of the project`() async throws {
    let scenario = try scenario()
    try scenario.write("steps: [{ id: a, rum: x }]", to: "workflows/broken.yaml")
    let ended = try await scenario.reprise("validate").fails(with: 2)
    let all = ended.output + ended.errors
    #expect(all.contains("tasks.yaml#test: 2 steps") && all.contains("did you mean \"run\"?"))
  }

  @Test func `the list has the short names, the aliases and the default`() async throws {
    let scenario = try scenario()
    let listed = try await scenario.reprise("list").succeeds()
    #expect(listed.output.contains("  build (b, make)  1 step  Build everything"))
    #expect(listed.output.contains("  fail             1 step"))
  }

  // MARK: Runs

  @Test func `show and logs mean the live run, else the last, and logs takes a step alone`()
    async throws
  {
    let scenario = try scenario()
    try await scenario.reprise("run", "build").succeeds()
    #expect(try await scenario.reprise("show").succeeds().output.contains("of build: succeeded"))
    try scenario.write(
      "steps: [{ id: wait, run: 'echo waiting; touch began; sleep 60' }]", to: "workflows/long.yaml"
    )
    try await scenario.reprise("run", "long", "--detach").succeeds()
    await expectEventually("it has begun") { scenario.has("began") }
    try await scenario.reprise("run", "build").succeeds()
    #expect(try await scenario.reprise("show").succeeds().output.contains("of long: running"))
    #expect(try await scenario.reprise("logs", "wait").succeeds().output == "waiting\n")
    let before = try await scenario.reprise("show", "@build~1").succeeds()
    #expect(before.output.contains("of build: succeeded"))
    let far = try await scenario.reprise("show", "@last~9").fails(with: 2)
    #expect(far.errors.contains("there are fewer before @last"))
    try await scenario.reprise("cancel", "--wait").succeeds()
    #expect(try await scenario.runs().map(\.status) == ["succeeded", "cancelled", "succeeded"])
    let none = try await scenario.reprise("cancel").fails(with: 2)
    #expect(none.errors.contains("no run is live; the last one is"))
  }

  @Test func `what changes a run must know which one is meant`() async throws {
    let scenario = try Scenario()
    try scenario.write(
      "steps: [{ id: go, approval: Go? }, { id: after, run: touch after }]",
      to: "workflows/ask.yaml")
    for _ in 0..<2 { try await scenario.reprise("run", "ask", "--detach").succeeds() }
    let refused = try await scenario.reprise("approve").fails(with: 2)
    #expect(refused.errors.contains("more than one run is live; name one:"))
    let shown = try await scenario.reprise("show").succeeds()
    #expect(shown.errors.contains("live as well:"))
    try await scenario.reprise("cancel", "@ask", "--wait").succeeds()
    try await scenario.reprise("approve", "go", "--wait").succeeds()
    await expectEventually("the run ends") {
      (try? await scenario.runs().map(\.status)) == ["cancelled", "succeeded"]
    }
    #expect(scenario.has("after"))
  }

  @Test func `resume without a run goes on with the last one`() async throws {
    let scenario = try Scenario()
    try scenario.write("steps: [{ id: a, run: test -e there }]", to: "workflows/needs.yaml")
    try await scenario.reprise("run").fails(with: 1)
    try scenario.write("", to: "there")
    try await scenario.reprise("resume").succeeds()
    #expect(try await scenario.runs().map(\.generation) == [2])
  }
}
