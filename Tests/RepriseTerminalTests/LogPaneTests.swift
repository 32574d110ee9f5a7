// The log of a step in a window: following, scrolling, wrapping and searching.

import Foundation
import TestSupport
import Testing

@testable import RepriseTerminal

struct LogPaneTests {
  private let size = WindowSize(columns: 21, rows: 7)
  private let style = Style(hasColour: false, hasUnicode: true)
  private let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
    "log-pane-\(UUID().uuidString)")

  private func write(_ text: String, to name: String = "1.1.log", appends: Bool = false) throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let url = folder.appendingPathComponent(name)
    guard appends else { return try text.write(to: url, atomically: false, encoding: .utf8) }
    let file = try FileHandle(forWritingTo: url)
    try file.seekToEnd()
    try file.write(contentsOf: Data(text.utf8))
    try file.close()
  }

  private func logs(_ names: String...) -> [StepLog] {
    names.enumerated().map { number, name in
      StepLog(generation: 1, attempt: number + 1, files: [file(name)])
    }
  }

  private func file(_ name: String, offset: Int64 = 0) -> StepLog.File {
    StepLog.File(offset: offset, path: folder.appendingPathComponent(name).path)
  }

  private func body(_ pane: LogPane) -> [String] {
    pane.lines(size, status: "running", isOver: false, style: style).dropFirst().dropLast().map(
      \.string)
  }

  private func numbers(_ range: ClosedRange<Int>) -> String {
    range.map { "line \($0)\n" }.joined()
  }

  @Test func `a pane follows its log and stays where it was scrolled to`() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    try write(numbers(1...20))
    var pane = LogPane(step: "a", keepsColours: true)
    pane.refresh(logs("1.1.log"), lines: [])
    #expect(body(pane) == (16...20).map { "line \($0)" })
    try write(numbers(21...22), appends: true)
    pane.refresh(logs("1.1.log"), lines: [])
    #expect(body(pane).last == "line 22" && pane.follows)
    pane.perform(.lineUp, size)
    try write(numbers(23...30), appends: true)
    pane.refresh(logs("1.1.log"), lines: [])
    #expect(body(pane) == (17...21).map { "line \($0)" })
    pane.perform(.top, size)
    #expect(body(pane).first == "line 1")
    pane.perform(.pageDown, size)
    #expect(body(pane).first == "line 5")
    pane.perform(.bottom, size)
    #expect(body(pane).last == "line 30" && pane.follows)
  }

  @Test func `long lines are wrapped or cut, and scrolling goes by rows`() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    try write("short\n" + String(repeating: "x", count: 50) + "\nend\n" + numbers(1...10))
    var pane = LogPane(step: "a", keepsColours: true)
    pane.refresh(logs("1.1.log"), lines: [])
    pane.perform(.top, size)
    let row = String(repeating: "x", count: 20)
    #expect(body(pane) == ["short", row, row, String(repeating: "x", count: 10), "end"])
    pane.perform(.lineDown, size)
    pane.perform(.lineDown, size)
    #expect(body(pane).first == row && body(pane)[2] == "end")
    pane.perform(.lineUp, size)
    #expect(body(pane).prefix(2) == [row, row])
    pane.perform(.wrap, size)
    #expect(body(pane).first == String(repeating: "x", count: 19) + "…")
  }

  @Test func `a search goes from match to match, and an error is found`() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    try write(numbers(1...40) + "terror\nsrc/a.c:3: Error: no\n" + numbers(41...80))
    var pane = LogPane(step: "a", keepsColours: true)
    pane.refresh(logs("1.1.log"), lines: [])
    pane.perform(.top, size)
    pane.perform(.search, size)
    for key: Key in ["E", "x", .backspace, .backspace, "N", "E"] { pane.type(key, size) }
    #expect(pane.input == "NE")
    pane.type(.enter, size)
    #expect(!body(pane).contains { $0.contains("NE") })
    pane.perform(.search, size)
    for key: Key in ["e", " ", "7", .enter] { pane.type(key, size) }
    #expect(body(pane).contains("line 7"))
    pane.perform(.nextMatch, size)
    #expect(body(pane).contains("line 70"))
    pane.perform(.previousMatch, size)
    #expect(body(pane).contains("line 7"))
    pane.perform(.firstError, size)
    #expect(body(pane).contains("src/a.c:3: Error: no"))
    #expect(!pane.follows)
  }

  @Test func `a search goes on at the other end of the log, and ends if there is no match`() throws
  {
    defer { try? FileManager.default.removeItem(at: folder) }
    try write(numbers(1...80))
    var pane = LogPane(step: "a", keepsColours: true)
    pane.refresh(logs("1.1.log"), lines: [])
    #expect(pane.follows)
    pane.perform(.search, size)
    for key: Key in ["e", " ", "1", "1", .enter] { pane.type(key, size) }
    #expect(body(pane).contains("line 11"))
    pane.perform(.previousMatch, size)
    #expect(body(pane).contains("line 11") && !pane.isSearching)
    pane.perform(.search, size)
    for key: Key in ["n", "o", "n", "e", .enter] { pane.type(key, size) }
    #expect(!pane.isSearching)
    let wide = WindowSize(columns: 60, rows: size.rows)
    let rows = pane.lines(
      wide, status: "", isOver: false, style: Style(hasColour: false, hasUnicode: true))
    #expect(rows.last?.string.contains("not found") == true)
  }

  @Test func `a part of a log that is deleted while it is shown is empty`() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    try write(numbers(1...80))
    var pane = LogPane(step: "a", keepsColours: true)
    pane.refresh(logs("1.1.log"), lines: [])
    #expect(body(pane).last == "line 80")
    try write("line 1\n")
    #expect(body(pane).allSatisfy { $0.isEmpty })
    try FileManager.default.removeItem(at: folder)
    #expect(body(pane).allSatisfy { $0.isEmpty })
    for action: KeyAction in [.top, .lineDown, .pageDown, .bottom, .lineUp, .wrap, .pageUp] {
      pane.perform(action, size)
      #expect(body(pane).count == size.rows - 2)
    }
  }

  @Test func `the log of another attempt can be shown, and a new one is followed`() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    try write("first\n")
    try write("second\n", to: "1.2.log")
    var pane = LogPane(step: "a", keepsColours: true)
    pane.refresh(logs("1.1.log"), lines: [])
    #expect(body(pane).first == "first")
    pane.refresh(logs("1.1.log", "1.2.log"), lines: [])
    #expect(body(pane).first == "second")
    pane.perform(.previousAttempt, size)
    #expect(body(pane).first == "first")
    pane.refresh(logs("1.1.log", "1.2.log"), lines: [])
    #expect(body(pane).first == "first")
  }

  @Test func `without a log the last lines are shown`() {
    var pane = LogPane(step: "a", keepsColours: true)
    pane.refresh([], lines: ["x", "y"])
    #expect(body(pane).prefix(2) == ["x", "y"])
  }

  @Test func `a log that has lost its middle is shown with its gap`() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    try write("first\n")
    try write("ninth\n", to: "1.1.100.log")
    var text = LogText([file("1.1.log"), file("1.1.100.log", offset: 100)])
    #expect(text.lines(0..<5) == ["first", "… 94 bytes are left out here", "ninth"])
    try write("tenth\n", to: "1.1.200.log")
    text.update([file("1.1.log"), file("1.1.200.log", offset: 200)])
    #expect(text.lines(1..<3) == ["… 194 bytes are left out here", "tenth"])
    var search = LogSearch(["tenth"], from: 0, isForward: true, in: text)
    #expect(search.proceed(in: text) == .found(2))
  }

  @Test func `any window of a log of any form has the lines of the file`() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    var generator = SeededGenerator.announced()
    for _ in 0..<20 {
      let lines = (0..<Int.random(in: 0...3000, using: &generator)).map { number in
        "\(number) " + String(repeating: "é", count: Int.random(in: 0...60, using: &generator))
      }
      let ending = Bool.random(using: &generator) && !lines.isEmpty ? "\n" : ""
      try write(lines.joined(separator: "\n") + ending)
      let text = LogText([file("1.1.log")])
      #expect(text.lineCount == lines.count)
      for _ in 0..<20 {
        let start = Int.random(in: 0...lines.count, using: &generator)
        let end = min(lines.count, start + Int.random(in: 0...50, using: &generator))
        #expect(text.lines(start..<end) == Array(lines[start..<end]))
        let offset = text.offset(ofLine: start)
        if start < lines.count { #expect(text.line(at: offset) == start) }
      }
      guard let last = lines.indices.last else { continue }
      let wanted = Int.random(in: 0...last, using: &generator)
      for isForward in [true, false] {
        var search = LogSearch(
          ["\(wanted) "], isAtWord: false, from: isForward ? 0 : lines.count, isForward: isForward,
          in: text)
        let expected =
          isForward
          ? lines.firstIndex { $0.contains("\(wanted) ") }
          : lines.lastIndex { $0.contains("\(wanted) ") }
        #expect(search.proceed(in: text) == expected.map(LogSearch.Result.found) ?? .notFound)
      }
    }
  }

  @Test func `colours go on in the next row and end with their line`() {
    let line = "\u{1B}[31mabcdef\u{1B}[0mgh"
    let rows = ColouredText(line, keepsColours: true).rows(columns: 4, rowsMax: 9)
    #expect(
      rows.map(\.string) == ["\u{1B}[31mabcd\u{1B}[0m", "\u{1B}[31mef\u{1B}[0mgh\u{1B}[0m"])
    #expect(
      ColouredText(line, keepsColours: false).rows(columns: 4, rowsMax: 9) == ["abcd", "efgh"])
    let cut = ColouredText(line, keepsColours: true).rows(columns: 4, rowsMax: 1)
    #expect(cut.map(\.string) == ["\u{1B}[31mabc\u{1B}[0m"] || cut[0].string.contains("abc"))
    #expect(ColouredText("", keepsColours: true).rows(columns: 4, rowsMax: 9) == [""])
  }
}
