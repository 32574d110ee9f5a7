import Testing
import YAML

/// Promise 12: the meaning of YAML, with some rows for each rule of the specification that workflow
/// files use.
///
/// These rows detect when a new libyaml or a change of the reader changes the meaning of a file.
struct MeaningTests {
  /// A text and its meaning: plain scalars in `'`, all others in `"`.
  static let lists: [(String, String)] = [
    ("- a\n- b", "['a', 'b']"), ("- a\n-\n- b", "['a', '', 'b']"), ("- - a\n  - b", "[['a', 'b']]"),
    ("- a: 1\n  b: 2", "[{a: '1', b: '2'}]"), ("k:\n- a\n- b", "{k: ['a', 'b']}"),
    ("k:\n  - a\nl: m", "{k: ['a'], l: 'm'}"), ("- |\n  a\n- b", #"["a\n", 'b']"#),
    ("[]", "[]"), ("[a, b]", "['a', 'b']"), ("[a, b, ]", "['a', 'b']"), ("[a\n, b]", "['a', 'b']"),
    ("[[a], [b, [c]]]", "[['a'], ['b', ['c']]]"), ("[a: b]", "[{a: 'b'}]"),
    ("[\"a\": b, c]", "[{a: 'b'}, 'c']"), ("-1", "'-1'"),
  ]

  static let maps: [(String, String)] = [
    ("{}", "{}"), ("{a: b, c: d}", "{a: 'b', c: 'd'}"), ("{a, b: }", "{a: '', b: ''}"),
    ("{\"a\":b}", "{a: 'b'}"), ("{a: [b, {c: d}]}", "{a: ['b', {c: 'd'}]}"), ("a:", "{a: ''}"),
    ("a: b\nc: d", "{a: 'b', c: 'd'}"), ("a:\n  b:\n    c: d", "{a: {b: {c: 'd'}}}"),
    ("a b: c d", "{a b: 'c d'}"), ("\"a: b\": c", "{a: b: 'c'}"), ("'a''b': c", "{a'b: 'c'}"),
    ("? a\n: b", "{a: 'b'}"), ("? a", "{a: ''}"), ("1: a\ntrue: b", "{1: 'a', true: 'b'}"),
    ("a:   b   ", "{a: 'b'}"), ("a:\tb", "{a: 'b'}"), ("a:\n  b\n  c", "{a: 'b c'}"),
  ]

  static let plain: [(String, String)] = [
    ("a", "'a'"), ("a b", "'a b'"), ("a\nb", "'a b'"), ("a\n\nb", #"'a\nb'"#),
    ("a\n\n\nb", #"'a\n\nb'"#), ("a#b", "'a#b'"), ("a #b", "'a'"), ("k: a:b", "{k: 'a:b'}"),
    ("k: http://x/y?z#f", "{k: 'http://x/y?z#f'}"), ("k: a, b]", "{k: 'a, b]'}"),
    ("k: -a", "{k: '-a'}"), ("k: ?a", "{k: '?a'}"), ("k: :a", "{k: ':a'}"),
    ("k: a\"b'c", "{k: 'a\"b'c'}"), ("k: \\n", #"{k: '\\n'}"#), ("k: é漢🙂", "{k: 'é漢🙂'}"),
    ("k: a & b * c ! d | e > f % g @ h ` i", "{k: 'a & b * c ! d | e > f % g @ h ` i'}"),
  ]

  static let quoted: [(String, String)] = [
    ("''", "\"\""), ("\"\"", "\"\""), ("'a'", "\"a\""), ("'a''b'", "\"a'b\""),
    ("'a\\nb'", #""a\\nb""#), ("'a\n b'", "\"a b\""), ("'a\n\n b'", #""a\nb""#), ("\"a\"", "\"a\""),
    ("\"a\\nb\\tc\"", #""a\nb\tc""#), ("\"\\x41\\u00e9\\U0001F680\"", "\"Aé🚀\""),
    ("\"\\\"\\\\\\/\\ \"", #""\"\\/ ""#),
    ("\"\\0\\a\\b\\e\\f\\r\\v\"", #""\u{00}\u{07}\u{08}\u{1B}\u{0C}\r\u{0B}""#),
    ("\"a\n  b\"", "\"a b\""), ("\"a\n\n  b\"", #""a\nb""#), ("\"a\\\n  b\"", "\"ab\""),
    ("\"a \\\n  b\"", "\"a b\""), ("\" a \"", "\" a \""), ("'# a: b'", "\"# a: b\""),
    ("[\"a\", 'b']", "[\"a\", \"b\"]"),
  ]

  static let blocks: [(String, String)] = [
    ("k: |\n  a\n  b\n", #"{k: "a\nb\n"}"#), ("k: |-\n  a\n  b\n\n", #"{k: "a\nb"}"#),
    ("k: |+\n  a\n\n", #"{k: "a\n\n"}"#), ("k: |\n  a\n\n\n", #"{k: "a\n"}"#),
    ("k: |\n   a\n    b\n", #"{k: "a\n b\n"}"#), ("k: |2\n    a\n   b\n", #"{k: "  a\n b\n"}"#),
    ("k: |\n\n  a\n", #"{k: "\na\n"}"#), ("k: |\n  a # b\n", #"{k: "a # b\n"}"#),
    ("k: | # c\n  a\n", #"{k: "a\n"}"#), ("k: |\n  a\n\n  b\n", #"{k: "a\n\nb\n"}"#),
    ("k: |\n  a  \n  b\n", #"{k: "a  \nb\n"}"#), ("k: |\n  a: b\n  - c\n", #"{k: "a: b\n- c\n"}"#),
    ("k: |-\n  $(x) \"y\" \\z\n", #"{k: "$(x) \"y\" \\z"}"#), ("k: |\n", #"{k: ""}"#),
    ("k: >\n  a\n  b\n", #"{k: "a b\n"}"#), ("k: >-\n  a\n  b\n", #"{k: "a b"}"#),
    ("k: >\n  a\n\n  b\n", #"{k: "a\nb\n"}"#), ("k: >\n  a\n    b\n  c\n", #"{k: "a\n  b\nc\n"}"#),
    ("k: >+\n  a\n\n", #"{k: "a\n\n"}"#), ("k: >\n\n  a\n", #"{k: "\na\n"}"#),
    ("- |\n a\n- >\n b\n", #"["a\n", "b\n"]"#),
  ]

  static let others: [(String, String)] = [
    // Comments, documents, line endings.
    ("", "nothing"), ("# a\n", "nothing"), ("---\na: b\n...\n", "{a: 'b'}"), ("--- a", "'a'"),
    ("%YAML 1.2\n---\na: b\n", "{a: 'b'}"), ("# c\na: b # d\n# e\nf: g\n", "{a: 'b', f: 'g'}"),
    ("a: b\r\nc: |\r\n  d\r\n", #"{a: 'b', c: "d\n"}"#), ("a: b\rc: d\r", "{a: 'b', c: 'd'}"),
    ("\u{FEFF}a: b", "{a: 'b'}"),
    // Anchors, aliases and merges.
    ("- &a x\n- *a", "['x', 'x']"), ("- &a [x]\n- *a", "[['x'], ['x']]"),
    ("- &a x\n- &a y\n- *a", "['x', 'y', 'y']"), ("&k a: b\nc: *k", "{a: 'b', c: 'a'}"),
    ("a: &a b\n*a : c", "{a: 'b', b: 'c'}"), ("a: &a\nb: *a", "{a: '', b: ''}"),
    ("a: &a {x: 1}\nb: {<<: *a, y: 2}", "{a: {x: '1'}, b: {y: '2', x: '1'}}"),
    ("a: &a {x: 1}\nb: {<<: *a, x: 2}", "{a: {x: '1'}, b: {x: '2'}}"),
    ("b: {x: 2, <<: {x: 1, y: 3}}", "{b: {x: '2', y: '3'}}"),
    ("b: {<<: [{x: 1}, {x: 2, y: 3}]}", "{b: {x: '1', y: '3'}}"), ("{\"<<\": a}", "{<<: 'a'}"),
  ]

  @Test(arguments: [lists, maps, plain, quoted, blocks, others])
  func `a text has the meaning of the specification`(_ rows: [(String, String)]) {
    for (text, meaning) in rows {
      let document = Document(SourceText(Array(text.utf8)))
      #expect(document.problems == [], "\(text.debugDescription)")
      let found = document.root.map(Self.meaning) ?? "nothing"
      #expect(found == meaning, "\(text.debugDescription)")
    }
  }

  @Test func `there are rows for each rule`() {
    let rows = [Self.lists, Self.maps, Self.plain, Self.quoted, Self.blocks, Self.others]
    #expect(rows.map(\.count).reduce(0, +) == 109)
  }

  private static func meaning(_ node: Node) -> String {
    switch node.content {
    case .scalar(let text, isPlain: true): "'\(escaped(text))'"
    case .scalar(let text, isPlain: false):
      "\"\(escaped(text).replacing("\"", with: "\\\""))\""
    case .sequence(let nodes): "[" + nodes.map(meaning).joined(separator: ", ") + "]"
    case .mapping(let pairs):
      "{" + pairs.map { "\($0.key.text ?? "?"): " + meaning($0.value) }.joined(separator: ", ")
        + "}"
    }
  }

  /// Escapes invisible characters as in Swift.
  private static func escaped(_ text: String) -> String {
    text.unicodeScalars.map { scalar in
      switch scalar {
      case "\n": "\\n"
      case "\t": "\\t"
      case "\r": "\\r"
      case "\\": "\\\\"
      case _ where scalar.value < 0x20:
        "\\u{" + (scalar.value < 0x10 ? "0" : "") + String(scalar.value, radix: 16, uppercase: true)
          + "}"
      default: String(scalar)
      }
    }.joined()
  }
}
