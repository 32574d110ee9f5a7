import Foundation
import Reprise
import TestSupport
import Testing

@testable import RepriseControl

/// The control socket, as seen by its clients.
@Suite(.serialized) struct ControlServerTests {
  /// A run that continues until it is cancelled, with a control socket.
  private final class Served {
    let folder: URL
    let run: Run
    let server: ControlServer
    /// Opens when the only step has begun.
    let begun = Gate()
    var path: String { folder.path + "/socket" }

    init(
      folder name: String = UUID().uuidString, limits: ControlLimits = ControlLimits()
    ) throws {
      folder = FileManager.default.temporaryDirectory.appendingPathComponent("reprise-\(name)")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      let workflow = try Workflow(name: "w", steps: [Workflow.Step(id: "a", action: .exec(["-"]))])
      let executor = ClosureExecutor { [begun] _ in
        begun.open()
        try await SystemClock().sleep(for: .seconds(3600))
        return [:]
      }
      run = Engine(executor: executor).start(workflow)
      server = try ControlServer(at: folder.path + "/socket", serving: run, limits: limits)
    }

    func end() async throws {
      run.cancel()
      _ = try await run.outcome
      await server.finish()
      try? FileManager.default.removeItem(at: folder)
    }
  }

  /// Sends bytes and returns the first line of the reply, or what arrives before the server closes
  /// the connection.
  private func exchange(_ bytes: [UInt8], with path: String) throws -> String {
    let socket = try connectedSocket(to: path)
    defer { close(socket) }
    _ = sendAll(bytes, to: socket)
    shutdown(socket, Int32(SHUT_WR))
    var lines = LineReader(socket, bytesMax: 1 << 20)
    return lines.next().map { String(decoding: $0, as: UTF8.self) } ?? ""
  }

  @Test(arguments: [
    ("{\"reprise\":1,\"request\":\"restart\"}", "{\"generation\":2,\"reply\":\"ok\",\"reprise\":1"),
    ("{\"reprise\":1,\"request\":\"restart\",\"from\":\"b\"}", "there is no step"),
    (
      "{\"reprise\":1,\"request\":\"restart\",\"from\":[\"a\",\":running\"]}",
      "\"steps\":[\"a\"]"
    ),
    (
      "{\"reprise\":1,\"request\":\"restart\",\"only\":\"a\"}",
      "step \\\"a\\\": not a service; restart from it instead"
    ),
    (
      "{\"reprise\":1,\"request\":\"restart\",\"only\":[\"a\"],\"from\":\"a\"}",
      "a restart has \\\"from\\\" or \\\"only\\\", not both"
    ),
    (
      "{\"reprise\":1,\"request\":\"cancel\",\"step\":\"a\"}",
      "step \\\"a\\\": being cancelled"
    ),
    ("{\"reprise\":1,\"request\":\"cancel\",\"step\":7}", "the field \\\"step\\\" must be a"),
    ("{\"reprise\":2,\"request\":\"restart\"}", "version 2 is not supported"),
    (
      "{\"reprise\":1,\"id\":7,\"request\":\"restart\"}",
      "{\"generation\":2,\"id\":7,\"reply\":\"ok\",\"reprise\":1"
    ),
    ("{\"reprise\":1,\"id\":\"a\",\"request\":\"dance\"}", "{\"id\":\"a\",\"reply\":\"error\""),
    ("{\"reprise\":1,\"id\":{},\"request\":\"restart\"}", "the field \\\"id\\\" must be"),
    ("{\"request\":\"restart\"}", "the field \\\"reprise\\\" is missing"),
    ("{\"reprise\":1,\"request\":\"dance\"}", "there is no request \\\"dance\\\""),
    ("{}", "\"reply\":\"error\""), ("[1,2", "\"reply\":\"error\""), ("", "\"reply\":\"error\""),
    ("{\"reprise\":\"1\",\"request\":7}", "\"reply\":\"error\""),
  ])
  func `each request is answered with one line`(_ request: String, _ answer: String) async throws {
    let served = try Served()
    await served.begun.wait()
    let line = try exchange(Array((request + "\n").utf8), with: served.path)
    #expect(line.contains(answer))
    try await served.end()
  }

  @Test func `random input does not affect the server`() async throws {
    var generator = SeededGenerator.announced()
    let served = try Served()
    let pieces: [[UInt8]] = [
      "{", "}", "\"reprise\":1,", "\"request\":", "\"attach\"", "[", "\\u0000", "\n", "1e999",
    ]
    .map { Array($0.utf8) }
    for _ in 0..<rounds(500, soak: 100_000) {
      var bytes: [UInt8] = []
      for _ in 0..<Int.random(in: 0..<20, using: &generator) {
        bytes +=
          Bool.random(using: &generator)
          ? pieces.randomElement(using: &generator) ?? []
          : [UInt8.random(in: 0...255, using: &generator)]
      }
      _ = try exchange(bytes, with: served.path)
    }
    _ = try exchange(Array(repeating: 0x61, count: 1 << 20), with: served.path)
    let client = try ControlClient(served.path)
    #expect(try await client.ask(.run(.cancel(steps: [], now: false))).isAccepted)
    #expect(try await served.run.outcome == .cancelled)
    try await served.end()
  }

  @Test func `an attached client gets the current state and all later events`() async throws {
    let served = try Served()
    let client = try ControlClient(served.path)
    #expect(try await client.ask(.attach) == .ok)
    client.post(.run(.restart(from: [])))
    let second = Protected(RunState())
    let watching = Task {
      for await event in client.events.values {
        try second.withLock { state throws(InvalidTransition) in try state.apply(event) }
        if case .generationStarted = event.kind { client.post(.run(.cancel(steps: [], now: true))) }
      }
    }
    try await watching.value
    #expect(second.value.phase == .ended(.cancelled) && second.value.generation == 2)
    try await served.end()
  }

  @Test func `a request to a silent server times out`() async throws {
    let path = FileManager.default.temporaryDirectory.path + "/reprise-\(UUID().uuidString)"
    let silent = try listeningSocket(at: path)
    defer {
      close(silent)
      unlink(path)
    }
    let client = try ControlClient(path)
    let error = await #expect(throws: ControlError.self) {
      try await client.ask(.run(.cancel(steps: [], now: false)), within: .milliseconds(200))
    }
    #expect(error?.description.contains("continue it with fg") == true)
  }

  @Test func `connecting to a server with a full backlog does not block forever`() throws {
    let path = FileManager.default.temporaryDirectory.path + "/reprise-\(UUID().uuidString)"
    let silent = try listeningSocket(at: path)
    defer {
      close(silent)
      unlink(path)
    }
    var waiting: [ControlClient] = []
    let error = #expect(throws: ControlError.self) {
      for _ in 0..<1000 { waiting.append(try ControlClient(path)) }
    }
    #expect(error?.description.contains("there is no answer") == true)
  }

  @Test func `a reply before the timeout keeps the connection open`() async throws {
    let served = try Served()
    let client = try ControlClient(served.path)
    for _ in 0..<2 {
      #expect(try await client.ask(.run(.restart(from: [])), within: .seconds(60)).isAccepted)
    }
    try await served.end()
  }

  @Test func `a blocked reader does not delay other clients`() async throws {
    let served = try Served()
    let still = try ControlClient(served.path)
    #expect(try await still.ask(.attach) == .ok)
    for _ in 0..<200 {
      let client = try ControlClient(served.path)
      #expect(try await client.ask(.run(.restart(from: []))).isAccepted)
    }
    try await served.end()
    withExtendedLifetime(still) {}
  }

  /// A regression test: each client used to have a thread, and Dispatch creates at most 255.
  @Test(arguments: ["", "{\"reprise\":1,"])
  func `many connected clients do not delay others or need threads`(
    _ sent: String
  ) async throws {
    let served = try Served()
    let attached = try ControlClient(served.path)
    #expect(try await attached.ask(.attach) == .ok)
    let before = threadCount()
    var crowd: [Int32] = []
    defer { for socket in crowd { close(socket) } }
    for _ in 0..<300 {
      crowd.append(try connectedSocket(to: served.path))
      _ = sendAll(Array(sent.utf8), to: crowd[crowd.count - 1])
    }
    let client = try ControlClient(served.path)
    #expect(try await client.ask(.run(.restart(from: [])), within: .seconds(60)).isAccepted)
    #expect(threadCount() - before < 16)
    #expect(
      try await client.ask(.run(.cancel(steps: [], now: false)), within: .seconds(60)).isAccepted)
    #expect(try await served.run.outcome == .cancelled)
    // Attached clients are not disconnected to make room for others.
    let last = await attached.events.values.reduce(nil as Event?) { $1 }
    #expect(last?.kind == .runEnded(.cancelled))
    await served.server.finish()
  }

  /// A regression test: accepted clients that should make room kept their descriptors while others
  /// connected.
  @Test func `a client that connects in a loop does not exhaust descriptors or delay requests`()
    async throws
  {
    let served = try Served()
    func descriptors() throws -> Int {
      try FileManager.default.contentsOfDirectory(atPath: "/dev/fd").count
    }
    let before = try descriptors()
    let isOver = Protected(false)
    let (path, storm) = (served.path, DispatchGroup())
    for _ in 0..<2 {
      DispatchQueue.global().async(group: storm) {
        while !isOver.value { if let socket = try? connectedSocket(to: path) { close(socket) } }
      }
    }
    var most = 0
    for _ in 0..<20 {
      let client = try ControlClient(served.path)
      #expect(try await client.ask(.run(.restart(from: [])), within: .seconds(60)).isAccepted)
      most = max(most, try descriptors() - before)
    }
    isOver.withLock { $0 = true }
    await withCheckedContinuation { done in
      storm.notify(queue: .global()) { done.resume() }
    }
    // The maximum number of clients, those accepted at once, and the open sockets of the storm
    // itself.
    #expect(most < 128 + 64, "\(most) descriptors")
    try await served.end()
  }

  @Test func `a client is refused with the reason when the maximum is attached`() async throws {
    let served = try Served(limits: ControlLimits(clients: 2))
    let attached = try (0..<2).map { _ in try ControlClient(served.path) }
    for client in attached { #expect(try await client.ask(.attach) == .ok) }
    let answer = try exchange(
      Array("{\"reprise\":1,\"request\":\"cancel\"}\n".utf8), with: served.path)
    #expect(answer.contains("2 are attached"))
    #expect(served.run.state.phase == .running)
    try await served.end()
    withExtendedLifetime(attached) {}
  }

  @Test func `a client that asks for nothing is disconnected`() async throws {
    let served = try Served(limits: ControlLimits(silence: .seconds(1)))
    let speaks = try ControlClient(served.path)
    #expect(try await speaks.ask(.run(.restart(from: []))).isAccepted)
    let silent = try connectedSocket(to: served.path)
    var news = pollfd(fd: silent, events: Int16(POLLIN), revents: 0)
    let isDisconnected = poll(&news, 1, 60_000) == 1
    #expect(isDisconnected, "not within a minute")
    if isDisconnected {
      var lines = LineReader(silent, bytesMax: 100)
      #expect(lines.next() == nil)
    }
    close(silent)
    // A client that has sent a request stays connected.
    #expect(try await speaks.ask(.run(.restart(from: []))).isAccepted)
    try await served.end()
  }

  @Test func `a client that reads nothing is disconnected`() async throws {
    let served = try Served(limits: ControlLimits(patience: .milliseconds(100)))
    let still = try connectedSocket(to: served.path)
    _ = sendAll(Array("{\"reprise\":1,\"request\":\"attach\"}\n".utf8), to: still)
    let other = try ControlClient(served.path)
    // Fill the buffers of the client: each restart emits three events.
    var wait = pollfd(fd: still, events: 0, revents: 0)
    let end = ContinuousClock.now.advanced(by: .seconds(60))
    while poll(&wait, 1, 0) == 0 && ContinuousClock.now < end {
      #expect(try await other.ask(.run(.restart(from: []))).isAccepted)
    }
    #expect(poll(&wait, 1, 0) == 1, "the client was not disconnected")
    close(still)
    try await served.end()
  }

  @Test func `a request before the end is answered`() async throws {
    for _ in 0..<50 {
      let served = try Served()
      let socket = try connectedSocket(to: served.path)
      _ = sendAll(Array("{\"reprise\":1,\"request\":\"restart\"}\n".utf8), to: socket)
      try await served.end()
      var lines = LineReader(socket, bytesMax: 1000)
      #expect(lines.next() != nil)
      close(socket)
    }
  }

  /// Promise 19, at the socket itself; its folder already denies access to other users.
  @Test(.enabled(if: getuid() == 0)) func `requests of another user are refused`() async throws {
    let served = try Served()
    #expect(chmod(served.folder.path, 0o777) == 0 && chmod(served.path, 0o666) == 0)
    let script = """
      use IO::Socket::UNIX;
      my $s = IO::Socket::UNIX->new(Peer => "\(served.path)") or exit 7;
      print $s "{\\"reprise\\":1,\\"request\\":\\"cancel\\"}\\n";
      print scalar(<$s>) // "nothing";
      """
    func answer(_ user: String) throws -> String {
      let process = Process()
      let pipe = Pipe()
      process.executableURL = URL(fileURLWithPath: "/usr/bin/setpriv")
      process.arguments = [
        "--reuid=\(user)", "--clear-groups", "perl", "-e", "$SIG{PIPE} = 'IGNORE';" + script,
      ]
      process.standardOutput = pipe
      try process.run()
      let text = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
      process.waitUntilExit()
      return text
    }
    #expect(try answer("65534") == "nothing")
    #expect(served.run.state.phase == .running)
    #expect(try answer("0").contains("ok"))
    try await served.end()
  }

  @Test func `only its user has access to the socket, which may have a long path`() async throws {
    let served = try Served(folder: String(repeating: "long-", count: 40) + UUID().uuidString)
    var status = stat()
    #expect(stat(served.path, &status) == 0 && status.st_mode & 0o777 == 0o600)
    #expect(try exchange(Array("{}\n".utf8), with: served.path).contains("error"))
    try await served.end()
    #expect(throws: ControlError.self) { try ControlClient(served.path) }
  }
}
