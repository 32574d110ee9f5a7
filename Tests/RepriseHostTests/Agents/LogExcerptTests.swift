// Tests of excerpts of logs, which arrive in pieces of any size.

import RepriseHost
import TestSupport
import Testing

struct LogExcerptTests {
  /// Returns an excerpt of a text that arrives in pieces of a size.
  private static func excerpt(
    of text: String, pieces: Int, from: Int? = nil, count: Int, bytesMax: Int = 1000
  ) -> LogExcerpt {
    var excerpt = LogExcerpt(from: from, count: count, bytesMax: bytesMax)
    let bytes = Array(text.utf8)
    for start in stride(from: 0, to: bytes.count, by: pieces) {
      excerpt.add(Array(bytes[start..<min(bytes.count, start + pieces)]))
    }
    excerpt.end()
    return excerpt
  }

  private static let text = (1...100).map { "line \($0)\n" }.joined()

  @Test(arguments: [1, 3, 64, 10_000])
  func `the last lines are kept, however they arrive`(_ pieces: Int) {
    let excerpt = Self.excerpt(of: Self.text + "end", pieces: pieces, count: 3)
    #expect(excerpt.text == "line 99\nline 100\nend")
    #expect((excerpt.first, excerpt.last, excerpt.total) == (99, 101, 101))
  }

  @Test(arguments: [1, 3, 64, 10_000])
  func `lines from a number on are kept`(_ pieces: Int) {
    let excerpt = Self.excerpt(of: Self.text, pieces: pieces, from: 10, count: 2)
    #expect(excerpt.text == "line 10\nline 11")
    #expect((excerpt.first, excerpt.last, excerpt.total) == (10, 11, 100))
    let none = Self.excerpt(of: Self.text, pieces: pieces, from: 101, count: 2)
    #expect(none.text == "" && none.last < none.first && none.total == 100)
  }

  @Test func `no more bytes are kept than wanted`() {
    let last = Self.excerpt(of: Self.text, pieces: 7, count: 1000, bytesMax: 30)
    #expect(last.text == "line 98\nline 99\nline 100")
    #expect((last.first, last.last) == (98, 100))
    let first = Self.excerpt(of: Self.text, pieces: 7, from: 1, count: 1000, bytesMax: 30)
    #expect(first.text == "line 1\nline 2\nline 3\nline 4")
    let long = String(repeating: "x", count: 5000)
    for from in [nil, 1] {
      let cut = Self.excerpt(of: long + "\n", pieces: 100, from: from, count: 5, bytesMax: 10)
      #expect(cut.text == "xxxxxxx…" && cut.total == 1)
    }
  }

  @Test func `colours are removed, and an empty output has no lines`() {
    #expect(Self.excerpt(of: "\u{1B}[31mred\u{1B}[0m\n", pieces: 2, count: 5).text == "red")
    let none = Self.excerpt(of: "", pieces: 1, count: 5)
    #expect(none.text == "" && none.total == 0)
  }
}
