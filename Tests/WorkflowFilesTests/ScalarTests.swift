import Testing
import WorkflowReading
import YAML

@testable import WorkflowFiles

/// How a scalar is interpreted: the core schema of YAML 1.2, except for numbers that other
/// languages interpret differently.
struct ScalarTests {
  /// Scalars as they are written, with their values as JSON.
  static let scalars: [(String, String)] = [
    // Null.
    ("", "null"), ("~", "null"), ("null", "null"), ("Null", "null"), ("NULL", "null"),
    ("nULL", "\"nULL\""), ("nil", "\"nil\""), ("none", "\"none\""),
    // True and false.
    ("true", "true"), ("True", "true"), ("TRUE", "true"), ("tRUE", "\"tRUE\""),
    ("false", "false"), ("False", "false"), ("FALSE", "false"),
    ("yes", "\"yes\""), ("Yes", "\"Yes\""), ("no", "\"no\""), ("NO", "\"NO\""), ("on", "\"on\""),
    ("off", "\"off\""), ("y", "\"y\""), ("n", "\"n\""),
    // Whole numbers.
    ("0", "0"), ("1", "1"), ("-1", "-1"), ("+1", "1"), ("12", "12"), ("-0", "0"),
    ("9007199254740991", "9007199254740991"),
    // Texts, because YAML 1.1, YAML 1.2, C and people disagree about them.
    ("012", "\"012\""), ("-012", "\"-012\""), ("00", "\"00\""), ("0o14", "\"0o14\""),
    ("0x1F", "\"0x1F\""), ("0b1", "\"0b1\""), ("1_000", "\"1_000\""), ("1,000", "\"1,000\""),
    ("1:30", "\"1:30\""), ("01:30:00", "\"01:30:00\""),
    // Other numbers.
    ("0.5", "0.5"), (".5", "0.5"), ("-.5", "-0.5"), ("5.", "5"), ("1.0", "1"), ("1.50", "1.5"),
    ("1e3", "1000"), ("1E3", "1000"), ("1e+3", "1000"), ("1e-3", "0.001"), ("-1.5e2", "-150"),
    // Not numbers in JSON, or not numbers at all.
    (".inf", "\".inf\""), ("-.Inf", "\"-.Inf\""), (".nan", "\".nan\""), (".NaN", "\".NaN\""),
    ("1e400", "\"1e400\""), ("1e", "\"1e\""), ("e3", "\"e3\""), (".e3", "\".e3\""),
    ("+.e3", "\"+.e3\""), ("1.2.3", "\"1.2.3\""), ("v1.2", "\"v1.2\""), ("1-2", "\"1-2\""),
    ("+-1", "\"+-1\""), ("+", "\"+\""), (".", "\".\""), ("..", "\"..\""), ("1 2", "\"1 2\""),
    ("2001-12-14", "\"2001-12-14\""), ("١", "\"١\""),
    // Quoted, as blocks and with tags.
    ("\"12\"", "\"12\""), ("'12'", "\"12\""), ("\"true\"", "\"true\""), ("'null'", "\"null\""),
    ("''", "\"\""), ("|-\n  12", "\"12\""), (">-\n  true", "\"true\""),
    ("!!str 12", "\"12\""), ("!!str true", "\"true\""), ("!!int '12'", "12"),
    ("!!float '1.5'", "1.5"), ("!!bool 'true'", "true"), ("!!null ''", "null"),
  ]

  @Test func `there are scalars of each kind`() {
    #expect(Self.scalars.count >= 80)
  }

  @Test(arguments: scalars) func `a scalar has its value`(_ text: String, _ json: String) throws {
    let document = Document(SourceText(Array("key: \(text)\n".utf8)))
    #expect(document.problems == [])
    guard case .mapping(let pairs) = document.root?.content, let value = pairs.first?.value else {
      Issue.record("is not the mapping that was written")
      return
    }
    #expect(Value(value).json == json)
  }

  @Test(arguments: scalars) func `a scalar as a variable keeps its source text`(
    _ text: String, _ json: String
  ) throws {
    let file = "env:\n  A: \(text.replacing("\n", with: "\n  "))\nsteps: [{ id: a, run: x }]\n"
    guard json != "null" else {
      #expect(throws: WorkflowError.self) { try Workflow(text: file, file: "w.yaml") }
      return
    }
    let value = try Workflow(text: file, file: "w.yaml").environment["A"]
    // Quotes, block indicators and tags are not part of the value.
    let isPlain = text.allSatisfy { !"\"'|>!".contains($0) }
    #expect(value == Template(stringLiteral: isPlain ? text : json.filter { $0 != "\"" }))
  }
}
