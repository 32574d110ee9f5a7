import Testing
import YAML

struct DocumentTests {
  private func parsed(_ text: String) -> Node? {
    Document(SourceText(Array(text.utf8))).root
  }

  @Test func `nodes have their positions`() throws {
    let root = try #require(parsed("a: 1\nlong: [x, 'y z']\n"))
    guard case .mapping(let pairs) = root.content, pairs.count == 2,
      case .sequence(let items) = pairs[1].value.content
    else {
      Issue.record("is not the mapping that was written")
      return
    }
    #expect(pairs[1].key.mark == Mark(line: 2, column: 1) && pairs[1].key.length == 4)
    #expect(items.map(\.mark) == [Mark(line: 2, column: 8), Mark(line: 2, column: 11)])
    #expect(items.map(\.length) == [1, 5])
  }

  @Test func `columns count characters, not bytes`() throws {
    let root = try #require(parsed("é漢: x\n"))
    guard case .mapping(let pairs) = root.content else { return }
    #expect(pairs.first?.value.mark == Mark(line: 1, column: 5))
  }

  @Test(arguments: ["no", "on", "012", "1:30", "yes", "0x1F"])
  func `a plain scalar keeps its source text`(_ text: String) {
    #expect(parsed("\(text)\n")?.text == text)
  }

  @Test(arguments: [("~", true), ("null", true), ("", true), ("\"\"", false), ("'null'", false)])
  func `only a plain null is null`(_ text: String, _ isNull: Bool) {
    #expect((parsed("a: \(text)\n")?.firstValue?.isNull ?? false) == isNull)
  }

  @Test(arguments: ["a\nb", "a\r\nb", "a\rb", "a\u{85}b", "a\u{2028}b"])
  func `lines end as in libyaml`(_ text: String) {
    let source = SourceText(Array(text.utf8))
    #expect(source.line(1) == "a" && source.line(2) == "b" && source.line(3) == "")
  }

  @Test func `a byte order mark is not part of the text`() {
    let source = SourceText([0xEF, 0xBB, 0xBF] + Array("a: 1".utf8))
    let document = Document(source)
    #expect(document.problems.isEmpty && document.root != nil)
    #expect(source.line(1) == "a: 1")
  }

  /// Terminals interpret C1 control characters like escape sequences.
  @Test func `a control character beyond ASCII is refused with its number`() {
    let document = Document(SourceText(Array("a: \u{9B}".utf8)))
    #expect(document.problems.map(\.mark) == [Mark(line: 1, column: 4)])
    #expect(document.problems.first?.message.hasPrefix("a control character 0x9B") == true)
  }

  @Test(arguments: [
    [0xC3], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xFF], [0xF5, 0x80, 0x80, 0x80], [0x01],
  ])
  func `bytes that are not text are refused`(_ bytes: [UInt8]) {
    let document = Document(SourceText(Array("a: ".utf8) + bytes))
    #expect(document.problems.map(\.mark) == [Mark(line: 1, column: 4)])
  }
}

extension Node {
  fileprivate var firstValue: Node? {
    if case .mapping(let pairs) = content { pairs.first?.value } else { nil }
  }
}
