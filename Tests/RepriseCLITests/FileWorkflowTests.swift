// Workflows under `workflows` of a file, run by `FILE#NAME`.

import Foundation
import TestSupport
import Testing

struct FileWorkflowTests {
  private static let text = """
    steps: [{ id: main, run: echo main }]
    workflows:
      greet:
        description: Greets
        params: { name: you }
        on: { start: true }
        steps:
          - { id: say, env: { NAME: "${{ params.name }}" }, run: echo "$NAME" >> log }
          - { id: check, run: test ! -e stop }
      twice:
        steps: [{ id: first, uses: "#greet" }, { id: second, uses: "#greet", with: { name: me } }]
    """

  private func scenario() throws -> Scenario {
    let scenario = try Scenario()
    try scenario.write(Self.text, to: "workflows/ci.yaml")
    return scenario
  }

  @Test func `a workflow of a file runs, and its record continues it`() async throws {
    let scenario = try scenario()
    try scenario.write("", to: "stop")
    let failed = try await scenario.reprise("run", "ci#greet", "-p", "name=me").fails(with: 1)
    #expect(failed.output.contains("of greet"))
    #expect(scenario.read("log") == "me\n")
    let shown = try await scenario.reprise("show", "@greet").succeeds()
    #expect(shown.output.contains("workflows/ci.yaml#greet\n"))
    try await scenario.shell(
      "rm stop && mv workflows/ci.yaml workflows/x && cp workflows/x workflows/ci.yaml"
    )
    .succeeds()
    try await scenario.reprise("resume", "@last").succeeds()
    #expect(scenario.read("log") == "me\n")
    let part = try await scenario.reprise("run", "ci#greet", "--only", "check").succeeds()
    #expect(!part.output.contains("say"))
    try await scenario.reprise("ci#twice", "--progress", "none").succeeds()
    #expect(scenario.read("log") == "me\nyou\nme\n")
    try await scenario.reprise("run", "./workflows/ci.yaml#greet").succeeds()
    try await scenario.shell("sed -i 's/  greet:/  hello:/; s/#greet/#hello/g' workflows/ci.yaml")
      .succeeds()
    let gone = try await scenario.reprise("resume", "@greet", "--force").fails(with: 2)
    #expect(gone.errors.contains("no workflow \"greet\" under \"workflows\""), "\(gone.errors)")
  }

  @Test func `a wrong name is an error with the names that exist`() async throws {
    let scenario = try scenario()
    let wrong = try await scenario.reprise("run", "ci#gret").fails(with: 2)
    #expect(wrong.errors.contains("has no workflow \"gret\" under \"workflows\""))
    #expect(wrong.errors.contains("did you mean \"greet\"?\n  workflows there: greet, twice"))
    for command in ["validate", "graph", "watch"] {
      let ended = try await scenario.reprise(command, "./workflows/ci.yaml#greeting").fails(with: 2)
      #expect(ended.errors.contains("workflows there: greet, twice"), "\(ended.errors)")
    }
    let file = try await scenario.reprise("run", "di#greet").fails(with: 2)
    #expect(file.errors.contains("there is no workflow \"di\""))
    let empty = try await scenario.reprise("run", "ci#").fails(with: 2)
    #expect(empty.errors.contains("there is no workflow \"ci#\""))
  }

  @Test func `a file whose name contains the text with # is preferred`() async throws {
    let scenario = try scenario()
    try scenario.write("steps: [{ id: odd, run: x }]", to: "ci.yaml#greet")
    try scenario.write("steps: [{ id: odd, run: x }]", to: "workflows/ci#twice.yaml")
    try scenario.write("steps: [{ id: odd, run: x }]", to: "a#b.yaml")
    for name in ["./ci.yaml#greet", "ci#twice", "a#b.yaml"] {
      let graph = try await scenario.reprise("graph", name).succeeds()
      #expect(graph.output.contains("odd"), "\(name): \(graph.output)")
    }
  }

  @Test func `the list and validate have all workflows of a file`() async throws {
    let scenario = try scenario()
    try scenario.write(
      "description: Parts\nworkflows: { x: { steps: [{ id: a, run: y, needs: b }] } }",
      to: "workflows/lib.yaml")
    let listed = try await scenario.reprise("list").succeeds()
    #expect(listed.output.contains("ci     1 step\n  greet  2 steps  Greets\n"))
    #expect(listed.output.contains("  x      invalid: 1 error"))
    let valid = try await scenario.reprise("validate", "ci").succeeds()
    #expect(valid.output.contains("workflows/ci.yaml#twice: 4 steps, no errors"))
    let wrong = try await scenario.reprise("validate", "lib").fails(with: 2)
    #expect(wrong.errors.contains("R0401") && !wrong.errors.contains("R0213"))
    let run = try await scenario.reprise("run", "lib").fails(with: 2)
    #expect(run.errors.contains("has no steps of its own") && run.errors.contains("lib.yaml#x"))
    let dry = try await scenario.reprise("run", "ci#greet", "--dry-run").succeeds()
    #expect(dry.output.contains("say") && !dry.output.contains("main"))
  }

  @Test func `a watch runs a workflow of a file by its own triggers`() async throws {
    let scenario = try scenario()
    let watch = try scenario.start("watch ci#greet --progress plain", writingTo: "out")
    await expectEventually("it runs") { scenario.read("log") == "you\n" }
    watch.send(SIGINT)
    _ = try await watch.end()
  }
}
