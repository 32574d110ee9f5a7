// Formats recorded output: prefixes lines with times and steps, and marks generations and attempts.

import Reprise
import RepriseJournal
import RepriseTerminal

/// Formats and writes the lines of logs.
struct LogText {
  var selection: LogSelection
  private let isTerminal: Bool
  private let write: ([UInt8]) -> Bool
  private var buffer: [UInt8] = []
  private var generation = 0
  private var day = ""
  /// The attempts whose beginnings have been marked.
  private var marked: Set<String> = []
  /// The number of lines so far, without marks.
  private(set) var lineCount = 0
  /// The number of lines to leave out first.
  var linesToSkip = 0

  init(_ selection: LogSelection, isTerminal: Bool, write: @escaping ([UInt8]) -> Bool) {
    self.selection = selection
    self.isTerminal = isTerminal
    self.write = write
  }

  /// Adds marks before a piece of output.
  mutating func begin(
    _ log: LogFile, _ history: RunHistory, at time: Timestamp, leftOut: Int64
  ) {
    if leftOut > 0 {
      let text: TerminalSafe = "── \(bytesText(leftOut)) of \"\(log.step)\" left out ──\n"
      buffer += Array(text.string.utf8)
    }
    guard selection.hasMarks else { return }
    let today = String(localTime(time).prefix(10))
    if selection.hasTimestamps, !day.isEmpty, today != day { mark("\(today)") }
    day = today
    if log.generation > generation {
      generation = log.generation
      let position = history.generations.firstIndex { $0.number == log.generation }
      let earlier = position.flatMap { $0 > 0 ? history.generations[$0 - 1] : nil }
      let words = position.map { history.generations[$0].words(after: earlier) }
      if generation > 1 { mark("generation \(generation)\(words.map { ": \($0)" } ?? "")") }
    }
    if log.attempt > 1, marked.insert(log.path).inserted {
      mark("\(log.step), attempt \(log.attempt)")
    }
  }

  private mutating func mark(_ text: TerminalSafe) {
    guard linesToSkip <= lineCount else { return }
    buffer += Array("── \(text.string) ──\n".utf8)
  }

  /// Adds lines; returns false if the output has been closed.
  mutating func add(_ lines: ArraySlice<UInt8>, of log: LogFile, at time: Timestamp?) -> Bool {
    let lineFeed = UInt8(ascii: "\n")
    let count = lines.count { $0 == lineFeed } + (lines.last == lineFeed ? 0 : 1)
    var lines = lines
    for _ in 0..<min(count, max(0, linesToSkip - lineCount)) {
      lines = lines[((lines.firstIndex(of: lineFeed) ?? lines.endIndex - 1) + 1)...]
    }
    lineCount += count
    if !lines.isEmpty { append(lines, of: log, at: time) }
    return buffer.count < 1 << 16 || flush()
  }

  private mutating func append(_ lines: ArraySlice<UInt8>, of log: LogFile, at time: Timestamp?) {
    let clock = time.map { "\(Self.clock($0)) " } ?? ""
    let step: TerminalSafe = selection.hasSteps ? "\(log.step) │ " : ""
    let prefix = Array((clock + step.string).utf8)
    guard !prefix.isEmpty || isTerminal else {
      buffer += lines
      return
    }
    var rest = lines
    while !rest.isEmpty {
      let end = rest.firstIndex(of: UInt8(ascii: "\n")) ?? rest.endIndex
      buffer += prefix
      if isTerminal {
        buffer += Array(TerminalSafe(String(decoding: rest[..<end], as: UTF8.self)).string.utf8)
      } else {
        buffer += rest[..<end]
      }
      buffer.append(UInt8(ascii: "\n"))
      rest = rest[end...].dropFirst()
    }
  }

  /// Writes what has been added; returns false if the output has been closed.
  mutating func flush() -> Bool {
    defer { buffer.removeAll(keepingCapacity: true) }
    return buffer.isEmpty || write(buffer)
  }

  /// Returns the local time of day, such as `12:00:01.234`.
  private static func clock(_ time: Timestamp) -> String {
    String(time.advanced(by: localTimeOffset(time)).description.dropFirst(11).prefix(12))
  }
}
