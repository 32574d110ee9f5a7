import Foundation
import Reprise
import RepriseJournal
import TestSupport
import Testing

/// Outputs that steps write to the file named by REPRISE_OUTPUT.
struct OutputsTests {
  private static let workflow = """
    steps:
      - id: build
        run: |
          echo "version=1.2.$REPRISE_GENERATION" >> $REPRISE_OUTPUT
          printf 'notes<<END\\none\\ntwo\\nEND\\n' >> $REPRISE_OUTPUT
          echo $REPRISE_OUTPUT > path
      - { id: check, run: "[ -e go ]" }
    """

  @Test func `outputs are reported, recorded, and kept when a run is resumed`() async throws {
    let scenario = try Scenario()
    try scenario.write(Self.workflow, to: "w.yaml")
    let ended = try await scenario.reprise("run", "w.yaml", "--progress", "json").fails(with: 1)
    #expect(ended.output.contains("\"outputs\":{\"notes\":\"one\\ntwo\",\"version\":\"1.2.1\"}"))
    let path = scenario.read("path").trimmingCharacters(in: .newlines)
    #expect(path.hasPrefix("/") && !FileManager.default.fileExists(atPath: path))
    try scenario.write("", to: "go")
    try await scenario.reprise("resume", "@last", "--progress", "none").succeeds()
    let journal = try scenario.journal()
    let state = try journal.state(of: journal.run(named: "@last"))
    #expect(state["build"]?.phase == .succeeded(["version": "1.2.1", "notes": "one\ntwo"]))
    let shown = try await scenario.reprise("show", "@last").succeeds()
    #expect(shown.output.contains("build.version = 1.2.1"))
    #expect(shown.output.contains("build.notes = one …"))
  }

  @Test func `invalid outputs fail the step with the line number`() async throws {
    let scenario = try Scenario()
    try scenario.write(
      "steps: [{ id: a, run: \"echo a=1 >> $REPRISE_OUTPUT; echo what >> $REPRISE_OUTPUT\" }]",
      to: "w.yaml")
    let ended = try await scenario.reprise("run", "w.yaml").fails(with: 1)
    #expect(ended.output.contains("invalid outputs: line 2: \"what\" is neither"))
  }

  /// A regression test: the rest was dropped, so that expressions had wrong values.
  @Test(arguments: [
    "outputs: { has: \"${{ contains(stdout, 'LAST-LINE') }}\" }",
    "repeat: { until: \"true || stdout\" }",
  ])
  func `standard output beyond its limit fails a step that computes with it`(
    _ key: String
  ) async throws {
    let scenario = try Scenario()
    let script = #"yes xxxxxxxxxxxxxxxxxxxxxxx | head -c 1100000; echo; echo LAST-LINE"#
    try scenario.write("steps: [{ id: a, run: \"\(script)\", \(key) }]", to: "w.yaml")
    let ended = try await scenario.reprise("run", "w.yaml", "--progress", "json").fails(with: 1)
    #expect(
      ended.output.contains("its standard output has more than 1048576 bytes"),
      "\(ended.output.suffix(2000))")
    try scenario.write("steps: [{ id: a, run: \"\(script)\" }]", to: "w.yaml")
    try await scenario.reprise("run", "w.yaml").succeeds()
  }

  /// A regression test: the two pipes were read one after the other.
  @Test func `output has the order in which it was written`() async throws {
    let scenario = try Scenario()
    try scenario.write(
      #"""
      steps:
        - { id: a, run: 'for i in $(seq 1 200); do echo "out $i"; echo "err $i" >&2; done' }
        - { id: b, separate-streams: true, run: "echo out; echo err >&2" }
      """#, to: "w.yaml")
    let ended = try await scenario.reprise("run", "w.yaml", "--progress", "json").succeeds()
    #expect(ended.output.contains(#""stream":"stderr","text":"err""#))
    let log = try await scenario.reprise("logs", "@last", "a").succeeds()
    let lines = log.output.split(separator: "\n").map(String.init)
    #expect(lines == (1...200).flatMap { ["out \($0)", "err \($0)"] })
  }

  @Test func `the status of a step that a signal has ended is that of a shell`() async throws {
    let scenario = try Scenario()
    try scenario.write(
      """
      steps:
        - { id: a, exec: [sh, -c, "echo x >> tries; kill -9 $$"], continue-on-error: true, retry: { limit: 1, for: [137] } }
        - { id: b, env: { S: "${{ steps.a.status }}" }, run: 'test "$S" = 137' }
      """, to: "w.yaml")
    try await scenario.reprise("run", "w.yaml").succeeds()
    #expect(scenario.read("tries") == "x\nx\n")
  }

  @Test func `a failed step leaves its outputs, but no files`() async throws {
    let scenario = try Scenario()
    try scenario.write(
      "steps: [{ id: a, run: \"echo a=1 >> $REPRISE_OUTPUT; exit 2\" }]", to: "w.yaml")
    try scenario.write("", to: "tmp/x")
    let ended = try await scenario.start(
      ["run", "w.yaml", "--progress", "json"],
      environment: ["TMPDIR": scenario.folder.path + "/tmp"]
    ).end().fails(with: 1)
    #expect(
      ended.output.split(separator: "\n").contains {
        $0.contains("\"step-wrote\"") && $0.contains("\"outputs\":{\"a\":\"1\"}")
      })
    let left = try FileManager.default.contentsOfDirectory(atPath: scenario.folder.path + "/tmp")
    #expect(left == ["x"])
  }
}
