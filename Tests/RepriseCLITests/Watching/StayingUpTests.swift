// Services that stay up until the run is stopped: with `until: stopped`, `reprise up`, and in a watch.

import Foundation
import TestSupport
import Testing

struct StayingUpTests {
  private static let server = """
    trap 'echo NAME down >> log; exit 0' TERM; echo NAME up >> log; echo listening
    while :; do sleep 0.05; done
    """

  private static func service(_ name: String) -> String {
    let script = server.replacingOccurrences(of: "NAME", with: name)
    return """
        - id: \(name)
          ready: { line: listening }
          service: |
            \(script.replacingOccurrences(of: "\n", with: "\n      "))
      """
  }

  private func log(_ scenario: Scenario) -> [String] {
    scenario.read("log").split(separator: "\n").map(String.init)
  }

  /// Waits until the log has exactly these lines, or cannot get them any more.
  private func becomes(_ lines: [String], _ scenario: Scenario) async {
    await expectEventually("\(lines)") {
      let log = log(scenario)
      return log == lines || !lines.starts(with: log)
    }
    #expect(log(scenario) == lines)
  }

  @Test(arguments: [SIGINT, SIGHUP])
  func `a run of services alone stays up until it is stopped`(
    _ signal: Int32
  ) async throws {
    let scenario = try Scenario()
    try scenario.write(
      "steps:\n" + Self.service("db") + "\n" + Self.service("web"), to: "dev.yaml")
    let run = try scenario.start(["run", "dev.yaml", "--progress", "plain"])
    await becomes(["db up", "web up"], scenario)
    run.send(signal)
    try await run.end().fails(with: 128 + signal)
    #expect(log(scenario).suffix(2) == ["web down", "db down"])
  }

  @Test func `up keeps services after the last step, also after a restart and a resume`()
    async throws
  {
    let scenario = try Scenario()
    try scenario.write(
      "steps:\n" + Self.service("db") + "\n  - { id: test, run: echo test >> log }",
      to: "workflows/dev.yaml")
    try await scenario.reprise("run", "dev").succeeds()
    await becomes(["db up", "test", "db down"], scenario)
    try scenario.write("", to: "log")
    try await scenario.reprise("up", "dev", "--detach").succeeds()
    await becomes(["db up", "test"], scenario)
    try await scenario.reprise("restart", "--from", "test").succeeds()
    await becomes(["db up", "test", "test"], scenario)
    try await scenario.reprise("restart", "--reload", "--from", "test").succeeds()
    await becomes(["db up", "test", "test", "test"], scenario)
    try await scenario.reprise("cancel", "--wait").succeeds()
    await becomes(["db up", "test", "test", "test", "db down"], scenario)
    try scenario.write("", to: "log")
    try await scenario.reprise("resume", "--detach").succeeds()
    await becomes(["db up"], scenario)
    await expectEventually("it is shown that it stays") {
      (try? await scenario.reprise("show").succeeds().output)?.contains("until the run is stopped")
        == true
    }
    try await scenario.reprise("cancel", "--wait").succeeds()
    await becomes(["db up", "db down"], scenario)
  }

  @Test func `a watch restarts only what is affected by a save, also of the workflow itself`()
    async throws
  {
    let scenario = try Scenario()
    func workflow(_ last: String) -> String {
      """
      on: { start: true, files: "src/**", when-busy: restart, restart-from: affected, debounce: 50ms }
      until: stopped
      steps:
      \(Self.service("db"))
        - { id: compile, run: "test ! -e broken || s=1; echo compile >> log; exit ${s:-0}", cache: { inputs: "src/**" } }
      \(Self.service("server"))
        - { id: smoke, run: "echo \(last) >> log" }
      """
    }
    try scenario.write("1", to: "src/a")
    try scenario.write(workflow("smoke"), to: "dev.yaml")
    let watch = try scenario.start(["watch", "dev.yaml", "--progress", "plain"])
    var lines = ["db up", "compile", "server up", "smoke"]
    await becomes(lines, scenario)
    try scenario.write("2", to: "src/a")
    lines += ["server down", "compile", "server up", "smoke"]
    await becomes(lines, scenario)
    // What cannot be compiled takes the server down, and nothing else.
    try scenario.write("", to: "broken")
    try scenario.write("3", to: "src/a")
    lines += ["server down", "compile"]
    await becomes(lines, scenario)
    try FileManager.default.removeItem(at: scenario.folder.appendingPathComponent("broken"))
    try scenario.write("4", to: "src/a")
    lines += ["compile", "server up", "smoke"]
    await becomes(lines, scenario)
    // Only the step that differs runs again.
    try scenario.write(workflow("smell"), to: "dev.yaml")
    lines += ["smell"]
    await becomes(lines, scenario)
    watch.send(SIGINT)
    try await watch.end().fails(with: 130)
    #expect(Array(log(scenario).prefix(lines.count)) == lines)
    #expect(log(scenario).dropFirst(lines.count) == ["server down", "db down"])
  }

  @Test func `a service that crashes comes back, and what uses it stays up`() async throws {
    let scenario = try Scenario()
    try scenario.write(
      """
      until: stopped
      steps:
        - id: db
          ready: { line: up }
          restart: { limit: 50, delay: 10ms }
          service: "echo $$ > pid; echo db >> log; echo up; exec sleep 1000"
      \(Self.service("web"))
      """, to: "dev.yaml")
    let run = try scenario.start(["run", "dev.yaml", "--progress", "plain"])
    await becomes(["db", "web up"], scenario)
    for count in 2...6 {
      let pid = try #require(Int32(scenario.read("pid").trimmingCharacters(in: .newlines)))
      kill(pid, SIGKILL)
      await becomes(["db", "web up"] + [String](repeating: "db", count: count - 1), scenario)
    }
    run.send(SIGTERM)
    try await run.end().fails(with: 143)
    #expect(log(scenario).last == "web down")
  }

  @Test func `a service is restarted alone, and what uses it stays up`() async throws {
    let scenario = try Scenario()
    try scenario.write(
      "steps:\n" + Self.service("db") + "\n" + Self.service("web"), to: "dev.yaml")
    let run = try scenario.start(["run", "dev.yaml", "--progress", "plain"])
    await becomes(["db up", "web up"], scenario)
    let answer = try await scenario.reprise("restart", "--only", "db").succeeds()
    #expect(answer.output == "step \"db\": starts again; what uses it goes on\n")
    await becomes(["db up", "web up", "db down", "db up"], scenario)
    try await scenario.reprise("restart", "--only", "nothing").fails(with: 2)
    try await scenario.reprise("restart", "--only", "db", "--from", "web").fails(with: 2)
    run.send(SIGINT)
    try await run.end().fails(with: 130)
    #expect(log(scenario).suffix(2) == ["web down", "db down"])
  }

  @Test func `a wait until the run is stopped is written as a step, too`() async throws {
    let scenario = try Scenario()
    try scenario.write(
      "steps: [{ id: first, run: touch began }, { id: stay, wait: { until: stopped } }]",
      to: "w.yaml")
    let run = try scenario.start(["run", "w.yaml", "--progress", "plain"])
    await expectEventually("it has begun") { scenario.has("began") }
    let listed = try await scenario.reprise("runs").succeeds()
    #expect(listed.output.contains("running"))
    run.send(SIGINT)
    try await run.end().fails(with: 130)
  }
}
