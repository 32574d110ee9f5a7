import Foundation
import TestSupport
import Testing

/// Values that try to be interpreted as code.
struct HostileTests {
  /// Returns strings that have a special meaning to a shell, a terminal, YAML, JSON or the
  /// expression language.
  private static func strings(using generator: inout SeededGenerator) -> [String] {
    var strings = [
      "", " ", "$(touch pwned)", "`touch pwned`", "; touch pwned", "&& touch pwned",
      "| touch pwned",
      "\n touch pwned\n", "'; touch pwned; '", "\"; touch pwned; \"", "-rf", "--help", "-e", "-n",
      "$HOME", "${HOME}", "$((1+1))", "~", "~root", "*", "?", "[a-z]", "{a,b}", "!!", "\\", "\\n",
      "%s%n", "%d", "\t", "\r", "\r\n", "a\nb", "\u{1B}[31mred\u{1B}[0m", "\u{1B}]0;title\u{7}",
      "\u{1B}[2J", "\u{9B}31m", "\u{7F}", "\u{202E}evil", "\u{0001}", "${{ secrets.x }}",
      "${{ params.list }}", "${{", "}}", "null", "true", "012", "1e3", "yes", "- a", "a: b", "#c",
      "&a", "*a", "!tag", "|", ">", "@", "%", "\"", "'", "''", "{\"a\":1}", "[1]", "é", "日本", "🎉",
      "e\u{301}", "\u{FEFF}bom", "\u{2028}", "../../etc/passwd", "/dev/null", "a=b", "=", "EOF",
      "name<<END", "::set-output name=a::b", String(repeating: "x", count: 5000),
    ]
    let pieces =
      strings + ["a", "b", " ", "$", "(", ")", "\"", "'", "`", "\\", "\n", ";", "<", ">", "&"]
    while strings.count < 500 {
      let count = Int.random(in: 1...6, using: &generator)
      strings.append(
        (0..<count).map { _ in
          pieces.filter { $0.utf8.count < 100 }.randomElement(using: &generator) ?? ""
        }
        .joined())
    }
    return strings
  }

  @Test func `every value arrives byte for byte, without being executed or interpreted`()
    async throws
  {
    var generator = SeededGenerator.announced()
    let strings = Self.strings(using: &generator)
    let scenario = try Scenario()
    let list = String(decoding: try JSONEncoder().encode(strings), as: UTF8.self)
    try scenario.write(
      String(decoding: try JSONEncoder().encode(["list": list]), as: UTF8.self), to: "params.json")
    try scenario.write(
      """
      params: { list: {} }
      env: { FIRST: "${{ fromJSON(params.list)[33] }}" }
      steps:
        - { id: folder, run: mkdir got }
        - id: each
          foreach: "${{ fromJSON(params.list) }}"
          env: { VALUE: "${{ item }}", NUMBER: "${{ index }}" }
          exec: [sh, -c, 'printf %s "$1" > got/a$2; printf %s "$VALUE" > got/e$2; cat got/a$2; printf "v<<=======\\n%s\\n=======\\n" "$1" >> $REPRISE_OUTPUT', sh, "${{ item }}", "${{ index }}"]
        - id: used
          foreach: "${{ fromJSON(params.list) }}"
          uses: ./used.yaml
          with: { value: "${{ item }}", number: "${{ index }}" }
        - id: after
          env: { ALL: "${{ toJSON(steps.each.outputs.v) }}" }
          run: printf %s "$ALL" > got/all
      """, to: "w.yaml")
    try scenario.write(
      """
      params: { value: {}, number: { type: number } }
      steps:
        - id: it
          if: "params.value != 'never'"
          env: { VALUE: "${{ params.value }}" }
          exec: [sh, -c, 'printf %s "$VALUE" > got/u$1', sh, "${{ params.number }}"]
      """, to: "used.yaml")
    let ended = try await scenario.reprise(
      "run", "w.yaml", "--params-file", "params.json", "--progress", "plain"
    ).succeeds()
    for (number, string) in strings.enumerated() {
      for place in ["a", "e", "u"] {
        let got = FileManager.default.contents(
          atPath: scenario.folder.path + "/got/\(place)\(number)")
        #expect(got == Data(string.utf8), "\(place)\(number): \(string.debugDescription)")
      }
    }
    #expect(!scenario.has("pwned"))
    let all = try JSONDecoder().decode([String].self, from: Data(scenario.read("got/all").utf8))
    #expect(all == strings)
    let raw = (ended.output + ended.errors).unicodeScalars.filter { scalar in
      scalar != "\n" && (scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value))
    }
    #expect(raw.isEmpty, "\(Set(raw.map(\.value)))")
    let shown = try await scenario.reprise("show", "@last").succeeds()
    #expect(!shown.output.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" })
  }

  @Test func `a value with a NUL is refused`() async throws {
    let scenario = try Scenario()
    try scenario.write(
      "steps: [{ id: a, env: { X: \"${{ fromJSON('\\\"a\\\\u0000b\\\"') }}\" }, run: touch ran }]",
      to: "w.yaml")
    let ended = try await scenario.reprise("run", "w.yaml", "--progress", "plain").fails(with: 1)
    #expect((ended.output + ended.errors).contains("env.X: the value contains a NUL character"))
    #expect(!scenario.has("ran"))
  }

  @Test func `a script cannot have a value pasted into it`() async throws {
    let scenario = try Scenario()
    try scenario.write(
      "params: { x: y }\nsteps:\n  - id: a\n    run: |\n      echo \"hi ${{ params.x }}\" > f\n",
      to: "w.yaml")
    let ended = try await scenario.reprise("run", "w.yaml").fails(with: 2)
    #expect(
      ended.errors.contains("w.yaml:5:16: error[R0304]: a script cannot contain an expression"))
    #expect(
      ended.errors.contains(
        "bind it in env: { X: \"${{ params.x }}\" } and write: echo \"hi $X\" > f"))
  }
}
