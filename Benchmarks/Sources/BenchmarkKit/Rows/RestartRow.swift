// The row about restarting a run with many running processes.

import Foundation

private let latency = Figure("restart", "ms")
private let inside = Figure("restart, from its first event", "ms")

/// Row 8.
///
/// In process: the time from the call of `restart()` to the event of the first step start in the
/// new generation. With the command: the time from just before `reprise restart` is started to that
/// event in the output of `--progress json`, and the time from the event `run-restarting`.
let restart = Row(
  "restart", "restart of a run with 100 running `sleep`s, until the first step starts",
  bars: [
    Bar(latency, .value(of: "engine"), .atMost(30)),
    Bar(inside, .value(of: "command"), .reported),
    Bar(latency, .value(of: "command"), .reported),
  ]
) { place in
  let count = place.count(100, quick: 5)
  let steps = (0..<count).map { "      - { id: s\($0), exec: [sleep, \"1000\"] }\n" }.joined()
  let file = try place.write("sleeps.yaml", "steps:\n  - parallel:\n" + steps)
  return [
    Contestant("engine") {
      try place.measureInProcess(
        ["restart", String(count)], ["restart-milliseconds": latency])
    },
    Contestant("command") { try place.restartByCommand(file, count) },
  ]
}

extension Place {
  fileprivate func restartByCommand(_ file: String, _ count: Int) throws -> Sample {
    let state = freshState()
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(filePath: programs.reprise)
    process.arguments = ["run", file, "--progress", "json", "--state-dir", state]
    process.currentDirectoryURL = URL(filePath: folder)
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output
    try process.run()
    defer {
      process.terminate()
      process.waitUntilExit()
    }
    var lines = EventLines(output.fileHandleForReading)
    for _ in 0..<count { _ = try lines.time(of: "step-started", generation: 1) }
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
