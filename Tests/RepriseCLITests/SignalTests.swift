import Foundation
import TestSupport
import Testing

/// Signals that arrive before the run starts.
@Suite(.serialized) struct SignalTests {
  @Test(arguments: [["run", "w.yaml"], ["run", "w.yaml", "--no-journal"], ["watch", "w.yaml"]])
  func `waiting for a secret can be interrupted and leaves no process`(
    _ arguments: [String]
  ) async throws {
    let scenario = try Scenario()
    let mark = "\(Int.random(in: 100_000...999_999)).\(Int.random(in: 1000...9999))"
    try scenario.write(
      """
      on: { socket: true }
      secrets: { token: { command: [sh, -c, "touch asked; exec sleep \(mark)"] } }
      steps: [{ id: a, run: touch ran }]
      """, to: "w.yaml")
    for signal in [SIGINT, SIGTERM, SIGHUP] {
      let started = try scenario.start(arguments)
      await expectEventually("the secret is requested") { scenario.has("asked") }
      started.send(SIGUSR1)
      started.send(signal)
      try await started.end().fails(with: 128 + signal)
      #expect(processes(with: mark) == [])
      try FileManager.default.removeItem(atPath: scenario.folder.path + "/asked")
    }
    #expect(!scenario.has("ran"))
  }

  @Test func `a detached run does not start when its parent is killed first`() async throws {
    let scenario = try Scenario()
    try scenario.write(
      """
      secrets: { token: { command: [sh, -c, "touch asked; until test -e go; do sleep 0.02; done; echo x"] } }
      steps: [{ id: a, run: touch ran }]
      """, to: "w.yaml")
    let started = try scenario.start(["run", "w.yaml", "--detach"])
    await expectEventually("the secret is requested") { scenario.has("asked") }
    started.send(SIGKILL)
    await expectEventually("the foreground process has ended") {
      !processes(with: "--detach").contains(started.id)
    }
    try scenario.write("", to: "go")
    // The process ends when the detached one has closed its output.
    _ = try await started.end()
    #expect(!scenario.has("ran"))
    #expect(try await scenario.runs().isEmpty)
  }
}
