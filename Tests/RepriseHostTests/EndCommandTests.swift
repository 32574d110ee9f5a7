// The command that runs after the end of a run.

import Foundation
import Reprise
import RepriseJournal
import RepriseTerminal
import TestSupport
import Testing

@testable import RepriseHost

struct EndCommandTests {
  /// Runs a workflow to its end, then its `on-end` command.
  private func warning(
    of text: String, in folder: HostFolder, secrets: Secrets = Secrets(),
    timeMax: Duration = .seconds(30)
  ) async throws -> String? {
    let loaded = try folder.load(text)
    let hosted = try await folder.host.begin(
      try folder.journal.begin(try loaded.request(hiding: secrets)), loaded, secrets,
      controls: RunControls())
    let run = try #require(hosted)
    let outcome = try await run.run.outcome
    #expect(await run.finish() == nil)
    let process = try #require(EndCommandProcess(of: run.run, outcome: outcome, secrets: secrets))
    return await process.run(timeMax: timeMax)?.string
  }

  @Test func `the command gets the run, the workflow, the outcome and the failed steps`()
    async throws
  {
    let folder = try HostFolder()
    let variables = "$REPRISE_WORKFLOW $REPRISE_OUTCOME ($REPRISE_FAILED) ${REPRISE_STEP_ID-none}"
    let text = """
      name: ci
      steps:
        - { id: fine, run: "true" }
        - { id: tolerated, run: "false", continue-on-error: true }
        - parallel: [{ id: one, run: "false" }, { id: two, run: "false" }]
        - { id: never, run: "true" }
      on-end: |
        echo "\(variables)" > '\(folder.path)/ended'
        echo $REPRISE_RUN_ID >> '\(folder.path)/ended'
      """
    #expect(try await warning(of: text, in: folder) == nil)
    let id = try #require(try folder.journal.runs().first).id
    #expect(try folder.read("ended") == "ci failed (one two) none\n\(id)\n")
  }

  @Test func `scripts run with the shell of the workflow, and a list without a shell`() async throws
  {
    let folder = try HostFolder()
    let words = try await warning(
      of: "steps: [{ id: a, run: 'true' }]\non-end: [sh, -c, 'echo \"$1\"; exit 3', sh, 'a  b']\n",
      in: folder)
    #expect(words == "warning: on-end: it exited with status 3\n  | a  b")
    let shell = try await warning(
      of: "shell: [sh, -c, 'echo shell; exit 4']\nsteps: [{ id: a, exec: ['true'] }]\non-end: x\n",
      in: folder)
    #expect(shell == "warning: on-end: it exited with status 4\n  | shell")
  }

  @Test func `a command that fails is a warning with its last lines, without secrets or controls`()
    async throws
  {
    let folder = try HostFolder()
    setenv("END_COMMAND_TOKEN", "correct-horse", 1)
    let script = "seq 20; printf '\\033[31m%s\\n' \"$END_COMMAND_TOKEN\" >&2; exit 2"
    let text = """
      secrets: { token: { env: END_COMMAND_TOKEN } }
      steps: [{ id: a, run: "true" }]
      on-end: \(script)
      """
    let secrets = try await Secrets.gathered(for: try folder.load(text).workflow)
    let warning = try #require(try await warning(of: text, in: folder, secrets: secrets))
    let lines = warning.split(separator: "\n").map(String.init)
    #expect(lines.first == "warning: on-end: it exited with status 2")
    #expect(lines.count == 11 && lines.contains("  | ***") && lines.contains("  | 20"))
    #expect(!warning.contains("\u{1B}"))
    let missing = try await self.warning(
      of: "steps: [{ id: a, run: 'true' }]\non-end: [nosuchcmd]\n", in: folder)
    #expect(
      missing == "warning: on-end: it could not start: nosuchcmd: not found on PATH; install it, "
        + "or give its path")
  }

  @Test func `a command that does not end is stopped`() async throws {
    let folder = try HostFolder()
    let text = "steps: [{ id: a, run: 'true' }]\non-end: [sleep, '600']\n"
    let warning = try await warning(of: text, in: folder, timeMax: .milliseconds(100))
    #expect(warning == "warning: on-end: it was stopped after 100 ms")
  }

  @Test func `a further request to cancel stops the command with its whole tree`() async throws {
    let folder = try HostFolder()
    let text = """
      grace: 0s
      steps: [{ id: a, run: "sleep 600" }]
      on-end: |
        trap '' TERM
        sleep 600 & echo $! > '\(folder.path)/child'
        touch '\(folder.path)/began'
        wait
      """
    let controls = RunControls()
    let (_, hosted) = try await folder.begin(try folder.load(text), controls: controls)
    let run = try #require(hosted)
    controls.cancel(now: false)
    let outcome = try await run.run.outcome
    #expect(outcome == .cancelled)
    let warning = Task { await controls.performEndCommand(after: outcome, secrets: Secrets()) }
    await expectEventually("the command runs") { folder.has("began") }
    controls.receive(SIGINT)
    #expect(await warning.value?.string == "warning: on-end: it was cancelled")
    let child = try folder.read("child").trimmingCharacters(in: .whitespacesAndNewlines)
    let status = try? String(contentsOfFile: "/proc/\(child)/status", encoding: .utf8)
    #expect(status?.contains("State:\tZ") ?? true, "an orphan may not have been reaped")
  }
}

extension HostFolder {
  fileprivate func read(_ name: String) throws -> String {
    try String(contentsOfFile: path + "/" + name, encoding: .utf8)
  }

  fileprivate func has(_ name: String) -> Bool {
    FileManager.default.fileExists(atPath: path + "/" + name)
  }
}
