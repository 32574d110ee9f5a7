// Tests of the server over pipes: requests in progress, cancellation, and its end.

import Foundation
import Reprise
import RepriseHost
import TestSupport
import Testing

struct AgentServerTests {
  /// A server with requests that are performed by a test.
  private final class Served: Sendable {
    private let input = Pipe()
    private let text = Protected("")
    let running: Task<AgentServer.Ending, Never>

    init(_ perform: @escaping AgentServer.Perform) {
      let server = AgentServer(
        AgentProtocol(version: "1", instructions: "", tools: AgentTool.all),
        .init(
          input: input.fileHandleForReading.fileDescriptor,
          write: { [text] bytes in
            text.withLock { $0 += String(decoding: bytes, as: UTF8.self) }
            return true
          }),
        perform: perform)
      running = Task { await server.run() }
    }

    func send(_ line: String) throws {
      try input.fileHandleForWriting.write(contentsOf: Data((line + "\n").utf8))
    }

    func list(_ id: Int) throws {
      try send(#"{"jsonrpc":"2.0","id":\#(id),"method":"resources/list"}"#)
    }

    func end() async throws -> AgentServer.Ending {
      try input.fileHandleForWriting.close()
      return await running.value
    }

    var lines: [String] { text.withLock { $0 }.split(separator: "\n").map(String.init) }
    func has(_ words: String) -> Bool { lines.contains { $0.contains(words) } }
  }

  @Test func `requests are performed side by side, and answered when they are done`() async throws {
    let (first, second) = (Gate(), Gate())
    let count = Protected(0)
    let served = Served { _ in
      let number = count.withLock { count in
        count += 1
        return count
      }
      await (number == 1 ? first : second).wait()
      return .success(.text("\(number)"))
    }
    try served.list(1)
    await expectEventually("the first is in progress") { count.withLock { $0 } == 1 }
    try served.list(2)
    try served.send(#"{"jsonrpc":"2.0","id":3,"method":"ping"}"#)
    await expectEventually("the others are not held up") {
      served.has(#""id":3"#) && count.withLock { $0 } == 2
    }
    second.open()
    await expectEventually("the second is answered first") { served.has(#"{"id":2,"#) }
    #expect(!served.has(#"{"id":1,"#))
    first.open()
    await expectEventually("the first is answered") { served.has(#"{"id":1,"#) }
    #expect(try await served.end() == .inputEnded)
  }

  @Test func `a cancelled request ends early and is not answered`() async throws {
    let gate = Gate()
    let ended = Gate()
    let served = Served { request in
      guard request == .listResources else { return .success(.null) }
      try? await gate.waitUnlessCancelled()
      ended.open()
      return .success(.null)
    }
    try served.list(1)
    try served.send(
      #"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#)
    await ended.wait()
    try served.send(
      #"{"jsonrpc":"2.0","id":2,"method":"resources/read","params":{"uri":"x"}}"#)
    await expectEventually("other requests are answered") { served.has(#""id":2"#) }
    // The id can be used again.
    gate.open()
    try served.list(1)
    await expectEventually("the next one is answered") { served.has(#""id":1"#) }
    #expect(try await served.end() == .inputEnded)
    #expect(served.lines.count == 2)
  }

  @Test func `an id in progress and too many requests are refused`() async throws {
    let gate = Gate()
    let served = Served { _ in
      await gate.wait()
      return .success(.null)
    }
    try served.list(1)
    try served.list(1)
    await expectEventually("the second one is refused") {
      served.has("a request with this id is in progress")
    }
    for id in 2...65 { try served.list(id) }
    await expectEventually("the last one is refused") {
      served.has("64 requests are in progress")
    }
    #expect(served.lines.last?.contains(#""id":65"#) == true)
    gate.open()
    await expectEventually("the others are answered") { served.lines.count == 66 }
    #expect(try await served.end() == .inputEnded)
  }

  @Test func `the end of the input ends waits, and their answers are still written`() async throws {
    let started = Gate()
    let gate = Gate()
    let served = Served { _ in
      started.open()
      do {
        try await gate.waitUnlessCancelled()
        return .success(.text("done"))
      } catch {
        return .success(.text("it goes on"))
      }
    }
    try served.list(1)
    await started.wait()
    #expect(try await served.end() == .inputEnded)
    #expect(served.has(#""result":"it goes on""#))
  }

  @Test func `a batch is answered by one list, without what needs no answer`() async throws {
    let served = Served { _ in .success(.text("done")) }
    try served.send(
      #"[{"jsonrpc":"2.0","id":1,"method":"resources/list"},{"jsonrpc":"2.0","method":"x"},7]"#)
    await expectEventually("it is answered") { served.lines.count == 1 }
    let line = try #require(served.lines.first)
    #expect(line.hasPrefix("[") && line.hasSuffix("]"))
    #expect(line.contains(#""result":"done""#) && line.contains("-32600"))
    #expect(try await served.end() == .inputEnded)
  }

  @Test func `lines of any kind are answered, and controls are escaped`() async throws {
    let served = Served { _ in .success(.text("\u{1B}[31m\u{9B}")) }
    try served.send("")
    try served.send("  \r")
    try served.send(String(repeating: "x", count: (1 << 20) + 1))
    try served.send("nonsense")
    try served.list(1)
    await expectEventually("three are answered") { served.lines.count == 3 }
    #expect(served.has("more than 1 MiB") && served.has("-32700"))
    #expect(served.has(#""result":"\u001b[31m\u009b""#))
    #expect(try await served.end() == .inputEnded)
  }

  @Test func `a closed output ends the server`() async throws {
    let input = Pipe()
    let server = AgentServer(
      AgentProtocol(version: "1", instructions: "", tools: []),
      .init(input: input.fileHandleForReading.fileDescriptor, write: { _ in false })
    ) { _ in .success(.null) }
    try input.fileHandleForWriting.write(contentsOf: Data("nonsense\n".utf8))
    #expect(await server.run() == .outputClosed)
    try input.fileHandleForWriting.close()
  }
}
