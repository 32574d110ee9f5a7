import Foundation
import TestSupport
import Testing

/// Names and texts that contain terminal control sequences.
struct TerminalSafetyTests {
  /// Control sequences of each kind: OSC, CSI, DCS, C1, bidi, BEL, BS, DEL.
  ///
  /// They are combined because each command costs a process; TerminalSafeTests tests each kind
  /// separately.
  private static let hostile = [
    "\u{1B}]0;PWN\u{7}", "\u{1B}[2J\u{1B}[31m", "\u{1B}P$q\u{1B}\\",
    "\u{9B}31m\u{9D}0;PWN\u{9C}\u{85}",
    "\u{202A}\u{202B}\u{202C}\u{202D}\u{202E}", "\u{2066}\u{2067}\u{2068}\u{2069}", "\u{7}",
    "\u{8}", "\u{7F}",
  ].joined(separator: "-")

  /// Returns a text in double quotes that YAML and JSON both accept.
  private static func quoted(_ text: String) -> String {
    text.unicodeScalars.reduce(into: "\"") { result, scalar in
      let digits = String(scalar.value, radix: 16)
      if scalar.isASCII && scalar.value >= 0x20 && scalar.value != 0x7F && scalar != "\""
        && scalar != "\\"
      {
        result.unicodeScalars.append(scalar)
      } else {
        result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      }
    } + "\""
  }

  /// Returns the control characters and the bidirectional controls of a text.
  private static func obeyed(_ text: String) -> [String] {
    text.unicodeScalars.filter {
      $0.properties.generalCategory == .control && $0 != "\n" && $0 != "\t"
        || $0.properties.isBidiControl
    }.map { String($0.value, radix: 16) }
  }

  /// Runs a command and expects its status and output without control characters.
  private func expectSafe(
    _ scenario: Scenario, _ arguments: String..., status: Int32 = 0,
    saying words: String = "", sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let ended = try await scenario.start(arguments).end()
    let text = ended.output + ended.errors
    #expect(
      Self.obeyed(text) == [], "\(arguments): \(text.debugDescription)",
      sourceLocation: sourceLocation)
    #expect(
      ended.status == status, "\(arguments): \(text.debugDescription)",
      sourceLocation: sourceLocation)
    #expect(
      words.isEmpty || text.contains(words), "\(arguments): \(text.debugDescription)",
      sourceLocation: sourceLocation
    )
  }

  @Test func `names, descriptions, paths and groups are shown without control characters`()
    async throws
  {
    let hostile = Self.hostile
    let scenario = try Scenario()
    let file = "workflows/x\(hostile)y.yaml"
    let text = Self.quoted("n\(hostile)m")
    try scenario.write(
      """
      name: \(text)
      description: \(text)
      params: { text: { default: \(text), description: \(text) } }
      concurrency: { group: \(text), policy: reject }
      steps:
        - { id: a, foreach: [\(text)], exec: [echo, "${{ item }}"] }
        - { id: b, needs: a, exec: [echo, \(text)], env: { A: \(text) } }
      """, to: file)
    try await expectSafe(scenario, saying: "2 steps")
    try await expectSafe(scenario, "list", saying: "2 steps")
    try await expectSafe(scenario, "validate", file, saying: "no errors")
    for format in ["text", "dot", "mermaid", "json"] {
      try await expectSafe(scenario, "graph", file, "--format", format)
    }
    try await expectSafe(scenario, "run", file, "--dry-run", saying: "would run")
    try await expectSafe(scenario, "explain", file, "b", saying: "would run")
    try await expectSafe(
      scenario, "run", file, "--no-journal", status: 2, saying: "concurrency group")
    for progress in ["plain", "json", "none"] {
      try await expectSafe(scenario, "run", file, "--progress", progress)
    }
    try await expectSafe(scenario, "runs", saying: "succeeded")
    try await expectSafe(scenario, "runs", "--json", saying: "succeeded")
    try await expectSafe(scenario, "show", "@last", saying: "succeeded")
    try await expectSafe(scenario, "prune", "--keep", "0", "--dry-run", saying: "would delete")
    // Arguments of the command line are shown, too.
    try await expectSafe(scenario, "run", "no\(hostile)", status: 2, saying: "there is no workflow")
    try await expectSafe(scenario, "validate", "no\(hostile)", status: 2)
    try await expectSafe(scenario, "list", "no\(hostile)", status: 2)
    try await expectSafe(scenario, "--no\(hostile)", status: 2)
    try await expectSafe(scenario, "run", file, "-p", "no\(hostile)", status: 2)
    try await expectSafe(scenario, "run", file, "--only", "no\(hostile)", status: 2)
    try await expectSafe(scenario, "show", "no\(hostile)", status: 2)
    try await expectSafe(scenario, "trigger", "no\(hostile)", status: 2)
    try await expectSafe(scenario, "runs", "--state-dir", "no\(hostile)", saying: "No run")
  }

  @Test func `errors and secrets are reported without control characters`() async throws {
    let hostile = Self.hostile
    let scenario = try Scenario()
    let text = Self.quoted("n\(hostile)m")
    let file = "x\(hostile)y.yaml"
    try scenario.write("\(text): 1\nsteps: [{ id: \(text), run: a, needs: \(text) }]\n", to: file)
    for format in ["text", "json", "sarif"] {
      try await expectSafe(scenario, "validate", file, "--format", format, status: 2)
    }
    try await expectSafe(scenario, "run", file, status: 2, saying: "error")
    for source in ["file: \(text)", "env: \(text)", "command: [\(text)]"] {
      try scenario.write(
        "secrets: { s: { \(source) } }\nsteps: [{ id: a, run: \"true\", env: { S: \"${{ secrets.s }}\" } }]\n",
        to: "secret.yaml")
      let ended = try await scenario.reprise("run", "secret.yaml")
      #expect(ended.status == 2, "\(ended)")
      #expect(
        Self.obeyed(ended.output + ended.errors) == [],
        "\(source): \(ended.errors.debugDescription)")
    }
  }

  @Test func `a run that its group refuses names the group without control characters`()
    async throws
  {
    let scenario = try Scenario()
    try scenario.write(
      """
      concurrency: { group: \(Self.quoted(Self.hostile)), policy: reject }
      steps: [{ id: a, run: "touch began; sleep 60" }]
      """, to: "w.yaml")
    let first = try scenario.start(["run", "w.yaml", "--progress", "none"])
    await expectEventually("the first run has started") { scenario.has("began") }
    try await expectSafe(scenario, "run", "w.yaml", status: 4, saying: "is live")
    first.send(SIGTERM)
    try await first.end().fails(with: 143)
  }
}
