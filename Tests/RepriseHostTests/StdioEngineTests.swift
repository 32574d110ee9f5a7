// Tests of the engine over pipes: requests in, replies and events out.

import Foundation
import Reprise
import RepriseHost
import RepriseJournal
import TestSupport
import Testing

struct StdioEngineTests {
  private static func line(_ values: [String: String]) throws -> Data {
    var values = values as [String: Any]
    values["reprise"] = 1
    return try JSONSerialization.data(withJSONObject: values) + Data("\n".utf8)
  }

  private final class Output: Sendable {
    private let text = Protected("")
    func write(_ bytes: [UInt8]) -> Bool {
      text.withLock { $0 += String(decoding: bytes, as: UTF8.self) }
      return true
    }
    var lines: [String] {
      text.withLock { $0 }.split(separator: "\n").map(String.init)
    }
    func has(_ words: String...) -> Bool {
      lines.contains { line in words.allSatisfy(line.contains) }
    }
  }

  @Test(arguments: [true, false])
  func `a run is started, and cancelled by the end of the input`(isRecorded: Bool) async throws {
    let folder = try HostFolder()
    let input = Pipe()
    let output = Output()
    let engine = StdioEngine(
      isRecorded ? folder.host : nil,
      .init(input: input.fileHandleForReading.fileDescriptor, write: output.write))
    let running = Task { await engine.run() }
    try input.fileHandleForWriting.write(
      contentsOf: Self.line([
        "request": "start", "text": "steps: [{ id: a, run: 'echo up; sleep 600' }]",
      ]))
    await expectEventually("the step runs") { output.has("step-output", "up") }
    if isRecorded { #expect(try folder.journal.runs().map(\.status) == [.running]) }
    try input.fileHandleForWriting.close()
    #expect(await running.value == .inputEnded)
    #expect(output.has("run-ended", "cancelled"))
    if isRecorded { #expect(try folder.journal.runs().map(\.status) == [.cancelled]) }
  }

  @Test func `the first signal cancels, and a closed output ends the engine`() async throws {
    let input = Pipe()
    let output = Output()
    let engine = StdioEngine(
      nil, .init(input: input.fileHandleForReading.fileDescriptor, write: output.write))
    let running = Task { await engine.run() }
    engine.receive(15)
    #expect(await running.value == .signal(15))
    try input.fileHandleForWriting.close()

    let requests = Pipe()
    let deaf = StdioEngine(
      nil, .init(input: requests.fileHandleForReading.fileDescriptor, write: { _ in false }))
    try requests.fileHandleForWriting.write(contentsOf: Self.line(["request": "nonsense"]))
    #expect(await deaf.run() == .outputClosed)
    try requests.fileHandleForWriting.close()
  }
}
