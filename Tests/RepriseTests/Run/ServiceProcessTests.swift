import ChildProcesses
import Foundation
import Reprise
import TestSupport
import Testing

/// Services that are processes: readiness, signals and leftovers.
struct ServiceProcessTests {
  init() {
    // As the command does: orphans that left their session become children of this process.
    adoptOrphans()
  }

  private func run(_ text: String) async throws -> Run {
    let run = Engine().start(try Workflow(text: text, file: "w.yaml"))
    _ = await run.outcome
    return run
  }

  private func lines(_ run: Run, _ step: String) -> [String] {
    run.state[step]?.output.lines.map(\.text) ?? []
  }

  @Test func `a line of output makes a service ready, and its tree is gone at the end`()
    async throws
  {
    let mark = "61.\(Int.random(in: 1000...9999))"
    let run = try await run(
      """
      grace: 5s
      steps:
        - id: db
          service: |
            trap 'echo stopping; exit 0' INT
            echo "port=77" >> "$REPRISE_OUTPUT"
            (setsid sleep \(mark) &)
            echo now listening
            while :; do sleep 0.02; done
          ready: { line: listening }
          stop: INT
        - { id: test, exec: [echo, "port ${{ steps.db.outputs.port }}"] }
      """)
    #expect(run.state.phase == .ended(.succeeded))
    #expect(lines(run, "test") == ["port 77"])
    #expect(lines(run, "db") == ["now listening", "stopping"])
    #expect(processes(with: mark).isEmpty)
  }

  @Test func `a script is tried again until it succeeds`() async throws {
    let folder = try TemporaryFolder()
    let run = try await run(
      """
      dir: \(folder.path)
      steps:
        - id: db
          service: sleep 0.2; touch up; exec sleep 60
          ready: { run: test -e up, every: 20ms }
        - { id: test, run: test -e up }
      """)
    #expect(run.state.phase == .ended(.succeeded))
  }

  @Test func `a service that is not ready in time fails, and so do the steps that need it`()
    async throws
  {
    let run = try await run(
      """
      steps:
        - { id: db, service: sleep 60, ready: { run: "false", every: 10ms, timeout: 100ms } }
        - { id: test, run: "true" }
      """)
    let reason = FailureReason.timedOut(after: .milliseconds(100))
    #expect(run.state.phase == .ended(.failed(step: "db", reason: reason)))
    #expect(
      lines(run, "db").last == "it was not ready within 100 ms; the last check exited with status 1"
    )
    #expect(run.state["test"]?.phase == .cancelled(.failure(ofStep: "db")))
  }

  @Test func `the last words of a check are reported, and its first line can name an interpreter`()
    async throws
  {
    let check = ##"run: "#!/bin/sh -eu\necho no route >&2\nexit 7", every: 10ms, timeout: 300ms"##
    let run = try await run(
      """
      steps:
        - { id: db, service: sleep 60, ready: { \(check) } }
        - { id: test, run: "true" }
      """)
    #expect(
      lines(run, "db").last
        == "it was not ready within 300 ms; the last check exited with status 7: no route")
  }

  @Test func `a service that ends while it is needed fails, even with status 0`() async throws {
    let run = try await run(
      """
      steps:
        - { id: db, service: sleep 0.1, ready: { line: never } }
        - { id: test, run: "true" }
      """)
    #expect(run.state.phase == .ended(.failed(step: "db", reason: .exited(status: 0))))
  }

  @Test func `a service reports that it is ready`() async throws {
    let run = try await run(
      """
      steps:
        - id: db
          service: sleep 0.1; echo ready > "$REPRISE_PROGRESS"; exec sleep 60
          ready: { report: true }
        - { id: test, run: "true" }
      """)
    #expect(run.state.phase == .ended(.succeeded))
  }
}
