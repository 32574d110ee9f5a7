import Testing

@testable import WorkflowFiles

/// Functions of texts and lists, and arithmetic.
struct FunctionTests {
  private struct Source: ValueSource {
    let budget = EvaluationBudget()

    func value(of root: Expression.Root, member: String?) throws(ValueProblem) -> Value {
      switch (root, member) {
      case (.params, "n"?), (.params, "dry-run"?): .number(3)
      case (.params, "path"?): .text("app/[id]/*")
      case (.params, "text"?): .text(" Straße, b,,c ")
      case (.params, "list"?): .list([.text("b.csv"), .text("a.txt"), .text("B.csv")])
      case (.params, "large"?): .text(String(repeating: "a", count: 1 << 20))
      default: throw .missing(.failed("there is none"))
      }
    }

    func status() -> RunEnding { .success }
    func hash(ofFiles patterns: [String]) -> String { "" }
    func files(matching patterns: [String]) -> [String] { patterns.map { "found/" + $0 } }
  }

  @Test(arguments: [
    ("1 + 2 * 3", "7"), ("(1 + 2) * 3", "9"), ("10 - 2 - 3", "5"), ("1 -1", "0"), ("1-1", "0"),
    ("7 / 2", "3.5"), ("8 / 2 / 2", "2"), ("7 % 3", "1"), ("-7 % 3", "-1"), ("5.5 % 2", "1.5"),
    ("-params.n", "-3"), ("- -params.n", "3"), ("-(1 + 2)", "-3"), ("2 * -3", "-6"),
    ("params.n -1", "2"), ("params.n - 1", "2"), ("params.n+1", "4"), ("params.dry-run", "3"),
    ("params.dry-run - 1", "2"), ("params['n']-1", "2"), ("(params.n)-1", "2"), ("0xe-1", "13"),
    ("1 + 1 == 2 && 3 > 1 + 1", "true"), ("1e3 - 1e-1", "999.9"), ("index-1 || 1", "error"),
  ]) func `numbers are computed with the usual precedence`(_ text: String, _ expected: String) {
    let value = try? ExpressionParser.expression(in: text).value(from: Source()).asText
    #expect(value ?? "error" == expected, "\(text)")
  }

  @Test(arguments: [
    ("toJSON(split('a,b,,c', ','))", #"["a","b","","c"]"#), ("toJSON(split('', ','))", "[]"),
    ("toJSON(split('a', ','))", #"["a"]"#), ("toJSON(split('aaaa', 'aa'))", #"["","",""]"#),
    ("split('v1.2.3', '.')[1]", "2"), ("replace('a-b-c', '-', '')", "abc"),
    ("replace('aabaab', 'aab', 'x')", "xx"), ("replace('ababac', 'abac', 'x')", "abx"),
    ("replace('é', 'é', '\\')", "\\"), ("trim(params.text)", "Straße, b,,c"), ("trim('  ')", ""),
    ("lower('ÄB')", "äb"), ("upper(trim(params.text))", "STRASSE, B,,C"),
    ("length('año')", "3"), ("length(params.list)", "3"), ("length(fromJSON('{\"a\":1}'))", "1"),
    ("join(sort(params.list))", "B.csv,a.txt,b.csv"),
    ("join(sort(fromJSON('[10, 9, 1.5]')))", "1.5,9,10"), ("join(sort(split('', ',')))", ""),
    ("join(filter(params.list, '[.]csv$'))", "b.csv,B.csv"),
    ("join(filter(params.list, 'x$'))", ""),
    ("join(glob('*.csv', '!a*'))", "found/*.csv,found/!a*"),
    ("join(glob(params.path))", #"found/app/\[id\]/\*"#), ("join(glob(3))", "found/3"),
    ("join(glob(format('{0}/*.{{c,h}}', params.path)))", #"found/app/\[id\]/\*/*.{c,h}"#),
    ("join(glob(format('{0}/{1}', params.path, '*')))", #"found/app/\[id\]/\*/*"#),
    ("join(glob(params.path || '*'))", #"found/app/\[id\]/\*"#),
    ("join(glob(params.n == 4 && params.path || '*'))", "found/*"),
    ("join(glob(params.n == 3 && params.path || '*'))", #"found/app/\[id\]/\*"#),
    ("join(glob(lower('*A')))", #"found/\*a"#), ("glob(params.list)", "error"),
    ("join(glob(params.list.*))", "error"),
    ("TOLOWER('a')", "error"), ("Lower('A')", "a"),
  ]) func `functions change texts and lists`(_ text: String, _ expected: String) {
    let value = try? ExpressionParser.expression(in: text).value(from: Source()).asText
    #expect(value ?? "error" == expected, "\(text)")
  }

  @Test(
    arguments: [
      ("1 / (params.n - 3)", .divisionByZero(.divide)), ("1 % 0", .divisionByZero(.remainder)),
      ("1e308 * 10", .infinite(.multiply)), ("params.text + 1", .notNumbers(.add, .text, .number)),
      ("-params.text", .notNumbers(.subtract, .number, .text)),
      ("split('a', '')", .emptyPart(.split)), ("replace('a', '', 'b')", .emptyPart(.replace)),
      ("sort(fromJSON('[1, \"a\"]'))", .notSortable([.number, .text])),
      ("sort(fromJSON('[true]'))", .notSortable(.boolean)),
      ("sort('a')", .argumentType(.sort, expected: .list, .text)),
      ("length(1)", .argumentType(.length, expected: [.text, .list, .map], .number)),
      ("filter(fromJSON('[[1]]'), 'a')", .textExpected(.list)),
      ("matches('a', '(')", .textPattern("unmatched (")),
      (
        "matches(params.large, '([a-z]{30}){30}$')",
        .textPattern("the pattern is too large for a text of this size")
      ),
      ("length(replace(params.large, 'a', 'aaaaaaaa'))", .largeValue),
      (
        "length(split(replace(params.large, 'a', 'a,'), ','))", .largeValue
      ),
    ] as [(String, Diagnostic.Cause)])
  func `a call without a result is an error`(_ text: String, _ cause: Diagnostic.Cause) throws {
    let expression = try ExpressionParser.expression(in: text)
    do {
      let value = try expression.value(from: Source())
      Issue.record("was evaluated to \(value)")
    } catch {
      guard case .invalid(let error) = error else { throw error }
      #expect(error.cause == cause)
    }
  }

  @Test(arguments: [
    ("abc", "b", true), ("abc", "^b", false), ("abc", "^abc$", true), ("abc", "^ab$", false),
    ("", "^$", true), ("", "a*", true), ("aab", "^a*b$", true), ("b", "^a+b$", false),
    ("color colour", "colou?r$", true), ("v1.20", "^v[0-9]+[.][0-9]+$", true),
    ("v1x20", "^v\\d+\\.\\d+$", false), ("aXb", "a.b", true), ("a\nb", "a.b", false),
    ("main", "^(main|release/.*)$", true), ("release/2", "^(main|release/.*)$", true),
    ("maintenance", "^(main|release/.*)$", false), ("aaa", "^a{3}$", true), ("aa", "^a{3}$", false),
    ("aaaa", "^a{2,3}$", false), ("aaaa", "^a{2,}$", true), ("ab", "^(?:a|b){2}$", true),
    ("x-y", "^[a-z-]+$", true), ("]", "^[]]$", true), ("^", "^[\\^]$", true), ("é", "^.$", true),
    ("b", "[^a]", true), ("a", "[^a]", false), ("a b", "\\s", true), ("a_1", "^\\w+$", true),
    ("a-1", "^[\\w-]+$", true), ("a", "\\D\\b", true), ("cat", "\\bcat\\b", true),
    ("concat", "\\bcat", false), ("A", "a", false), ("a{", "a\\{", true), ("", "(a*)*b", false),
    ("ab", "a|", true), ("7", "^[\\D]$", false), ("", "(){1000}", true),
  ]) func `a pattern matches parts of texts`(_ text: String, _ pattern: String, _ matches: Bool)
    throws
  {
    #expect(try TextPattern(pattern).matches(text) == matches, "\(text) \(pattern)")
  }

  @Test(arguments: [
    "(", ")", "a)", "[a", "*", "a**", "a{2}{3}", "a{", "a{x}", "a{3,2}", "a{1001}", "(?=a)",
    "(?i)a",
    "\\1", "\\q", "\\", "[z-a]", "[a-\\d]", "((a{1000}){1000}){1000}",
    String(repeating: "(", count: 500) + String(repeating: ")", count: 500),
    String(repeating: "a", count: 1001),
  ]) func `an invalid pattern is an error`(_ pattern: String) {
    #expect(throws: PatternError.self) { try TextPattern(pattern) }
  }

  /// With backtracking, each of these would take longer than the age of the universe.
  @Test(arguments: [
    "(a*)*b", "(a|a)*b", "(a|aa)+$", "(((){1000}){1000}){1000}b", "^(a?){30}a{30}b",
  ])
  func `no pattern takes exponential time`(_ pattern: String) throws {
    let text = String(repeating: "a", count: 5000) + "!"
    #expect(try !TextPattern(pattern).matches(text))
  }

  @Test(arguments: [
    ("toLower(params.s)", "did you mean \"lower\"?"), ("len(params.s)", "did you mean \"length\"?"),
    ("regex(params.s, 'a')", "did you mean \"matches\"?"),
    ("concat(params.s, 'a')", "concatenate with format"),
    ("substring(params.s, 1)", "use split"), ("lowr(params.s)", "did you mean \"lower\"?"),
    ("params.n-1", "put spaces around a minus: n - …"), ("params.n-", "put spaces around a minus"),
    ("params.s + 1", "concatenate with format"), ("params.s * 2", "fromJSON"),
    ("matches(params.s, 'a**')", ""), ("split(params.s, '')", "separator"),
    ("10 / 0", "test the divisor"), ("sort(params.s)", "sort(list)"),
    ("length(params.n)", "length("),
    ("filter(params.s, 'a')", "filter(list"),
  ]) func `a wrong call is reported before the run, with a hint`(_ text: String, _ hint: String) {
    let file = """
      params: { s: text, n: 1 }
      steps: [{ id: a, run: make, env: { X: "${{ \(text) }}" } }]
      """
    let diagnostics = diagnostics(file)
    #expect(diagnostics.count == 1)
    #expect(diagnostics.first?.severity == .error)
    #expect((diagnostics.first?.hint ?? "").contains(hint) || hint.isEmpty, "\(diagnostics)")
  }
}
