import TestSupport
import Testing

@testable import WorkflowFiles

/// The names and words of earlier versions, which are read with a warning, and their correction.
struct FormerNameTests {
  private static func warnings(_ text: String) throws -> [Diagnostic] {
    try Workflow(text: text, file: "w.yaml").warnings
  }

  /// Each file as it was written, and as it is written now.
  static let files: [(old: String, new: String)] = [
    (
      "steps: [{ id: a, run: x, repeat: { until: stdout == 'a', every: 2s } }]",
      "steps: [{ id: a, run: x, repeat: { until: stdout == 'a', delay: 2s } }]"
    ),
    (
      "steps: [{ id: a, run: x, repeat: { until: stdout == 'a', every: 2s, limit: 30 } }]",
      "steps: [{ id: a, run: x, repeat: { until: stdout == 'a', delay: 2s, limit: 29 } }]"
    ),
    (
      "steps: [{ id: a, run: x, retry: { limit: 2, on: [75] } }]",
      "steps: [{ id: a, run: x, retry: { limit: 2, for: [75] } }]"
    ),
    (
      "steps: [{ id: a, run: x, cache: { inputs: b, outputs: [c] } }]",
      "steps: [{ id: a, run: x, cache: { inputs: b, makes: [c] } }]"
    ),
    (
      "steps:\n  - id: a\n    foreach: [b, c]\n    key: ${{ item }}\n    run: x\n",
      "steps:\n  - id: a\n    foreach: [b, c]\n    item-id: ${{ item }}\n    run: x\n"
    ),
    (
      "steps: [{ id: g, foreach: [b], key: '${{ item }}', steps: [{ id: a, run: x }] }]",
      "steps: [{ id: g, foreach: [b], item-id: '${{ item }}', steps: [{ id: a, run: x }] }]"
    ),
    (
      "steps: [{ id: a, run: x }]\nfinally: [{ id: b, on: [failure, cancel], run: x }]",
      "steps: [{ id: a, run: x }]\nfinally: [{ id: b, when: [failure, cancelled], run: x }]"
    ),
    (
      "steps: [{ id: a, run: x }]\nfinally: [{ id: b, if: run.outcome == 'failed', run: x }]",
      "steps: [{ id: a, run: x }]\nfinally: [{ id: b, if: run.result == 'failure', run: x }]"
    ),
  ]

  @Test(arguments: files) func `a former name means the same, and is corrected`(
    file: (old: String, new: String)
  ) throws {
    let (old, new) = (
      try Workflow(text: file.old, file: "w.yaml"), try Workflow(text: file.new, file: "w.yaml")
    )
    #expect(!old.warnings.isEmpty && old.warnings.allSatisfy { $0.code == "R0918" })
    #expect(new.warnings.isEmpty, "\(new.warnings)")
    if !file.old.contains("outcome") { #expect(old.steps == new.steps) }
    let fixed = FixedText(Array(file.old.utf8), old.warnings.flatMap(\.edits))
    #expect(String(decoding: fixed.bytes, as: UTF8.self) == file.new)
  }

  @Test func `the former name of a result of the run keeps its words where no comparison is`()
    throws
  {
    let warnings = try Self.warnings(
      """
      steps: [{ id: a, run: x }]
      finally: [{ id: b, env: { O: "${{ run.outcome }}" }, run: x }]
      """)
    #expect(warnings.map(\.code) == ["R0918"])
    #expect(warnings.flatMap(\.edits).isEmpty)
  }

  @Test func `a limit that is computed counts one less beside the new name`() throws {
    let text = """
      params: { n: 3 }
      steps: [{ id: a, run: x, repeat: { until: stdout == 'a', every: 2s, limit: "${{ params.n }}" } }]
      """
    let workflow = try Workflow(text: text, file: "w.yaml")
    let fixed = FixedText(Array(text.utf8), workflow.warnings.flatMap(\.edits))
    let again = try Workflow(bytes: fixed.bytes, file: "w.yaml")
    #expect(again.steps == workflow.steps && again.warnings.isEmpty)
    #expect(workflow.steps.first?.extras.repetition?.roundsMax == 3)
  }

  @Test func `a limit of one round is corrected with the rest of its file`() throws {
    let text = """
      steps:
        - { id: a, run: x, repeat: { until: stdout == 'a', every: 2s, limit: 1 } }
        - { id: b, run: x, cache: { inputs: c, outputs: d } }
      """
    let workflow = try Workflow(text: text, file: "w.yaml")
    let fixed = FixedText(Array(text.utf8), workflow.warnings.flatMap(\.edits))
    let again = try Workflow(bytes: fixed.bytes, file: "w.yaml")
    #expect(again.steps == workflow.steps && again.warnings.isEmpty)
    #expect(again.steps.first?.extras.repetition?.roundsMax == 1)
  }

  @Test func `both names at once are an error`() {
    let text = "steps: [{ id: a, run: x, cache: { inputs: b, makes: c, outputs: d } }]"
    #expect(throws: WorkflowError.self) { try Workflow(text: text, file: "w.yaml") }
  }

  @Test func `each of many former names is corrected`() throws {
    let steps = (1...60).map {
      "  - { id: s\($0), run: x, cache: { inputs: a, outputs: o\($0) } }\n"
    }
    let text = "steps:\n" + steps.joined()
    let workflow = try Workflow(text: text, file: "w.yaml")
    let fixed = FixedText(Array(text.utf8), workflow.warnings.flatMap(\.edits))
    let corrected = String(decoding: fixed.bytes, as: UTF8.self)
    #expect(corrected == text.replacing("outputs:", with: "makes:"))
  }

  // MARK: Scripts and quotes

  private static func corrected(_ text: String) throws -> String {
    let error = try #require(throws: WorkflowError.self) {
      try Workflow(text: text, file: "w.yaml")
    }
    let fixed = FixedText(Array(text.utf8), error.diagnostics.flatMap(\.edits))
    return String(decoding: fixed.bytes, as: UTF8.self)
  }

  @Test(arguments: [
    (
      "run: echo ${{ params.p }}",
      "env: { P: \"${{ params.p }}\" }\n    run: echo \"$P\""
    ),
    (
      "run: |\n      echo \"is ${{ params.p }}\"\n      test '${{ params.p }}' = b\n",
      "env: { P: \"${{ params.p }}\" }\n    run: |\n      echo \"is $P\"\n      test \"$P\" = b\n"
    ),
    (
      "env:\n      A: b\n    run: echo ${{ params.p }} $A",
      "env:\n      P: \"${{ params.p }}\"\n      A: b\n    run: echo \"$P\" $A"
    ),
    (
      "env: { A: b }\n    run: \"echo ${{ params.p }} $A\"",
      "env: { P: \"${{ params.p }}\", A: b }\n    run: \"echo \\\"$P\\\" $A\""
    ),
    (
      "run: |\n      # it's \"here\n      echo ${{ params.p }} # '${{ params.p }}\n",
      "env: { P: \"${{ params.p }}\" }\n    run: |\n      # it's \"here\n      echo \"$P\" # '$P\n"
    ),
    (
      "env: { P: other }\n    run: echo ${{ params.p }}",
      "env: { PARAMS_P: \"${{ params.p }}\", P: other }\n    run: echo \"$PARAMS_P\""
    ),
    (
      "run: echo \"${{ params.p }} and $P\"",
      "env: { PARAMS_P: \"${{ params.p }}\" }\n    run: echo \"$PARAMS_P and $P\""
    ),
    (
      "env:\n      Q: ${{ params.p }}\n    run: echo ${{ params.p }}",
      "env:\n      Q: ${{ params.p }}\n    run: echo \"$Q\""
    ),
  ])
  func `an expression in a script is bound in env`(old: String, new: String) throws {
    let before = "params: { p: q }\nsteps:\n  - id: a\n    "
    let corrected = try Self.corrected(before + old)
    #expect(corrected == before + new)
    _ = try Workflow(text: corrected, file: "w.yaml")
  }

  @Test(arguments: [
    "shell: [python3, -c]\n    run: print(${{ params.p }})",
    "run: |\n      #!/usr/bin/env python3\n      print(${{ params.p }})\n",
    "run: |\n      cat <<'END'\n      ${{ params.p }}\n      END\n",
    "run: ${{ params.p }} --now",
    "run: 'echo ''a ${{ params.p }}'''",
    "run: |\n      cat <<END\n      ${{ params.p }}\n      END\n",
    "run: |\n      X=\"$(echo \"${{ params.p }}\")\"\n",
    "run: echo $(( ${{ params.p }} + 1 ))",
    "run: |\n      sh -c \"echo ${{ params.p }}\"\n",
    "run: |\n      echo \"\\${{ params.p }}\"\n",
  ])
  func `what a shell would not read in the same way is not corrected`(step: String) throws {
    let text = "params: { p: q }\nsteps:\n  - id: a\n    " + step
    #expect(try Self.corrected(text) == text)
  }

  @Test func `a text whose colon made it a map gets quotes`() throws {
    let text = "steps: [{ id: a, exec: [echo, it's: b] }]"
    #expect(try Self.corrected(text) == "steps: [{ id: a, exec: [echo, 'it''s: b'] }]")
  }

  @Test func `the changes are shown as a diff that patch applies`() {
    let edits = [
      Diagnostic.Edit(line: 2, column: 1, length: 1, text: "x\ny"),
      Diagnostic.Edit(line: 4, column: 2, length: 0, text: "z"),
    ]
    let fixed = FixedText(Array("a\nb\nc\nd\r\n".utf8), edits)
    #expect(String(decoding: fixed.bytes, as: UTF8.self) == "a\nx\r\ny\nc\ndz\r\n")
    #expect(
      fixed.difference(in: "f")
        == "--- f\n+++ f\n@@ -2 +2,2 @@\n-b\n+x\n+y\n@@ -4 +5 @@\n-d\n+dz")
  }
}
