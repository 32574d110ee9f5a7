import TestSupport
import Testing

@testable import RepriseControl

/// Splitting of bytes into lines.
struct LineSplitterTests {
  private func lines(_ text: String, bytesMax: Int, in pieces: Int) -> [String] {
    var splitter = LineSplitter(bytesMax: bytesMax)
    var found: [String] = []
    let bytes = Array(text.utf8)
    for start in stride(from: 0, to: bytes.count, by: pieces) {
      splitter.append(bytes[start..<min(start + pieces, bytes.count)])
      while let line = splitter.next() {
        switch line {
        case .text(let text): found.append(String(decoding: text, as: UTF8.self))
        case .tooLong: found.append("too long")
        }
      }
    }
    return found
  }

  @Test(arguments: 1...12)
  func `bytes are split at line feeds, however they arrive`(_ pieces: Int) {
    #expect(
      lines("a\n\nbcd\nefgh\nlonger\nij\nrest", bytesMax: 4, in: pieces)
        == ["a", "", "bcd", "efgh", "too long", "ij"])
  }

  @Test func `an unterminated line is not buffered`() {
    var splitter = LineSplitter(bytesMax: 10)
    for _ in 0..<1000 {
      splitter.append([UInt8](repeating: 97, count: 1000)[...])
      #expect(splitter.next() == nil)
    }
    #expect(splitter.hasTooLong)
    splitter.append([10, 98, 10])
    #expect(splitter.next() == .tooLong)
    #expect(splitter.next() == .text([98]))
  }
}
