import Foundation
import Reprise
import TestSupport
import Testing

/// A client that has started `reprise engine --stdio` and communicates with it.
final class EngineClient: Sendable {
  /// A received line: a reply or an event.
  struct Line: Decodable, Sendable {
    struct Diagnostic: Decodable, Sendable {
      let file: String
      let line: Int
      let column: Int
      let message: String
      let hint: String?
    }

    let reply: String?
    let reprise: Int?
    let text: String?
    let run: String?
    let diagnostics: [Diagnostic]?
    let event: String?
    let step: String?
    let partial: Bool?
    let generation: Int?
    let outcome: String?
  }

  /// A received line with its `id`, decoded and as raw data.
  private struct Received: Sendable {
    let line: Line
    let text: String?
    let number: Int?
    let data: Data

    private struct Name<ID: Decodable>: Decodable {
      let id: ID?
    }

    init(_ data: Data) {
      let decoder = JSONDecoder()
      self.data = data
      do {
        line = try decoder.decode(Line.self, from: data)
      } catch {
        preconditionFailure(
          "neither a reply nor an event: \(String(decoding: data, as: UTF8.self))")
      }
      text = (try? decoder.decode(Name<String>.self, from: data))?.id
      number = (try? decoder.decode(Name<Int>.self, from: data))?.id
    }
  }

  private let process: Process
  private let input = Pipe()
  private let output = Pipe()
  private let errors = Pipe()
  private let received = Protected([Received]())
  private let hasEnded = Protected(false)
  private let lastNumber = Protected(0)

  var id: Int32 { process.processIdentifier }

  /// Starts an engine in the folder of a scenario.
  ///
  /// - Parameters:
  ///   - scenario: The scenario whose folder is used.
  ///   - arguments: Additional arguments.
  ///   - reads: Whether to read the output from the start.
  /// - Throws: If the engine cannot be started.
  init(_ scenario: Scenario, _ arguments: [String] = [], reads: Bool = true) throws {
    process = Process()
    process.executableURL = Scenario.Started.executable
    process.arguments = ["engine", "--stdio"] + arguments
    process.currentDirectoryURL = scenario.folder
    process.standardInput = input
    process.standardOutput = output
    process.standardError = errors
    try process.run()
    if reads { read() }
    // Fail a test that would otherwise wait forever.
    DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(300)) { [weak process] in
      guard let process, process.isRunning else { return }
      Issue.record("an engine has not ended after 300 s")
      kill(process.processIdentifier, SIGKILL)
    }
  }

  deinit {
    if process.isRunning { kill(process.processIdentifier, SIGKILL) }
  }

  /// Starts to read the output.
  func read() {
    DispatchQueue(label: "test.engine").async { [output, received, hasEnded] in
      var rest = Data()
      while true {
        let data = output.fileHandleForReading.availableData
        if data.isEmpty { break }
        rest += data
        guard let end = rest.lastIndex(of: 0x0A) else { continue }
        let lines = rest[...end].split(separator: 0x0A).map { Received(Data($0)) }
        rest = Data(rest[(end + 1)...])
        received.withLock { $0 += lines }
      }
      hasEnded.withLock { $0 = true }
    }
  }

  /// Sends a line unchanged.
  func send(_ line: String) {
    input.fileHandleForWriting.write(Data((line + "\n").utf8))
  }

  /// Sends a request with a new number and waits for the reply.
  func ask(_ request: String, _ fields: String = "") async throws -> Line {
    let number = lastNumber.withLock { number in
      number += 1
      return number
    }
    send(#"{"reprise":1,"id":\#(number),"request":"\#(request)"\#(fields)}"#)
    return try await reply { $0.number == number }
  }

  /// Starts a run of a file and returns its id.
  func start(_ workflow: String, _ fields: String = "") async throws -> String {
    let reply = try await ask("start", #","workflow":"\#(workflow)""# + fields)
    #expect(reply.reply == "started" && reply.reprise == 1, "\(reply)")
    return try #require(reply.run)
  }

  /// Waits for the reply to a request whose `id` is a text.
  func reply(to id: String) async throws -> Line {
    try await reply { $0.text == id }
  }

  private func reply(where isWanted: (Received) -> Bool) async throws -> Line {
    var found: Line?
    await expectEventually("a reply") {
      found = received.value.first { $0.line.reply != nil && isWanted($0) }?.line
      return found != nil || hasEnded.value
    }
    return try #require(found)
  }

  /// All lines received until now.
  var lines: [Line] { received.value.map(\.line) }

  /// Returns the state of a run, folded from its events.
  func state(of run: String) throws -> RunState {
    var state = RunState()
    for event in try events(of: run) { try state.apply(event) }
    return state
  }

  /// Returns the events of a run.
  func events(of run: String) throws -> [Event] {
    try received.value.filter { $0.line.run == run && $0.line.event != nil }
      .map { try JSONDecoder().decode(Event.self, from: $0.data) }
  }

  /// Waits for an event of a run.
  func waits(
    for event: String, of run: String, step: String? = nil, generation: Int = 1
  ) async {
    await expectEventually("\(event) of \(run)") {
      lines.contains { line in
        line.event == event && line.run == run && (step == nil || line.step == step)
          && line.generation == generation
      } || hasEnded.value
    }
  }

  /// Waits for the end of a run and returns its outcome.
  func outcome(of run: String) async -> String? {
    var outcome: String?
    await expectEventually("the end of \(run)") {
      outcome = lines.last { $0.event == "run-ended" && $0.run == run }?.outcome
      return outcome != nil || hasEnded.value
    }
    return outcome
  }

  func send(_ signal: Int32) { kill(process.processIdentifier, signal) }
  func closeInput() throws { try input.fileHandleForWriting.close() }
  func closeOutput() throws { try output.fileHandleForReading.close() }

  /// Waits for the engine to end.
  ///
  /// - Returns: Its exit status, or the signal that terminated it.
  func end() async -> Int32 {
    await withCheckedContinuation { continuation in
      DispatchQueue(label: "test.engine.end").async { [process] in
        process.waitUntilExit()
        continuation.resume()
      }
    }
    return process.terminationStatus
  }

  /// Waits for the engine and its output to end.
  func endOfOutput() async -> Int32 {
    let status = await end()
    await expectEventually("the end of the output") { hasEnded.value }
    return status
  }
}
