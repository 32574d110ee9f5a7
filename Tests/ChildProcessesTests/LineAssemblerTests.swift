import Testing

@testable import ChildProcesses

struct LineAssemblerTests {
  /// Returns the lines of bytes that are split into pieces of the given size.
  private func lines(_ bytes: [UInt8], cutEvery size: Int) -> [String] {
    var assembler = LineAssembler()
    var texts: [String] = []
    var start = 0
    while start < bytes.count {
      let end = min(start + size, bytes.count)
      if let text = assembler.append(bytes[start..<end]) { texts.append(text) }
      start = end
    }
    if let text = assembler.finish() { texts.append(text) }
    return texts.flatMap { $0.split(separator: "\n", omittingEmptySubsequences: false) }
      .map(String.init)
  }

  @Test(arguments: [
    ("a\nb\n", ["a", "b"]),
    ("a\n\nb", ["a", "", "b"]),
    ("no end", ["no end"]),
    ("dos\r\nline\r\n", ["dos", "line"]),
    ("10%\r50%\r100%\ndone\n", ["100%", "done"]),
    ("é漢😀\n", ["é漢😀"]),
    ("\n", [""]),
    ("", []),
  ])
  func `lines do not depend on how the bytes are split`(_ text: String, _ expected: [String]) {
    for size in 1...8 { #expect(lines(Array(text.utf8), cutEvery: size) == expected) }
  }

  @Test func `bytes that are not UTF-8 become replacement characters`() {
    #expect(lines([0x61, 0xFF, 0x62, 0x0A], cutEvery: 1) == ["a\u{FFFD}b"])
  }

  @Test func `an endless line is split between characters`() {
    let bytes = Array(String(repeating: "漢", count: 100_000).utf8)
    let pieces = lines(bytes, cutEvery: 4096)
    #expect(pieces.map(\.utf8.count) == [65_535, 65_535, 65_535, 65_535, 37_860])
    #expect(pieces.joined() == String(repeating: "漢", count: 100_000))
  }

  /// A regression test: pieces had the length of what was read, and a cut just before the line feed
  /// was followed by an empty line.
  @Test(arguments: [1000, 4096, 65_536, 100_000, 300_000])
  func `long lines are split at exact limits, without additional lines`(chunk: Int) {
    let max = LineAssembler.lineBytesMax
    for (length, pieces) in [
      (max - 1, [max - 1]), (max, [max]), (max + 1, [max, 1]), (2 * max, [max, max]),
      (140_000, [max, max, 140_000 - 2 * max]),
    ] {
      let line = [UInt8](repeating: 0x78, count: length)
      let found = lines([0x61, 0x0A] + line + [0x0A] + line + [0x0A, 0x62], cutEvery: chunk)
      #expect(found.map(\.utf8.count) == [1] + pieces + pieces + [1], "\(length)")
    }
  }
}
