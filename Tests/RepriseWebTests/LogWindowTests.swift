import Foundation
import Reprise
import TestSupport
import Testing

@testable import RepriseJournal
@testable import RepriseWeb

/// Windows of the output of an attempt.
struct LogWindowTests {
  /// A log with the given output, as if the middle of it had not been kept if there is a gap.
  private static func log(_ text: String, keeping gap: Range<Int>? = nil) throws -> (
    LogFile, TemporaryFolder
  ) {
    let folder = try TemporaryFolder()
    let bytes = Array(text.utf8)
    let head = gap.map { bytes[..<$0.lowerBound] } ?? bytes[...]
    try folder.write("1.1.log", head)
    if let gap { try folder.write("1.1.\(gap.upperBound).log", bytes[gap.upperBound...]) }
    let log = LogFile(
      step: "a", generation: 1, attempt: 1, path: folder.path + "/1.1.log",
      parts: gap.map { [Int64($0.upperBound)] } ?? [])
    return (log, folder)
  }

  @Test(arguments: 0..<20)
  func `windows one after the other are the whole output`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let lines = (0..<Int.random(in: 1...400, using: &random)).map { number in
      let length = Int.random(in: 0...3, using: &random) == 0 ? 3_000 : 20
      return "\(number) "
        + String(repeating: "é", count: Int.random(in: 0...length, using: &random))
    }
    let text = lines.joined(separator: "\n") + "\n"
    let (log, folder) = try Self.log(text)
    defer { withExtendedLifetime(folder) {} }
    var seen: [String] = []
    var from: Int64 = 0
    while true {
      let window = LogWindow(of: log, from: from, limit: 1)
      #expect(window.from == from, "seed \(seed)")
      seen += window.lines.map(\.text)
      guard window.to < window.size else { break }
      try #require(window.to > from, "seed \(seed)")
      from = window.to
    }
    #expect(seen == lines, "seed \(seed)")
  }

  @Test func `a window in the middle of a line begins at its start`() throws {
    let (log, folder) = try Self.log("first\nsecond\nthird\n")
    defer { withExtendedLifetime(folder) {} }
    #expect(LogWindow(of: log, from: 8, limit: 1000).lines.map(\.at) == [6, 13])
    #expect(LogWindow(of: log, from: -2, limit: 1000).lines.map(\.text) == ["third"])
    #expect(LogWindow(of: log, from: 999, limit: 1000).lines.isEmpty)
    #expect(LogWindow(of: log, from: -999, limit: 1000).lines.count == 3)
  }

  @Test func `the first line of a window has its number`() throws {
    let text = (1...40_000).map { "\($0)\n" }.joined()
    let (log, folder) = try Self.log(text)
    defer { withExtendedLifetime(folder) {} }
    for from: Int64 in [0, 1, 2, 1000, 100_000, -20, -100_000] {
      let window = LogWindow(of: log, from: from, limit: 1000, isNumbered: true)
      #expect(window.firstLine.map { "\($0)" } == window.lines.first?.text)
    }
    #expect(LogWindow(of: log, from: 1000, limit: 1000).firstLine == nil)
  }

  @Test func `lines behind a gap have no number`() throws {
    let (log, folder) = try Self.log("0123456\n89abcde\nfghijkl\n", keeping: 8..<16)
    defer { withExtendedLifetime(folder) {} }
    #expect(LogWindow(of: log, from: 0, limit: 1000, isNumbered: true).firstLine == 1)
    #expect(LogWindow(of: log, from: 16, limit: 1000, isNumbered: true).firstLine == nil)
  }

  @Test func `a line that is longer than a window comes in pieces`() throws {
    let long = String(repeating: "x", count: 200_000)
    let (log, folder) = try Self.log("a\n\(long)\nb\n")
    defer { withExtendedLifetime(folder) {} }
    let lines = LogWindow(of: log, from: 0, limit: 1 << 20).lines
    #expect(lines.map(\.continues) == [nil, true, true, true, nil, nil])
    #expect(lines.dropFirst().dropLast().map(\.text).joined() == long)
  }

  @Test func `what is not kept is counted`() throws {
    let (log, folder) = try Self.log("0123456\n89abcde\nfghijkl\n", keeping: 8..<16)
    defer { withExtendedLifetime(folder) {} }
    let window = LogWindow(of: log, from: 0, limit: 1000)
    #expect(window.lines.map(\.text) == ["0123456", "fghijkl"])
    #expect(window.lines.map(\.at) == [0, 16])
    #expect(window.leftOut == 8 && window.size == 24)
  }

  @Test func `a search finds lines in any case, forward and backward`() throws {
    let text =
      (0..<1000).map { $0 % 10 == 0 ? "an Error \($0)" : "line \($0)" }
      .joined(separator: "\n") + "\n"
    let (log, folder) = try Self.log(text)
    defer { withExtendedLifetime(folder) {} }
    let all = LogMatches(of: "ERROR", in: log, from: 0, isBackward: false)
    #expect(all.matches.count == 100 && all.next == nil)
    let fifth = all.matches[5].at
    #expect(
      LogMatches(of: "error", in: log, from: fifth, isBackward: true).matches.map(\.text)
        == ["an Error 0", "an Error 10", "an Error 20", "an Error 30", "an Error 40"])
    #expect(
      LogMatches(of: "error", in: log, from: fifth, isBackward: false).matches.first?.at == fifth)
    #expect(LogMatches(of: "nowhere", in: log, from: 0, isBackward: false).matches.isEmpty)
  }

  @Test func `a search stops after many matches and says where to go on`() throws {
    let (log, folder) = try Self.log(String(repeating: "match\n", count: 500))
    defer { withExtendedLifetime(folder) {} }
    var from: Int64? = 0
    var count = 0
    while let next = from {
      let found = LogMatches(of: "match", in: log, from: next, isBackward: false)
      count += found.matches.count
      from = found.next
    }
    #expect(count == 500)
  }
}
