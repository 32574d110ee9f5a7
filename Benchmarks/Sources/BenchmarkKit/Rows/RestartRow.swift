// The row about restarting a run with many running processes.

import Foundation

private let latency = Figure("restart", "ms")
private let inside = Figure("restart, from its first event", "ms")

/// Row 8.
///
/// In process: the time from the call of `restart()` to the event of the first step start in the
/// new generation. With the command: the time from just before `reprise restart` is started to that
/// event in the output of `--progress json`, and the time from the event `run-restarting`.
let restart = restartRow("restart", of: 100, atMost: 25)

/// The same with ten times as many.
let largeRestart = restartRow("restart-1000", of: 1000, atMost: 150)

private func restartRow(_ name: String, of count: Int, atMost limit: Double) -> Row {
  Row(
    name, "restart of a run with \(count) running `sleep`s, until the first step starts",
    bars: [
      Bar(latency, .value(of: "engine"), .atMost(limit)),
      Bar(inside, .value(of: "command"), .reported),
      Bar(latency, .value(of: "command"), .reported),
    ]
  ) { place in
    let count = place.count(count, quick: 5)
    let file = try place.sleeps(count)
    return [
      Contestant("engine") {
        try place.measureInProcess(
          ["restart", String(count)], ["restart-milliseconds": latency])
      },
      Contestant("command") { try place.restartByCommand(file, count) },
    ]
  }
}

private let cancelling = Figure("cancel to exit", "ms")

/// From the first SIGTERM to the exit of the command.
let cancel = Row(
  "cancel-1000", "SIGTERM during a run with 1,000 running `sleep`s, until the command exits",
  bars: [Bar(cancelling, .value(of: "command"), .atMost(150))]
) { place in
  let count = place.count(1000, quick: 5)
  let file = try place.sleeps(count)
  return [Contestant("command") { try place.cancelBySignal(file, count) }]
}

extension Place {
  fileprivate func sleeps(_ count: Int) throws -> String {
    let steps = (0..<count).map { "      - { id: s\($0), exec: [sleep, \"1000\"] }\n" }.joined()
    return try write("sleeps.yaml", "max-parallel: \(count)\nsteps:\n  - parallel:\n" + steps)
  }

  /// Starts a run, and returns when all of its steps run.
  private func started(
    _ file: String, _ count: Int, in state: String
  ) throws -> (Process, EventLines) {
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(filePath: programs.reprise)
    process.arguments = ["run", file, "--progress", "json", "--state-dir", state]
    process.currentDirectoryURL = URL(filePath: folder)
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output
    try process.run()
    var lines = EventLines(output.fileHandleForReading)
    for _ in 0..<count { _ = try lines.time(of: "step-started", generation: 1) }
    return (process, lines)
  }

  fileprivate func cancelBySignal(_ file: String, _ count: Int) throws -> Sample {
    let (process, reader) = try started(file, count, in: freshState())
    var lines = reader
    let asked = Date.now
    process.terminate()
    lines.skipAll()
    process.waitUntilExit()
    return [cancelling: Date.now.timeIntervalSince(asked) * 1e3]
  }

  fileprivate func restartByCommand(_ file: String, _ count: Int) throws -> Sample {
    let state = freshState()
    let (process, reader) = try started(file, count, in: state)
    var lines = reader
    defer {
      process.terminate()
      lines.skipAll()
      process.waitUntilExit()
    }
    let asked = Date.now.timeIntervalSince1970
    try run([programs.reprise, "restart", "@last", "--state-dir", state])
    let began = try lines.time(of: "run-restarting", generation: 1)
    let started = try lines.time(of: "step-started", generation: 2)
    return [latency: (started - asked) * 1e3, inside: (started - began) * 1e3]
  }
}

/// Searches the lines of `--progress json` for one event after another.
private struct EventLines {
  private let handle: FileHandle
  private var waiting = Data()

  init(_ handle: FileHandle) {
    self.handle = handle
  }

  /// Returns the time of the next event of a kind in seconds since 1970; skips other events.
  mutating func time(of name: String, generation: Int) throws -> Double {
    while let line = nextLine() {
      let event = try JSONDecoder().decode(TimedEvent.self, from: line)
      guard event.event == name, event.generation == generation else { continue }
      return try event.seconds()
    }
    throw Broken("the run has ended without \(name) in generation \(generation)")
  }

  /// Reads to the end, so that the writer need not wait.
  mutating func skipAll() { while nextLine() != nil {} }

  private mutating func nextLine() -> Data? {
    while true {
      if let end = waiting.firstIndex(of: UInt8(ascii: "\n")) {
        defer { waiting = Data(waiting[(end + 1)...]) }
        return Data(waiting[..<end])
      }
      let more = handle.availableData
      guard !more.isEmpty else { return nil }
      waiting += more
    }
  }
}

private struct TimedEvent: Decodable {
  let time: String
  let event: String
  let generation: Int

  /// Parses the time with microseconds; the formats of Foundation truncate to milliseconds.
  func seconds() throws -> Double {
    let parts = time.dropLast().split(separator: ".")
    guard parts.count == 2, let fraction = Double("0." + parts[1]) else {
      throw Broken("\(time) is not a time with microseconds")
    }
    return try Date(parts[0] + "Z", strategy: .iso8601).timeIntervalSince1970 + fraction
  }
}
