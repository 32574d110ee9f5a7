import Foundation
import Testing

/// Steps with `terminal: true`, on a pseudo-terminal of `script` and without one.
struct TerminalStepTests {
  private static let workflow = """
    name: login
    steps:
      - id: ask
        terminal: true
        run: |
          test -t 0 && test -t 1 && test -t 2
          stty -a | grep -q ' icanon ' || exit 7
          printf 'your name? '; touch asked
          read -r name
          echo "name=$name" >> "$REPRISE_OUTPUT"
      - { id: greet, exec: [sh, -c, 'echo "hello $0" > greeting', "${{ steps.ask.outputs.name }}"] }
    """

  private func run(_ command: String, keys: String, in scenario: Scenario) async throws -> String {
    let output = try await scenario.onTerminal(command, keys: keys + "; wait_for settings-after")
    #expect(scenario.read("settings-after") == scenario.read("settings-before"))
    #expect(!scenario.read("settings-after").isEmpty)
    return output
  }

  @Test(arguments: ["tree", "plain"])
  func `a step reads from the terminal while the display steps aside`(style: String) async throws {
    let scenario = try Scenario()
    try scenario.write(Self.workflow, to: "w.yaml")
    let output = try await run(
      "reprise run w.yaml --progress \(style)",
      keys: "wait_for asked; printf 'Ada\\n'", in: scenario)
    #expect(output.contains("your name? Ada"))
    #expect(scenario.read("greeting") == "hello Ada\n")
    #expect(output.contains("status 0"))
    let logs = try await scenario.reprise("logs", "@last", "ask")
    #expect(logs.output.contains("it uses the terminal"))
    #expect(!logs.output.contains("your name"))
  }

  @Test func `Ctrl-C goes to the step, and the run goes on with its failure`() async throws {
    let scenario = try Scenario()
    try scenario.write(
      """
      steps:
        - { id: edit, terminal: true, run: "trap 'touch interrupted; exit 9' INT; touch began; while :; do sleep 0.05; done" }
        - { id: after, if: failure(), run: touch after }
      """, to: "w.yaml")
    let output = try await run(
      "reprise run w.yaml --progress plain",
      keys: "wait_for began; printf '\\003'; wait_for after", in: scenario)
    #expect(scenario.read("interrupted").isEmpty && output.contains("status 1"))
    #expect(output.contains("exited with status 9"))
  }

  @Test func `a cancel ends the step and restores the terminal`() async throws {
    let scenario = try Scenario()
    try scenario.write(
      """
      steps:
        - { id: edit, terminal: true, run: "stty raw -echo; touch began; while :; do sleep 0.05; done" }
      """, to: "w.yaml")
    let reprise = Scenario.Started.executable.path
    let output = try await run(
      "reprise run w.yaml", keys: "wait_for began; \(reprise) cancel @last >&2", in: scenario)
    #expect(output.contains("status 130") || output.contains("status 1"))
  }

  @Test func `without a terminal it runs with an empty input and says so`() async throws {
    let scenario = try Scenario()
    try scenario.write(
      "steps: [{ id: ask, terminal: true, run: 'read -r x || echo nothing to read' }]\n",
      to: "w.yaml")
    let ended = try await scenario.reprise("run", "w.yaml", "--progress", "plain")
    #expect(ended.status == 0)
    #expect(ended.output.contains("nothing to read"))
    #expect(ended.output.contains("there is no terminal here"))
  }
}
