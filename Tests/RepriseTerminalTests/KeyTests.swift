// How keys are found in the bytes of a terminal, and the table of what they do.

import Foundation
import TestSupport
import Testing

@testable import RepriseTerminal

struct KeyTests {
  private func keys(_ text: String) -> [Key] {
    var decoder = KeyDecoder()
    return decoder.decode(text.utf8) + decoder.finish()
  }

  @Test func `letters, cursor keys and the wheel are found in what the terminal sends`() {
    #expect(keys("aR?é漢") == ["a", "R", "?", "é", "漢"])
    #expect(keys("\u{1B}[A\u{1B}[B\u{1B}OC\u{1B}[D") == [.up, .down, .right, .left])
    #expect(keys("\u{1B}[5~\u{1B}[6~\u{1B}[H\u{1B}[4~") == [.pageUp, .pageDown, .home, .end])
    #expect(keys("\r\n\t\u{7F}") == [.enter, .enter, .tab, .backspace])
    #expect(
      keys("\u{1B}[<0;12;5M\u{1B}[<0;12;5m\u{1B}[<64;1;1M") == [
        .click(column: 12, row: 5), .wheelUp,
      ])
    #expect(keys("\u{1B}[7;1R") == [.cursor(column: 1, row: 7)])
  }

  @Test func `an Escape is a key only if nothing follows it`() {
    #expect(keys("\u{1B}") == [.escape])
    #expect(keys("\u{1B}\u{1B}[A") == [.escape, .up])
    var decoder = KeyDecoder()
    #expect(decoder.decode("\u{1B}".utf8) == [])
    #expect(decoder.isWaiting)
    #expect(decoder.decode("[A".utf8) == [.up])
    #expect(!decoder.isWaiting)
  }

  @Test func `pasted text contains no keys`() {
    #expect(keys("a\u{1B}[200~clear\rcry\u{1B}[A\u{1B}[201~b") == ["a", .pasted, "b"])
  }

  @Test func `keys are the same however the bytes arrive`() {
    var generator = SeededGenerator.announced()
    let pieces = [
      "a", "\u{1B}[A", "é", "\u{1B}[200~paste\u{1B}[201~", "\u{1B}[<0;1;2M", "\u{1B}OB", "漢",
    ]
    for _ in 0..<200 {
      let text = (0..<8).map { _ in pieces.randomElement(using: &generator) ?? "" }.joined()
      var decoder = KeyDecoder()
      var found: [Key] = []
      var rest = Array(text.utf8)[...]
      while !rest.isEmpty {
        let count = Int.random(in: 1...3, using: &generator)
        found += decoder.decode(rest.prefix(count))
        rest = rest.dropFirst(count)
      }
      #expect(found == keys(text))
    }
  }

  @Test func `bytes of any kind are no error and leave little behind`() {
    var generator = SeededGenerator.announced()
    var decoder = KeyDecoder()
    for _ in 0..<2000 {
      let bytes = (0..<20).map { _ in UInt8.random(in: 0...255, using: &generator) }
      _ = decoder.decode(bytes)
    }
    _ = decoder.decode("\u{1B}[201~".utf8)
    _ = decoder.finish()
    #expect(decoder.decode("a".utf8).last == "a")
  }

  @Test func `each key of a place does one thing, and each action has a key`() {
    for place in KeyBinding.Place.allCases {
      let keys = KeyBinding.table.filter { $0.place == place }.flatMap(\.keys)
      #expect(Set(keys).count == keys.count, "\(place)")
    }
    #expect(Set(KeyBinding.table.map(\.action)).count == KeyAction.allCases.count)
  }

  @Test func `the help fits a window of 80 columns`() {
    let rows = KeyBinding.helpRows([.steps, .watch], columns: 79)
    #expect(rows.count <= 17 && rows.allSatisfy { $0.width <= 79 })
    #expect(KeyBinding.helpRows([.steps], columns: 39).allSatisfy { $0.width <= 40 })
  }
}

/// Documentation/terminal.md.
struct KeyDocumentTests {
  @Test func `the page on the terminal has every key, as the help has it`() throws {
    let page = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../Documentation/terminal.md").standardized
    let rows = try String(contentsOf: page, encoding: .utf8).split(separator: "\n")
      .filter { $0.hasPrefix("| `") }
    let expected = KeyBinding.table.sorted { order($0.place) < order($1.place) }.map { binding in
      let keys = binding.label.split(separator: " ").map { "`\($0)`" }.joined(separator: " ")
      return "| \(keys) | \(binding.help) |"
    }
    #expect(rows.map(String.init) == expected)
  }

  private func order(_ place: KeyBinding.Place) -> Int {
    switch place {
    case .steps: 0
    case .log: 1
    case .watch: 2
    case .runs: 3
    }
  }
}
