import Foundation
import Reprise
import Testing

@testable import RepriseJournal

struct LogTests {
  private static let run = RunID("r1") ?? RunID()

  private func output(_ text: String, at milliseconds: Int64, attempt: Int = 1) -> Event {
    Event(
      time: Timestamp(microseconds: milliseconds * 1000), run: Self.run, generation: 1,
      kind: .step("a", attempt: attempt, .output(.standardOutput, text: text, isPartial: false)))
  }

  /// Returns the pieces of the log of step `a`, with their texts.
  private func pieces(
    _ state: StateDirectory
  ) throws -> [(time: Int64?, leftOut: Int64, text: String)] {
    let log = try #require(state.logs(of: Self.run, steps: ["a"]).first)
    var cursor = LogCursor(log, hasTimes: true)
    var pieces: [(Int64?, Int64, String)] = []
    while let piece = cursor.next() {
      var text = ""
      let isOver = cursor.read(piece) { lines in
        text += String(decoding: lines, as: UTF8.self)
        return true
      }
      pieces.append((piece.time.map { $0.microseconds / 1000 }, piece.leftOut, text))
      guard isOver else { break }
    }
    return pieces
  }

  private func folder() throws -> Folder {
    let folder = try Folder()
    try folder.state.create()
    return folder
  }

  @Test func `output is read with the times at which it was written`() throws {
    let folder = try folder()
    let writer = LogWriter(directory: folder.state)
    for (time, text) in [(0, "one"), (5, "two\nthree"), (20, "four")] as [(Int64, String)] {
      try writer.write(output(text, at: time))
    }
    let seen = try pieces(folder.state)
    #expect(
      seen.map(\.text) == ["one\ntwo\nthree\n", "four\n"], "within 10 ms, one entry is enough")
    #expect(seen.map(\.time) == [0, 20])
  }

  @Test func `a long log with an index of many pages is read whole`() throws {
    let folder = try folder()
    let writer = LogWriter(directory: folder.state)
    for line in 0..<1000 { try writer.write(output("line \(line)", at: Int64(line) * 20)) }
    let seen = try pieces(folder.state)
    #expect(seen.map(\.text) == (0..<1000).map { "line \($0)\n" })
    #expect(seen.map(\.time) == (0..<1000).map { $0 * 20 })
  }

  @Test func `a log without an index is read without times`() throws {
    let folder = try folder()
    try LogWriter(directory: folder.state).write(output("one\ntwo", at: 0))
    let path = folder.state.logPath(of: Self.run, step: "a", generation: 1, attempt: 1)
    try FileManager.default.removeItem(atPath: LogTimes.path(of: path))
    let seen = try pieces(folder.state)
    #expect(seen.map(\.text) == ["one\ntwo\n"] && seen.map(\.time) == [nil])
  }

  @Test func `an incomplete line is left for later`() throws {
    let folder = try folder()
    try LogWriter(directory: folder.state).write(output("one", at: 0))
    let path = folder.state.logPath(of: Self.run, step: "a", generation: 1, attempt: 1)
    let file = try #require(FileHandle(forWritingAtPath: path))
    file.seekToEndOfFile()
    file.write(Data("tw".utf8))
    #expect(try pieces(folder.state).map(\.text) == ["one\n"])
  }

  @Test(arguments: [1, 3, 4, 5, 8, 40])
  func `a log keeps its first and last output, and how much was left out`(
    _ mebibytes: Int
  ) throws {
    let folder = try folder()
    let limit = Retention.logBytesMin
    let writer = LogWriter(directory: folder.state, bytesMax: limit)
    let line = String(repeating: "x", count: 1015)
    let count = mebibytes * 256
    for number in 0..<count { try writer.write(output("\(number + 1_000_000) \(line)", at: 0)) }
    let seen = try pieces(folder.state)
    let lines = seen.flatMap { $0.text.split(separator: "\n") }.map { $0.prefix(7) }
    let kept = lines.compactMap { Int($0).map { $0 - 1_000_000 } }
    let leftOut = Int(seen.reduce(0) { $0 + $1.leftOut })
    #expect(kept.count + leftOut / 1024 == count && leftOut % 1024 == 0)
    #expect(kept == Array(Set(kept)).sorted() && kept.first == 0 && kept.last == count - 1)
    let first = kept.enumerated().prefix { $0 == $1 }.count
    #expect(first >= min(count, 512), "half of the limit is the first output")
    #expect(kept.count - first >= min(count - first, 256), "a quarter is the last output")
    #expect(kept.count <= 1024)
    let names = try FileManager.default.contentsOfDirectory(
      atPath: folder.state.logFolder(of: Self.run) + "/a")
    #expect(names.filter { $0.hasSuffix(".log") }.count <= 3, "\(names)")
  }
}
