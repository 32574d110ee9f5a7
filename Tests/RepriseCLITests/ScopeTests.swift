// Parts of a workflow: `--from`, `--to` and `--only`, and the outputs that they read.

import Foundation
import TestSupport
import Testing

struct ScopeTests {
  private static let workflow = """
    steps:
      - { id: fetch, run: echo fetch >> log }
      - parallel:
          - { id: left, run: echo left >> log }
          - { id: right, run: echo right >> log }
      - { id: join, run: echo join >> log }
    finally:
      - { id: clean, run: echo clean >> log }
      - { id: report, env: { R: "${{ steps.join.result }}" }, run: "echo report $R >> log" }
    """

  @Test(
    arguments: [
      (["--to", "left"], "fetch left clean"),
      (["--to", "left", "--to", "right"], "fetch left right clean"),
      (["--from", "left", "--from", "right"], "left right join clean report success"),
      (["--from", "left", "--to", "join"], "left join clean report success"),
      (["--from", "right", "--only", "fetch"], "fetch right join clean report success"),
      (["--only", "left", "--only", "join"], "left join"),
    ])
  func `parts of a workflow can be combined`(_ options: [String], _ log: String) async throws {
    let scenario = try Scenario()
    try scenario.write(Self.workflow, to: "w.yaml")
    let arguments = ["run", "w.yaml", "--max-parallel", "1"] + options
    let ended = try await scenario.start(arguments).end().succeeds()
    let lines = Set(
      scenario.read("log").split(separator: "\n").joined(separator: " ").split(separator: " "))
    #expect(lines == Set(log.split(separator: " ")), "\(scenario.read("log")) \(ended)")
  }

  @Test func `a part of a workflow starts the services that it uses`() async throws {
    let scenario = try Scenario()
    try scenario.write(
      """
      steps:
        - { id: db, service: "touch up; exec sleep 60", ready: { run: test -f up } }
        - { id: migrate, run: echo migrate >> log }
        - { id: test, run: "test -f up && echo test >> log" }
      """, to: "w.yaml")
    for options in [["--from", "test"], ["--only", "test"]] {
      let ended = try await scenario.start(["run", "w.yaml"] + options).end().succeeds()
      #expect(scenario.read("log") == "test\n", "\(ended)")
      _ = try await scenario.shell("rm log up")
    }
  }

  @Test func `outputs of a step whose work was undone are not taken`() async throws {
    let scenario = try Scenario()
    try scenario.write(
      """
      steps:
        - { id: pay, run: "echo o=1 >> $REPRISE_OUTPUT", undo: "true" }
        - { id: b, env: { O: "${{ steps.pay.outputs.o }}" }, run: test -f ok }
      """, to: "w.yaml")
    try await scenario.reprise("run", "w.yaml").fails(with: 1)
    try scenario.write("", to: "ok")
    let part = try await scenario.reprise("run", "w.yaml", "--from", "b").fails(with: 2)
    #expect(part.errors.contains("no earlier run has left them; add it: --from pay"))
    try await scenario.reprise("run", "w.yaml").succeeds()
    try await scenario.reprise("run", "w.yaml", "--from", "b").succeeds()
  }

  @Test func `a resumed run keeps the files that were its items`() async throws {
    let scenario = try Scenario()
    try scenario.write(
      """
      steps:
        - { id: a, foreach: { files: "*.txt" }, exec: [sh, -c, 'echo "$1" >> log; rm -f "$1"', sh, "${{ item }}"] }
        - { id: b, run: test -f ok }
      """, to: "w.yaml")
    try scenario.write("", to: "two.txt")
    try await scenario.reprise("run", "w.yaml").fails(with: 1)
    try scenario.write("", to: "one.txt")
    try scenario.write("", to: "ok")
    let resumed = try await scenario.reprise("resume", "@last", "--progress", "plain").succeeds()
    #expect(scenario.read("log") == "two.txt\n", "\(resumed)")
  }

  @Test func `an empty or unknown part is refused`() async throws {
    let scenario = try Scenario()
    try scenario.write(Self.workflow, to: "w.yaml")
    let empty = try await scenario.reprise("run", "w.yaml", "--from", "join", "--to", "left")
      .fails(with: 2)
    #expect(
      empty.errors
        == "error: no step both depends on \"join\" (--from) and is needed by \"left\" (--to)\n")
    let unknown = try await scenario.reprise("run", "w.yaml", "--to", "lefd").fails(with: 2)
    #expect(unknown.errors.contains("did you mean \"left\"?"))
  }

  @Test func `missing outputs come from the last run that has left them`() async throws {
    let scenario = try Scenario()
    try scenario.write(
      """
      params: { v: { default: "1" } }
      steps:
        - { id: version, env: { V: "${{ params.v }}" }, run: "echo v=$V >> $REPRISE_OUTPUT" }
        - { id: m, foreach: [1, 2], run: "echo n=${REPRISE_STEP_ID} >> $REPRISE_OUTPUT" }
        - id: release
          env: { V: "${{ steps.version.outputs.v }} ${{ join(steps.m.outputs.n, ' ') }}" }
          run: "echo $V $(cat go) >> log; test -e go"
      """, to: "w.yaml")
    let none = try await scenario.reprise("run", "w.yaml", "--from", "release").fails(with: 2)
    #expect(none.errors.contains("and no earlier run has left them; add it: --from version"))
    #expect(!scenario.has("log"))
    try await scenario.reprise("run", "w.yaml").fails(with: 1)
    // The run failed, but these steps succeeded.
    let first = try #require(try await scenario.runs().first).id
    let part = try await scenario.reprise("run", "w.yaml", "--from", "release").fails(with: 1)
    #expect(part.errors.contains("outputs of \"m\", \"version\" are those of run \(first)\n"))
    // They are part of the run, even if the other run is deleted, and can be loaded again from it.
    try await scenario.reprise("prune", "--keep", "1").succeeds()
    try scenario.write("", to: "go")
    try await scenario.reprise("resume", "@last").succeeds()
    try await scenario.reprise("run", "w.yaml", "--from", "release").succeeds()
    let lines = scenario.read("log").split(separator: "\n").map { $0.split(separator: " ").first }
    #expect(lines == ["1", "1", "1", "1"], "\(scenario.read("log"))")
    let dry = try await scenario.reprise("run", "w.yaml", "--from", "release", "--dry-run")
      .succeeds()
    #expect(dry.output.contains("would run 1 step"))
  }

  @Test func `outputs of computed items come from a run in which all of them have succeeded`()
    async throws
  {
    let scenario = try Scenario()
    try scenario.write(
      """
      params: { fails: { default: no } }
      steps:
        - { id: plan, run: "echo 'p=[1,2]' >> $REPRISE_OUTPUT" }
        - id: g
          foreach: ${{ fromJSON(steps.plan.outputs.p) }}
          outputs: { o: "${{ steps.t.outputs.o }}" }
          steps:
            - { id: s, exec: [test, "${{ params.fails }}", "!=", "yes"] }
            - { id: t, env: { I: "${{ item }}" }, run: "echo o=$I >> $REPRISE_OUTPUT" }
        - { id: c, needs: { g: over }, exec: [echo, "${{ toJSON(steps.g.outputs.o) }} ${{ steps.g.result }}"] }
      """, to: "w.yaml")
    let part = ["run", "w.yaml", "--only", "c", "--progress", "plain"]
    try await scenario.reprise("run", "w.yaml", "-p", "fails=yes").fails(with: 1)
    let none = try await scenario.start(part).end().fails(with: 2)
    #expect(none.errors.contains("no earlier run has left them"))
    try await scenario.reprise("run", "w.yaml").succeeds()
    try await scenario.reprise("run", "w.yaml", "-p", "fails=yes").fails(with: 1)
    for _ in 1...2 {
      let found = try await scenario.start(part).end().succeeds()
      #expect(found.output.contains(#"["1","2"] success"#), "\(found.output)")
    }
    // The second one took them from the first part, and a run that is resumed has its own.
    try await scenario.reprise("prune", "--keep", "1").succeeds()
    let again = try await scenario.reprise("resume", "@last", "--from", "c", "--progress", "plain")
    #expect(again.output.contains(#"["1","2"] success"#), "\(again.output)\(again.errors)")
  }

  @Test func `variables of earlier steps come from the last run, too`() async throws {
    let scenario = try Scenario()
    try scenario.write(
      """
      steps:
        - { id: a, run: "echo V=1 >> $REPRISE_ENV" }
        - { id: b, run: "echo V=2 >> $REPRISE_ENV; echo U=3 >> $REPRISE_ENV" }
        - { id: c, run: 'echo "V=$V U=$U"' }
        - { id: d, foreach: [1], exec: [echo, "W=${{ env.V }}"] }
      """, to: "w.yaml")
    let part = ["run", "w.yaml", "--from", "c", "--progress", "plain"]
    let first = try await scenario.start(part).end().succeeds()
    #expect(first.output.contains("V= U="))
    try await scenario.reprise("run", "w.yaml").succeeds()
    let second = try await scenario.start(part).end().succeeds()
    #expect(second.output.contains("V=2 U=3") && second.output.contains("W=2"))
    #expect(second.errors.contains("variables of \"a\", \"b\" are those of run"))
  }
}
