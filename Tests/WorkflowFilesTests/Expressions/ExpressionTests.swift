import Testing

@testable import WorkflowFiles

/// Values of expressions, and the errors of those that cannot be parsed or evaluated.
struct ExpressionTests {
  /// Values as a step would see them.
  private struct Source: ValueSource {
    let budget = EvaluationBudget()

    func value(of root: Expression.Root, member: String?) throws(ValueProblem) -> Value {
      switch (root, member) {
      case (.params, "name"?): return .text("reprise")
      case (.params, "count"?): return .number(3)
      case (.params, "flag"?): return .boolean(true)
      case (.params, nil): return .map(["a": .number(1), "b": .number(2)])
      case (.steps, "build"?):
        return .map(["outputs": .map(["version": .text("1.2")]), "result": .text("success")])
      case (.steps, "many"?):
        return .map(["outputs": .map(["n": .list([.text("x"), .text("y")])])])
      case (.matrix, "list"?): return .list([.text("a"), .text("b")])
      case (.matrix, "people"?):
        return .list([.map(["name": .text("Ada")]), .map(["name": .text("Alan")])])
      case (.item, _): return .null
      case (.index, _): throw .unknown
      default: throw .missing(.failed("there is none"))
      }
    }

    func status() -> RunEnding { .failure }
    func hash(ofFiles patterns: [String]) -> String { "hash of " + patterns.joined(separator: " ") }
    func files(matching patterns: [String]) -> [String] { patterns.map { "found " + $0 } }
  }

  @Test(arguments: [
    ("1", "1"), ("-1.50", "-1.5"), ("0x1f", "31"), ("1e3", "1000"), ("0.1", "0.1"),
    ("'it''s'", "it's"), ("true", "true"), ("null", ""), ("params.name", "reprise"),
    ("params['name']", "reprise"), ("params.count", "3"), ("toJSON(params)", #"{"a":1,"b":2}"#),
    ("steps.build.outputs.version", "1.2"), ("steps.build.result", "success"),
    ("steps.many.outputs.n[1]", "y"), ("steps.many.outputs.n[7]", ""), ("item.x", ""),
    ("matrix.list[0]", "a"), ("join(matrix.people.*.name, '+')", "Ada+Alan"),
    ("join(matrix.list)", "a,b"), ("join(params.*)", "1,2"),
    ("fromJSON('{\"a\": [1, {\"b\": \"c\"}]}').a[1].b", "c"),
    ("fromJSON('[1,2]')[params.count]", ""),
    // Operators and their precedence.
    ("1 < 2", "true"), ("2 <= 1", "false"), ("3 >= 3 && 2 > 1", "true"), ("!params.flag", "false"),
    ("!params.flag == false", "true"), ("true || false && false", "true"),
    ("(true || false) && false", "false"), ("1 == 2 || 'a' == 'a'", "true"),
    ("1 < 2 == true", "true"), ("params.flag && 'yes' || 'no'", "yes"),
    ("null || 'otherwise'", "otherwise"),
    ("steps.build.outputs.gone || 'otherwise'", "otherwise"), ("'' || 0", "0"),
    ("null == null", "true"),
    ("null == 'x'", "false"), ("null == ''", "true"), ("'' != null", "false"),
    ("item.x == ''", "true"), ("(item.x || 0) == 0", "true"),
    ("contains(matrix.list, null)", "false"),
    ("contains(fromJSON('[null, \"a\"]'), '')", "true"),
    ("contains(fromJSON('[1, \"a\"]'), 'a')", "true"), ("contains(fromJSON('[]'), 1)", "false"),
    ("'a' == 'A'", "false"), ("'a' != 'b'", "true"),
    // Functions.
    ("contains('hello', 'ell')", "true"), ("contains(matrix.list, 'b')", "true"),
    ("contains(matrix.list, 'c')", "false"), ("startsWith('hello', 'he')", "true"),
    ("endsWith('hello', 'lo')", "true"), ("format('{0}-{1}-{0} {{}}', 'a', 2)", "a-2-a {}"),
    ("toJSON(fromJSON('{\"b\":1,\"a\":\"\\u00e9\\n\"}'))", #"{"a":"é\n","b":1}"#),
    ("hashFiles('a', 'b/**')", "hash of a b/**"), ("failure()", "true"), ("success()", "false"),
    ("always()", "true"), ("cancelled()", "false"), ("FROMJSON('1')", "1"),
  ]) func `an expression has the expected value`(_ text: String, _ expected: String) throws {
    let expression = try ExpressionParser.expression(in: text)
    #expect(try expression.value(from: Source()).asText == expected, "\(text)")
  }

  @Test(
    arguments: [
      ("", 0..<1, .emptyExpression), ("1 +", 3..<4, .valueExpected(before: nil)),
      ("a = b", 2..<3, .unexpectedCharacter("=")),
      ("params.count = 3", 13..<14, .unexpectedCharacter("=")),
      ("'abc", 0..<1, .unclosedText(isInTemplate: false)), ("(1", 2..<3, .expected(")", nil)),
      ("1)", 1..<2, .operatorExpected(before: ")")), ("1 2", 2..<3, .operatorExpected(before: "")),
      ("params.", 7..<8, .memberExpected), ("params[", 7..<8, .valueExpected(before: nil)),
      ("format()", 0..<8, .argumentCount(.format, 0)),
      ("success(1)", 0..<10, .argumentCount(.success, 1)),
      ("contians('a', 'b')", 0..<8, .unknownFunction("contians")),
      ("parms.x", 0..<5, .unknownName("parms")), ("12abc", 0..<5, .notANumber("12abc")),
      ("inputs.x", 0..<6, .unknownName("inputs")),
      ("1 && && 2", 5..<7, .valueExpected(before: "&&")),
      ("contains('a' 'b')", 13..<16, .expected("comma or )", .contains)),
      ("success", 0..<7, .unknownName("success")),
    ] as [(String, Range<Int>, Diagnostic.Cause)])
  func `an expression that cannot be parsed is reported with its range`(
    _ text: String, _ range: Range<Int>, _ cause: Diagnostic.Cause
  ) {
    #expect(throws: ExpressionError(cause, range)) { try ExpressionParser.expression(in: text) }
  }

  @Test(
    arguments: [
      ("'a' < 'b'", .notComparable(.less, .text, .text)),
      ("'3' == 3", .notComparable(.equal, .text, .number)),
      ("params.flag == 'true'", .notComparable(.equal, .boolean, .text)),
      ("params.name.x", .noMember("x", of: .text)),
      ("fromJSON('{')", .notJSON("expected a key at byte 2")),
      ("format('{2}', 'a')", .formatValue(2)), ("format('{', 'a')", .formatPlace),
      ("matrix.nothing", .failed("there is none")),
      (
        "steps.build.outputs.verison",
        .noOutput("verison", of: "build", result: "success", left: ["version"])
      ),
      ("matrix.list.name", .noMember("name", of: .list)),
      ("startsWith(matrix.list, 'a')", .textExpected(.list)),
      ("null == 0", .notComparable(.equal, .null, .number)),
      ("item.x != false", .notComparable(.equal, .null, .boolean)),
      ("contains(fromJSON('[3.14]'), '3.14')", .notComparable(.equal, .number, .text)),
      ("contains(fromJSON('[1, \"a\"]'), 'b')", .notComparable(.equal, .number, .text)),
      ("contains(fromJSON('[0, null]'), '1')", .notComparable(.equal, .number, .text)),
    ] as [(String, Diagnostic.Cause)]) func `an expression that cannot be evaluated is reported`(
      _ text: String, _ cause: Diagnostic.Cause
    ) throws
  {
    let expression = try ExpressionParser.expression(in: text)
    do {
      let value = try expression.value(from: Source())
      Issue.record("was evaluated to \(value)")
    } catch {
      switch error {
      case .invalid(let error), .missingOutput(let error): #expect(error.cause == cause)
      case .unknown: Issue.record("\(error)")
      }
    }
  }

  @Test func `an unknown value is not an error`() throws {
    let expression = try ExpressionParser.expression(in: "index == 1")
    #expect(throws: EvaluationError.unknown) { try expression.value(from: Source()) }
  }

  @Test(arguments: [
    String(repeating: "(", count: 5000) + "1" + String(repeating: ")", count: 5000),
    String(repeating: "!", count: 5000) + "true",
    String(repeating: "1 || ", count: 5000) + "1",
    "params" + String(repeating: ".a", count: 5000),
    "params" + String(repeating: "[0]", count: 5000),
    String(repeating: "toJSON(", count: 5000) + "1" + String(repeating: ")", count: 5000),
    "params" + String(repeating: "[params", count: 5000) + String(repeating: "]", count: 5000),
  ]) func `the depth of expressions is limited`(_ text: String) {
    #expect(throws: ExpressionError.self) { try ExpressionParser.expression(in: text) }
  }

  @Test func `a template keeps the type of a single expression and joins several to a text`()
    throws
  {
    let source = Source()
    #expect(try Template(parsing: "${{ params.count }}").value(from: source) == .number(3))
    #expect(try Template(parsing: " ${{ params.count }}").value(from: source) == .text(" 3"))
    #expect(
      try Template(parsing: "a${{ params.count }}b${{ '}}' }}").value(from: source)
        == .text("a3b}}"))
    #expect(try Template(parsing: "$ {{ x }} $x").value(from: source) == .text("$ {{ x }} $x"))
    #expect(Template(text: "${{ 1 }}").isPlain)
  }

  @Test func `JSON survives a round trip`() throws {
    let texts = [
      "null", "true", "[]", "{}", "[1,-2.5,\"a\\\"b\\\\\\n\\u0001\"]", "{\"a\":{\"b\":[null]}}",
      "\"\\ud83d\\ude00\"",
    ]
    for text in texts {
      let value = try Value(json: text)
      #expect(try Value(json: value.json) == value)
      #expect(try Value(json: value.indentedJSON) == value)
    }
    let wrong = [
      "", "nul", "[1,]", "{\"a\"}", "01", "1.", "+1", "\"\\x\"", "\"\\ud83d\"", "[1] 2",
      "\"\u{1}\"",
      String(repeating: "[", count: 200),
    ]
    for text in wrong { #expect(throws: JSONError.self, "\(text)") { try Value(json: text) } }
  }
}
