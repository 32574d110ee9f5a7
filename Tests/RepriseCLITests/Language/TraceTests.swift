import ChildProcesses
import Foundation
import Reprise
import TestSupport
import Testing

/// `reprise trace`: what the files that steps use say about a workflow.
@Suite(.serialized, .enabled(if: FileTrace.problem == nil)) struct TraceTests {
  private static let racing = """
    steps:
      - parallel:
          - { id: gen, run: "echo '#define X 1' > gen.h" }  # makes the header
          - id: lib
            # waits, so that the header is there
            run: |
              while [ ! -e gen.h ]; do sleep 0.05; done
              cat gen.h main.c > lib.o
          - { id: doc, run: "cat main.c > doc.txt; echo doc > log" }
          - { id: test, run: "cat main.c > test.txt; echo test > log" }
      - { id: link, needs: [lib, doc], run: "cat lib.o > app" }

    """

  private func scenario(_ text: String = racing) throws -> Scenario {
    let scenario = try Scenario()
    try scenario.write(text, to: "w.yaml")
    try scenario.write("int main() {}\n", to: "main.c")
    return scenario
  }

  private func remove(_ names: String..., in scenario: Scenario) {
    for name in names {
      try? FileManager.default.removeItem(atPath: scenario.folder.path + "/" + name)
    }
  }

  @Test func `missing needs, conflicts and superfluous needs are reported at their steps`()
    async throws
  {
    let scenario = try scenario()
    let ended = try await scenario.reprise("trace", "w.yaml", "--progress", "none")
    #expect(ended.status == 1, "\(ended.errors)")
    for line in [
      "w.yaml:4:13: warning[R0940]: step \"lib\" uses gen.h, which \"gen\" makes, and does not need it",
      "w.yaml:10:15: warning[R0941]: steps \"doc\" and \"test\" may run at once, and both use log, "
        + "which at least one of them changes",
      "w.yaml:11:11: warning[R0942]: step \"link\" needs \"doc\", but uses nothing that it makes",
    ] {
      #expect(ended.errors.contains(line), "\(ended.errors)")
    }
    #expect(ended.output == "5 steps watched, 3 warnings\n")
    let data = try await scenario.reprise("trace", "w.yaml", "--format", "json")
    #expect(data.status == 1 && data.output.contains("\"R0940\""), "\(data.output)")
  }

  @Test func `missing needs are added to the file, and what it says stays`() async throws {
    let scenario = try scenario()
    let ended = try await scenario.reprise("trace", "w.yaml", "--progress", "none", "--write")
    #expect(ended.output.contains("+        needs: [gen]"), "\(ended.output)")
    #expect(
      scenario.read("w.yaml")
        == Self.racing.replacing("        run: |", with: "        needs: [gen]\n        run: |"))
    remove("gen.h", "lib.o", "app", in: scenario)
    let again = try await scenario.reprise("trace", "w.yaml", "--progress", "none")
    #expect(!again.errors.contains("R0940"), "\(again.errors)")
  }

  @Test(arguments: [
    ("{ id: lib, needs: first, run: 'cat gen.h > lib.o' }", "needs: [first, gen]"),
    ("{ id: lib, needs: [first], run: 'cat gen.h > lib.o' }", "needs: [gen, first]"),
    (
      "{ id: lib, needs: { first: over }, run: 'cat gen.h > lib.o' }",
      "needs: { gen: success, first: over }"
    ),
    ("{ id: lib, needs: [], run: 'sleep 0.3; cat gen.h > lib.o' }", "needs: [gen]"),
    ("{ run: 'sleep 0.3; cat gen.h > lib.o', id: lib }", "{ needs: [first, gen], run:"),
  ])
  func `a need is added to each form of needs`(_ step: String, _ expected: String) async throws {
    let scenario = try scenario(
      """
      steps:
        - { id: first, run: 'true' }
        - parallel:
            - { id: gen, run: 'echo > gen.h' }
            - \(step.replacing("cat", with: "sleep 0.3; cat"))

      """)
    _ = try await scenario.reprise("trace", "w.yaml", "--progress", "none", "--write")
    #expect(scenario.read("w.yaml").contains(expected), "\(scenario.read("w.yaml"))")
    try await scenario.reprise("validate", "w.yaml").succeeds()
  }

  @Test func `inputs of a cache are compared with what is read`() async throws {
    let scenario = try scenario(
      """
      steps:
        - id: lib
          run: cat main.c extra.h > lib.o
          cache: { inputs: [main.c, other.h], makes: lib.o }

      """)
    try scenario.write("", to: "extra.h")
    try scenario.write("", to: "other.h")
    // Also a step that is up to date runs.
    try await scenario.reprise("run", "w.yaml").succeeds()
    let ended = try await scenario.reprise("trace", "w.yaml", "--progress", "none").succeeds()
    #expect(
      ended.errors.contains(
        "R0943]: step \"lib\" reads extra.h, which no pattern under cache.inputs matches"),
      "\(ended.errors)")
    #expect(
      ended.errors.contains(
        "R0944]: step \"lib\" reads no file that \"other.h\" under cache.inputs matches"),
      "\(ended.errors)")
    _ = try await scenario.reprise("trace", "w.yaml", "--progress", "none", "--write").succeeds()
    #expect(
      scenario.read("w.yaml").contains("inputs: [extra.h, main.c, other.h]"),
      "\(scenario.read("w.yaml"))")
  }

  @Test func `steps begin in the random order of a seed, which the needs allow`() async throws {
    let scenario = try scenario(
      "max-parallel: 1\nsteps:\n  - parallel:\n"
        + (0..<8).map { "      - { id: s\($0), run: echo s\($0) >> log }\n" }.joined()
        + "  - { id: last, run: echo last >> log }\n")
    func order(_ options: String...) async throws -> String {
      remove("log", in: scenario)
      _ = try await scenario.start(
        ["trace", "w.yaml", "--progress", "none", "--ignore", "log"] + options
      ).end().succeeds()
      return scenario.read("log")
    }
    let file = try await order()
    let first = try await order("--seed", "1")
    #expect(first != file && first.hasSuffix("last\n"))
    #expect(try await order("--seed", "1") == first)
    #expect(try await order("--seed", "2") != first)
    let ended = try await scenario.reprise("trace", "w.yaml", "--progress", "none", "--shuffle")
    #expect(ended.errors.contains("repeat it with --seed "), "\(ended.errors)")
  }

  @Test func `a step with watch false is left out, and the report says so`() async throws {
    let scenario = try scenario(
      """
      steps:
        - parallel:
            - { id: gen, run: "echo 1 > gen.h", watch: false }
            - { id: lib, run: "cat gen.h > lib.o || true" }

      """)
    let ended = try await scenario.reprise("trace", "w.yaml", "--progress", "none").succeeds()
    #expect(ended.errors.contains("note: gen was not watched: watch: false"), "\(ended.errors)")
    #expect(ended.output == "1 step watched, 0 warnings\n")
  }

  /// A killed engine must not let a call of a watched step fail: `cd x; rm *` would go on elsewhere.
  @Test(arguments: [0, 1])
  func `no call of a step fails when its engine or its guardian is killed`(_ victim: Int)
    async throws
  {
    let scenario = try scenario(
      """
      steps:
        - id: loop
          run: |
            exec 3>> failed  # a call that fails cannot open it
            while :; do
              command read x < main.c || echo read >&3
              echo $x > out || echo write >&3
            done

      """)
    for round in 0..<rounds(10, soak: 200) {
      let started = try scenario.start(["trace", "w.yaml", "--progress", "none"])
      await expectEventually("the step writes") { scenario.read("out") != "" }
      let processes = KillTests.engineAndGuardian(started.id)
      kill(processes[min(victim, processes.count - 1)], SIGKILL)
      _ = try await started.end()
      #expect(scenario.read("failed") == "", "round \(round)")
      remove("out", in: scenario)
    }
  }
}
