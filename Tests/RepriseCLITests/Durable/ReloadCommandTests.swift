import Foundation
import Reprise
import RepriseJournal
import TestSupport
import Testing

/// Live runs whose workflow file is edited and read again.
@Suite(.serialized) struct ReloadCommandTests {
  /// Each step writes its id, generation and the version of the file to the log.
  private static func file(
    _ version: [String: String] = [:], added: String = "", without: String? = nil
  ) -> String {
    func step(_ id: String, _ rest: String, _ more: String = "") -> String {
      guard id != without else { return "" }
      return """
          - id: \(id)
            needs: [\(rest)]
            run: |
              echo \(id) \(version[id] ?? "old") $REPRISE_GENERATION >> log
              \(more.isEmpty ? "true" : more)

        """
    }
    return "name: edited\ngrace: 2s\nsteps:\n" + step("a", "") + step("b", "a", Self.wait)
      + step("side", "", Self.wait) + step("end", without == "side" ? "b" : "b, side") + added
  }

  private static let wait = "touch up-$REPRISE_STEP_ID; while [ ! -e go ]; do sleep 0.02; done"

  private func start(_ scenario: Scenario) async throws -> Scenario.Started {
    try scenario.write(Self.file(), to: "w.yaml")
    let started = try scenario.start(["run", "w.yaml", "--progress", "plain"])
    await expectEventually("both run") { scenario.has("up-b") && scenario.has("up-side") }
    return started
  }

  private func end(_ scenario: Scenario, _ started: Scenario.Started) async throws {
    try scenario.write("", to: "go")
    try await started.end().succeeds()
  }

  @Test func `only changed steps and their dependents run again`() async throws {
    let scenario = try Scenario()
    let started = try await start(scenario)
    try FileManager.default.removeItem(at: scenario.folder.appendingPathComponent("up-b"))
    try scenario.write(Self.file(["b": "new"]), to: "w.yaml")
    let dry = try await scenario.reprise(
      "restart", "@last", "--reload", "--changed", "--dry-run"
    ).succeeds()
    #expect(dry.output.contains("generation 2 would begin with:\n  changed:\n    b\n"))
    #expect(dry.output.contains("- run: echo b old"))
    #expect(dry.output.contains("+ run: echo b new"))
    #expect(dry.output.contains("run again: b\n  go on running: side\n"))
    #expect(!scenario.has("up-b"))
    let done = try await scenario.reprise("restart", "@last", "--reload", "--changed").succeeds()
    #expect(done.output.contains("reloaded: generation 2 begins"))
    await expectEventually("b runs again") { scenario.has("up-b") }
    try await end(scenario, started)
    #expect(
      scenario.read("log").split(separator: "\n").sorted() == [
        "a old 1", "b new 2", "b old 1", "end old 2", "side old 1",
      ])
  }

  @Test func `a file with an error leaves the run untouched and is reported as by validate`()
    async throws
  {
    let scenario = try Scenario()
    let started = try await start(scenario)
    try scenario.write(Self.file(added: "  - { id: x, needs: [nowhere], run: x }\n"), to: "w.yaml")
    let refused = try await scenario.reprise("restart", "@last", "--reload").fails(with: 2)
    let validated = try await scenario.reprise("validate", "w.yaml").fails(with: 2)
    #expect(refused.errors.contains("w.yaml:"))
    #expect(refused.errors.contains("needs \"nowhere\", which does not exist"))
    #expect(validated.errors.contains("needs \"nowhere\", which does not exist"))
    try await end(scenario, started)
    let journal = try scenario.journal()
    #expect(try journal.run(named: "@last").generation == 1)
  }

  @Test func `a whole reload runs the new file, and each generation keeps its text`() async throws {
    let scenario = try Scenario()
    let started = try await start(scenario)
    let new = Self.file(
      ["a": "new", "end": "new"], added: "  - { id: more, run: echo more >> log }\n",
      without: "side")
    try scenario.write(new, to: "w.yaml")
    let done = try await scenario.reprise("restart", "@last", "--reload").succeeds()
    #expect(done.output.contains("  added: more\n  removed: side\n"))
    #expect(done.output.contains("stopped, because they are removed: side"))
    #expect(done.output.contains("all steps run again"))
    try await end(scenario, started)
    let journal = try scenario.journal()
    let run = try journal.run(named: "@last")
    #expect(try journal.definition(ofGeneration: 1, of: run).source == Self.file())
    #expect(try journal.definition(ofGeneration: 2, of: run).source == new)
    #expect(try journal.state(of: run).steps.map(\.id) == ["a", "b", "end", "more"])
    let first = ["show", "@last", "--format", "source", "--generation", "1"]
    #expect(try await scenario.start(first).end().succeeds().output == Self.file())
    let last = try await scenario.reprise("show", "@last", "--format", "source").succeeds()
    #expect(last.output == new)
    let shown = try await scenario.reprise("show", "@last").succeeds()
    #expect(
      shown.output.contains("by reprise restart (pid "), "\(shown.output)")
    #expect(shown.output.contains("; the file has changed (added: more; removed: side"))
  }

  @Test func `a finished step that changed is refused, unless forced`() async throws {
    let scenario = try Scenario()
    let started = try await start(scenario)
    try scenario.write(Self.file(["a": "new"]), to: "w.yaml")
    let refused = try await scenario.reprise(
      "restart", "@last", "--reload", "--from", "side"
    ).fails(with: 2)
    #expect(refused.errors.contains("would keep their results"))
    #expect(refused.errors.contains("+ run: echo a new"))
    try await scenario.reprise(
      "restart", "@last", "--reload", "--from", "side", "--force"
    ).succeeds()
    try await end(scenario, started)
    #expect(!scenario.read("log").contains("a new"))
    #expect(scenario.read("log").contains("side old 2"))
  }

  @Test func `a new parameter without a default is refused with a hint`() async throws {
    let scenario = try Scenario()
    let started = try await start(scenario)
    try scenario.write("params: { who: { type: string } }\n" + Self.file(), to: "w.yaml")
    let refused = try await scenario.reprise("restart", "@last", "--reload").fails(with: 2)
    #expect(refused.errors.contains("the parameter \"who\""))
    #expect(refused.errors.contains("add a default, or start a new run"))
    try await end(scenario, started)
  }

  @Test func `a plain restart says that the file has changed`() async throws {
    let scenario = try Scenario()
    let started = try await start(scenario)
    let same = try await scenario.reprise("restart", "@last", "--from", "side").succeeds()
    #expect(!same.errors.contains("has changed"))
    try scenario.write(Self.file(["a": "new"]), to: "w.yaml")
    let changed = try await scenario.reprise("restart", "@last", "--from", "side").succeeds()
    #expect(
      changed.errors.contains("the file has changed since this run began; --reload reads it again"))
    try await end(scenario, started)
    #expect(!scenario.read("log").contains("new"))
  }

  @Test func `secrets are fetched before anything is stopped`() async throws {
    let scenario = try Scenario()
    let started = try await start(scenario)
    try scenario.write("secrets: { key: { file: no-such } }\n" + Self.file(), to: "w.yaml")
    let refused = try await scenario.reprise("restart", "@last", "--reload").fails(with: 2)
    #expect(refused.errors.contains("the secret \"key\""))
    try await end(scenario, started)
    #expect(scenario.read("log").split(separator: "\n").allSatisfy { $0.hasSuffix(" 1") })
  }

  /// Kills the engine at a random moment of a reload; the run is resumed by its last definition.
  @Test func `an engine that dies during a reload leaves the old or the new definition`()
    async throws
  {
    var generator = SeededGenerator.announced()
    let clock = SystemClock()
    for round in 0..<rounds(6, soak: 200) {
      let scenario = try Scenario()
      let started = try await start(scenario)
      let new = Self.file(["a": "new", "b": "new", "side": "new", "end": "new"])
      try scenario.write(new, to: "w.yaml")
      let asking = try scenario.start(["restart", "@last", "--reload"])
      try await clock.sleep(for: .milliseconds(Int.random(in: 0...60, using: &generator)))
      started.send(SIGKILL)
      _ = try await started.end()
      _ = try await asking.end()
      await expectEventually("the run is interrupted") {
        (try? await scenario.runs().first?.status) == "interrupted"
      }
      let journal = try scenario.journal()
      let run = try journal.run(named: "@last")
      let isReloaded = run.generation == 2
      let state = try journal.state(of: run)
      #expect(state.generation == run.generation, "round \(round)")
      #expect(run.request.source == (isReloaded ? new : Self.file()), "round \(round)")
      #expect(try journal.definition(ofGeneration: 1, of: run).source == Self.file())
      try scenario.write("", to: "go")
      // By the old definition, step a has succeeded and differs from the file.
      let resumed = try await scenario.reprise("resume", "@last", "--progress", "none")
      if isReloaded {
        resumed.succeeds()
        #expect(try journal.state(of: journal.run(named: "@last")).phase == .ended(.succeeded))
      } else {
        resumed.fails(with: 2)
        #expect(resumed.errors.contains("+ run: echo a new"), "round \(round)")
      }
    }
  }
}
