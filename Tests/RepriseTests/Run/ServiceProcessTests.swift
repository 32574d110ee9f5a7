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
    _ = try await run.outcome
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
        - { id: db, service: sleep 60, ready: { run: "false", every: 100ms, timeout: 3s } }
        - { id: test, run: "true" }
      """)
    let reason = FailureReason.timedOut(after: .seconds(3))
    #expect(run.state.phase == .ended(.failed(step: "db", reason: reason)))
    #expect(
      lines(run, "db").last == "it was not ready within 3.0 s; the last check exited with status 1"
    )
    #expect(run.state["test"]?.phase == .cancelled(.failure(ofStep: "db")))
  }

  @Test func `the last words of a check are reported, and its first line can name an interpreter`()
    async throws
  {
    let check = ##"run: "#!/bin/sh -eu\necho no route >&2\nexit 7", every: 100ms, timeout: 3s"##
    let run = try await run(
      """
      steps:
        - { id: db, service: sleep 60, ready: { \(check) } }
        - { id: test, run: "true" }
      """)
    #expect(
      lines(run, "db").last
        == "it was not ready within 3.0 s; the last check exited with status 7: no route")
  }

  /// Longer than the timers of processes, and as long as real services take.
  @Test func `a service that takes seven seconds to become ready is waited for`() async throws {
    let folder = try TemporaryFolder()
    let run = try await run(
      """
      dir: \(folder.path)
      steps:
        - { id: db, service: "sleep 7; touch up; echo now up; exec sleep 60", ready: { line: now up } }
        - { id: test, run: test -e up }
      """)
    #expect(run.state.phase == .ended(.succeeded))
    #expect(lines(run, "db") == ["now up"])
  }

  @Test(arguments: ["port: PORT", #"http: "http://127.0.0.1:PORT/""#])
  func `a service does not start if its port already answers`(_ probe: String) async throws {
    let folder = try TemporaryFolder()
    let server = try AnsweringServer()
    let run = try await run(
      """
      dir: \(folder.path)
      steps:
        - id: db
          service: touch started; exec sleep 60
          ready: { \(probe.replacing("PORT", with: "\(server.port)")), every: 10ms, timeout: 5s }
          restart: { limit: 1, delay: 10ms }
        - { id: test, run: touch used }
      """)
    guard case .ended(.failed("db", .notStarted(let text))) = run.state.phase else {
      Issue.record("\(run.state.phase)")
      return
    }
    #expect(text.hasPrefix("port \(server.port) is already in use"))
    #expect(run.state["db"]?.attempt == 2)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
  }

  @Test func `a check that succeeds before the start gets a warning`() async throws {
    let run = try await run(
      """
      steps:
        - { id: db, service: sleep 60, ready: { run: "true", every: 10ms } }
        - { id: test, run: "true" }
      """)
    #expect(run.state.phase == .ended(.succeeded))
    #expect(
      lines(run, "db") == [
        "warning: its check succeeds before it starts: something else may answer in its place"
      ])
  }

  @Test(arguments: [
    #"service: "echo port=1 >> $REPRISE_OUTPUT; echo garbage >> $REPRISE_OUTPUT; echo up; exec sleep 60", ready: { line: up }"#,
    #"run: "echo garbage >> $REPRISE_OUTPUT; echo ready > $REPRISE_PROGRESS; exec sleep 60""#,
  ])
  func `a step whose outputs are malformed when it is ready fails, and is not used`(
    _ action: String
  ) async throws {
    let run = try await run(
      """
      steps:
        - { id: db, \(action) }
        - { id: test, needs: { db: ready }, run: "true" }
      """)
    guard case .ended(.failed("db", .badOutputs(let text))) = run.state.phase else {
      Issue.record("\(run.state.phase)")
      return
    }
    #expect(text.contains(#""garbage" is neither NAME=VALUE nor NAME<<END"#))
    #expect(run.state["test"]?.startedAt == nil)
  }

  @Test func `a line in colours makes a service ready`() async throws {
    let run = try await run(
      #"""
      steps:
        - { id: db, service: "printf '\\033[1mnow\\033[0m up\\n'; exec sleep 60", ready: { line: now up } }
        - { id: test, run: "true" }
      """#)
    #expect(run.state["test"]?.phase == .succeeded([:]))
  }

  @Test func `a service whose line does not come gets a hint at buffered output`() async throws {
    for (script, hint) in [
      ("exec sleep 60", "it has written nothing; many programs keep their output back"),
      ("echo up; exec sleep 60", "no line of its output contained the text"),
    ] {
      let run = try await run(
        """
        steps:
          - { id: db, service: "\(script)", ready: { line: READY, timeout: 3s } }
          - { id: test, run: "true" }
        """)
      #expect(lines(run, "db").last?.hasPrefix("it was not ready within 3.0 s; \(hint)") == true)
    }
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

  @Test func `a service that is not alive has failed, and starts again`() async throws {
    let folder = try TemporaryFolder()
    let run = try await run(
      """
      dir: \(folder.path)
      steps:
        - id: db
          service: touch well; echo up; while :; do sleep 0.05; done
          ready: { line: up }
          alive: { run: "test -e well || { echo ill; exit 4; }", every: 20ms, failures: 2 }
          restart: { limit: 1, delay: 10ms }
        - { id: ill, run: "rm well; while ! test -e well; do sleep 0.02; done" }
        - { id: dead, run: "rm well; exec sleep 60" }
      """)
    let reason = "not alive: 2 checks failed in a row: the last exited with status 4: ill"
    #expect(run.state.phase == .ended(.failed(step: "db", reason: .unmet(reason))))
    #expect(run.state["db"]?.attempt == 2)
    #expect(run.state["ill"]?.phase.isSuccess == true)
    #expect(run.state["dead"]?.phase == .cancelled(.failure(ofStep: "db")))
  }

  @Test func `a check of a service that takes too long has failed`() async throws {
    let run = try await run(
      """
      steps:
        - { id: db, service: exec sleep 60, alive: { run: sleep 60, every: 10ms, timeout: 50ms, failures: 1 } }
        - { id: test, run: exec sleep 60 }
      """)
    let reason = "not alive: the check failed: the last did not end within 50 ms"
    #expect(run.state.phase == .ended(.failed(step: "db", reason: .unmet(reason))))
  }

  @Test(arguments: [
    ("port: PORT", "found that port PORT accepts no connection", true),
    (#"http: "http://127.0.0.1:PORT/""#, "got status 404", false),
    (#"http: "http://127.0.0.1:PORT/""#, "got no answer", true),
  ]) func `a service that does not answer is not alive`(
    _ probe: String, _ complaint: String, _ isGone: Bool
  ) async throws {
    let server = try AnsweringServer()
    let port = "\(server.port)"
    if isGone { server.stop() }
    let run = try await run(
      """
      steps:
        - id: db
          service: exec sleep 60
          alive: { \(probe.replacing("PORT", with: port)), every: 10ms, failures: 2 }
        - { id: test, run: exec sleep 60 }
      """)
    let text = complaint.replacing("PORT", with: port)
    let reason = "not alive: 2 checks failed in a row: the last \(text)"
    #expect(run.state.phase == .ended(.failed(step: "db", reason: .unmet(reason))))
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

/// A server of HTTP that answers every connection.
private final class AnsweringServer: Sendable {
  let port: Int
  private let descriptor: Int32
  private let isClosed = Protected(false)

  init() throws {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let error = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        bind(descriptor, address, length) | listen(descriptor, 8)
          | getsockname(descriptor, address, &length)
      }
    }
    try #require(error == 0)
    port = Int(UInt16(bigEndian: address.sin_port))
    self.descriptor = descriptor
    DispatchQueue(label: "a server").async {
      while case let client = accept(descriptor, nil, nil), client >= 0 {
        let answer = Array("HTTP/1.0 404 Not Found\r\n\r\n".utf8)
        send(client, answer, answer.count, Int32(MSG_NOSIGNAL))
        close(client)
      }
    }
  }

  func stop() {
    isClosed.withLock { isClosed in
      if isClosed { return }
      shutdown(descriptor, Int32(SHUT_RDWR))
      close(descriptor)
      isClosed = true
    }
  }

  deinit { stop() }
}
