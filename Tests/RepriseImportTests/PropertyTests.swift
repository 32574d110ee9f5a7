import RepriseImport
import TestSupport
import Testing
import WorkflowFiles

/// The import of any file either refuses it or writes a workflow without errors.
struct ImportPropertyTests {
  /// Parts of files of all tools, with mistakes and unusual texts.
  private static let values = [
    "x", "''", "\"a: b # c\"", "'- x'", "~", "3", "3.10", "true", "[a, b]", "{ a: b }", "[]", "{}",
    "\"${{ github.sha }}\"", "\"${{ secrets.A }} ${{ env.B }}\"", "\"${{ matrix.os.name }}\"",
    "\"${{ needs.a.outputs.x == true && 'y' || 3 }}\"", "\"${{ fromJSON(steps.a.outputs.l)[0] }}\"",
    "\"${{ broken\"", "\"}} ${{ ''' }}\"", "\"a\\nb \\n  c\\n\"", "\"\\ttab\\n\\tx\"",
    "\"\\u0007\\u2028\\u202e\"", "\"{{.A}} {{.B | upper}}\"", "\"$(A) $@ `x`\"", "always()",
    "\" \"",
    "\"echo 'a' <<EOF\\n${{ github.ref }}\\nEOF\"",
  ]
  private static let keys = [
    "on", "env", "jobs", "steps", "run", "uses", "with", "if", "needs", "id", "name", "strategy",
    "matrix", "include", "timeout-minutes", "continue-on-error", "shell", "working-directory",
    "container", "services", "outputs", "concurrency", "defaults", "tasks", "cmds", "deps", "vars",
    "sources", "generates", "preconditions", "status", "command", "depends", "params", "schedule",
    "handler_on", "retry_policy", "output", "parallel", "runs-on",
  ]

  private static func value(_ depth: Int, _ random: inout SeededGenerator) -> String {
    guard depth > 0, Int.random(in: 0..<3, using: &random) > 0 else {
      return values.randomElement(using: &random) ?? "x"
    }
    let count = Int.random(in: 1...4, using: &random)
    if Bool.random(using: &random) {
      return "[" + (0..<count).map { _ in value(depth - 1, &random) }.joined(separator: ", ") + "]"
    }
    let names = keys.shuffled(using: &random).prefix(count)
    return "{" + names.map { "\($0): \(value(depth - 1, &random))" }.joined(separator: ", ") + "}"
  }

  @Test(arguments: ImportFormat.allCases)
  func `an import has no errors or is refused`(_ format: ImportFormat) throws {
    var random = SeededGenerator.announced()
    for _ in 0..<300 {
      let step = Self.value(2, &random)
      let text =
        switch format {
        case .github:
          "on: \(Self.value(1, &random))\nenv: \(Self.value(1, &random))\njobs:\n  a:\n    if: "
            + "\(Self.value(0, &random))\n    strategy: \(Self.value(2, &random))\n    steps:\n"
            + "      - \(step)\n      - run: \(Self.value(0, &random))\n  b: \(Self.value(3, &random))"
        case .taskfile:
          "vars: \(Self.value(1, &random))\ntasks:\n  a: \(step)\n  b: { cmds: [\(step)] }"
        case .just:
          "a := \(step)\nb a:\n  echo {{a}} \(step)\nc: (b \(Self.value(0, &random)))\n  x"
        case .processCompose: "processes:\n  a: \(step)\n  b: \(Self.value(2, &random))"
        case .package: "scripts:\n  a: \(step)\n  prea: \(Self.value(0, &random))"
        case .dagu: "params: \(Self.value(1, &random))\nsteps:\n  - \(step)\n  - run: make"
        case .make: "A = \(step)\na: b \(step)\n\t\(Self.value(0, &random))\nb:\n\techo $(A)"
        }
      do throws(ImportError) {
        let result = try ImportedWorkflow(Array(text.utf8), from: format, path: "w.yaml")
        #expect(throws: Never.self, "\(text)\n\(result.text)") {
          try checkWorkflows(in: result.text)
        }
      } catch {
        #expect(!error.description.isEmpty)
      }
    }
  }
}
