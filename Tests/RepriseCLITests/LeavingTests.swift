// The key q during a run: the run goes on in the background, and the shell gets its terminal back.

import Foundation
import TestSupport
import Testing

struct LeavingTests {
  /// The shell command that prints the process that the shell has started for a run, from its step.
  private static let shellChild =
    "$(ps -o ppid= -p $(ps -o ppid= -p $(cat engine)))"

  private func scenario() throws -> Scenario {
    let scenario = try Scenario()
    try scenario.write(
      """
      name: long
      grace: 5s
      steps:
        - id: wait
          run: |
            echo $PPID > engine; trap 'touch stopped; exit 1' TERM; touch began
            until test -e go; do sleep 0.05; done
        - { id: ask, terminal: true, run: "read -r x || echo nothing to read" }
        - { id: after, run: touch after }
      """, to: "long.yaml")
    return scenario
  }

  private func becomes(_ status: String, _ scenario: Scenario) async {
    await expectEventually("the run is \(status)") {
      (try? await scenario.runs())?.first?.status == status
    }
  }

  @Test func `q asks, and leaves the run in the background, where it ends without the terminal`()
    async throws
  {
    let scenario = try scenario()
    let output = try await scenario.onTerminal(
      "reprise run long.yaml",
      keys:
        "wait_for began; printf q; shown 'in the background?'; printf n; shown 'nothing was done'; "
        + "printf qy; shown 'status 0'")
    try #require(output.contains("running in the background; show it with: reprise attach"))
    #expect(scenario.read("settings-after") == scenario.read("settings-before"))
    #expect(!scenario.has("after"))
    // The terminal is gone by now.
    try scenario.write("", to: "go")
    await becomes("succeeded", scenario)
    #expect(scenario.has("after"))
    let log = try await scenario.reprise("logs", "@last", "ask").succeeds()
    #expect(log.output.contains("nothing to read"), "\(log.output)")
  }

  @Test func `a run that was left is cancelled from elsewhere, and nothing of it stays`()
    async throws
  {
    let scenario = try scenario()
    _ = try await scenario.onTerminal(
      "reprise run long.yaml", keys: "wait_for began; printf qy; shown 'status 0'")
    let engine = try #require(Int32(scenario.read("engine").trimmingCharacters(in: .newlines)))
    try await scenario.reprise("cancel", "@last", "--wait").succeeds()
    await becomes("cancelled", scenario)
    await expectEventually("the engine ends") { !isRunning(engine) }
    #expect(scenario.has("stopped"))
  }

  @Test(arguments: [("TERM", "status 143"), ("HUP", "status 129"), ("INT", "status 130")])
  func `a signal to the process that the shell knows cancels the run with its grace period`(
    _ signal: String, _ status: String
  ) async throws {
    let scenario = try scenario()
    let output = try await scenario.onTerminal(
      "reprise run long.yaml", keys: "wait_for began; kill -\(signal) \(Self.shellChild)")
    #expect(output.contains(status), "\(output)")
    #expect(scenario.has("stopped"))
    await becomes("cancelled", scenario)
  }

  @Test func `if that process is killed, the run is cancelled`() async throws {
    let scenario = try scenario()
    // The terminal stays until the step has stopped: closing it would cancel the run, too.
    let output = try await scenario.onTerminal(
      """
      reprise run long.yaml; status=$?
      n=0; until test -e stopped || [ $n = 200 ]; do sleep 0.1; n=$((n+1)); done
      test ! -e stopped || echo stopped before the terminal; (exit $status)
      """, keys: "wait_for began; kill -KILL \(Self.shellChild)")
    #expect(output.contains("status 137"))
    #expect(output.contains("stopped before the terminal"))
    await becomes("cancelled", scenario)
    #expect(scenario.has("stopped"))
  }

  @Test func `resume --detach prints the run and goes on in the background`() async throws {
    let scenario = try scenario()
    try scenario.write(
      "steps: [{ id: a, run: 'test -e fixed' }]", to: "broken.yaml")
    try await scenario.reprise("run", "broken.yaml", "--progress", "none").fails(with: 1)
    try scenario.write("", to: "fixed")
    let resumed = try await scenario.reprise("resume", "@last", "--detach").succeeds()
    #expect(
      resumed.output.trimmingCharacters(in: .newlines) == (try await scenario.runs()).first?.id)
    await becomes("succeeded", scenario)
  }

  private func isRunning(_ process: Int32) -> Bool {
    let stat = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
    return stat.map { !$0.contains(") Z ") } ?? (kill(process, 0) == 0)
  }
}
