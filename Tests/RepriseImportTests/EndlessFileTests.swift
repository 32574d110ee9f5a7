import RepriseImport
import Testing
import WorkflowFiles

/// Files whose values use themselves, nest deeper than a stack or grow without end.
struct EndlessFileTests {
  private static func nested(_ open: String, _ middle: String, _ close: String) -> String {
    String(repeating: open, count: 20_000) + middle + String(repeating: close, count: 20_000)
  }

  private static let makefiles = [
    "A = $($(A))\na: $(A)\n", "A = \"$(A) $@\"\na: $(A)\n", "A = $(B)\nB = ${A}\na:\n\techo $(A)\n",
    "f = $(if $(1),$(call f,$(1)x))\na:\n\techo $(call f,x)\n",
    "A = $(foreach x,$(A),$(strip $(A)))\na: $(A)\n",
    "A = $(sort $(or $(and $(if $(subst a,b,$(A)),x),x),x))\na: $(A)\n",
    "a: \(nested("$(", "A", ")"))\n", "a: \(nested("$(strip ", "A", ")"))\n",
    "a: \(nested("$(if x,", "A", ")"))\n", "ifeq (\(nested("$(", "A", ")")),x)\nendif\na:\n",
    (1...60).reduce("A0 = x\n") { $0 + "A\($1) = $(A\($1 - 1))$(A\($1 - 1))\n" } + "a: $(A30)\n",
    (1...60).reduce("A0 =\n") { $0 + "A\($1) = $(A\($1 - 1))$(A\($1 - 1))\n" } + "a: $(A19)\n",
    (1...60).reduce("A0 := x\n") { $0 + "A\($1) := $(A\($1 - 1))$(A\($1 - 1))\n" } + "a: $(A60)\n",
    (0..<150).reduce("") { $0 + "a\($1): a\($1 + 1)\n" },
    "%: %.x\n\ttouch $@\na:\n", "a: b\nb: a\n", "include Makefile\na:\n",
  ]
  private static let justfiles = [
    "a := b\nb := a\nc:\n  echo {{a}}\n", "a := \(nested("(", "'x'", ")"))\nb:\n  echo {{a}}\n",
    "a:\n  echo {{\(nested("(", "'x'", ")"))}}\n", "a: b\nb: a\n",
    (1...60).reduce("a0 := 'x'\n") { $0 + "a\($1) := a\($1 - 1) + a\($1 - 1)\n" }
      + "a:\n  echo {{a60}}\n",
    "a := \(nested("if 'x' == 'x' { ", "'x'", " } else { 'y' }"))\nb:\n  echo {{a}}\n",
    "a := 'x'" + String(repeating: " + 'x'", count: 20_000) + "\nb:\n  echo {{a}}\n",
    (0..<150).reduce("") { $0 + "a\($1): a\($1 + 1)\n" } + "a150:\n  x\n",
  ]
  private static let taskfiles = [
    "vars: { A: '{{.B}}', B: '{{.A}}' }\ntasks:\n  a: 'echo {{.A}}'\n",
    "tasks:\n  a: 'echo {{\(nested("(", ".A", ")"))}}'\n",
    "tasks:\n  a: \"\(nested("{{if .A}}", "x", "{{end}}"))\"\n",
    "tasks:\n  a: 'echo {{.A" + String(repeating: " | upper", count: 20_000) + "}}'\n",
    "vars:\n  A0: x\n" + (1...60).reduce("") { $0 + "  A\($1): '{{.A\($1 - 1)}}{{.A\($1 - 1)}}'\n" }
      + "tasks:\n  a: 'echo {{.A60}}'\n",
    "vars:\n  A0: { sh: x }\n"
      + (1...60).reduce("") { $0 + "  A\($1): { sh: '{{.A\($1 - 1)}}{{.A\($1 - 1)}}' }\n" }
      + "tasks:\n  a: 'echo {{.A60}}'\n",
    "tasks:\n  a: { deps: [b] }\n  b: { deps: [a] }\n", "tasks:\n  a: [{ task: a }]\n",
    "includes: { x: . }\ntasks: { a: x }\n",
    "tasks:\n  a: [{ task: b }, { task: b }]\n"
      + (0..<40).map {
        "  b\($0 == 0 ? "" : "\($0)"): [{ task: b\($0 + 1) }, { task: b\($0 + 1) }]\n"
      }
      .joined() + "  b40: x\n",
  ]
  private static let others: [(ImportFormat, String)] = [
    (
      .github,
      "on: push\njobs:\n  a:\n    runs-on: x\n    steps:\n      - run: x\n        if: \(nested("(", "true", ")"))\n"
    ),
    (
      .github,
      "on: push\njobs:\n  a:\n    runs-on: x\n    steps:\n      - run: echo ${{ \(nested("!", "true", "")) }}\n"
    ),
    (
      .github,
      "on: push\nenv: { A: '${{ env.B }}', B: '${{ env.A }}' }\njobs:\n  a:\n    runs-on: x\n    env: { A: '${{ env.A }}' }\n    steps:\n      - run: echo ${{ env.A }}\n"
    ),
    (.github, "on: push\njobs:\n  a: { uses: ./w.yaml }\n"),
    (
      .github,
      "on: push\njobs:\n  a: { needs: b, steps: [{ run: x }] }\n  b: { needs: a, steps: [{ run: x }] }\n"
    ),
    (.dagu, "params: A=${B} B=${A}\nsteps:\n  - command: echo ${A}\n"),
    (.dagu, "steps:\n  - name: a\n    command: x\n    depends: a\n"),
    (.dagu, "steps: \(nested("[", "x", "]"))\n"),
    (.package, "scripts: { a: npm run b, b: npm run a, prea: npm run a }\n"),
    (.processCompose, "processes: { a: { command: x, depends_on: { a: {} } } }\n"),
    (.processCompose, "environment: [A=$B, B=$A]\nprocesses: { a: { command: 'x ${A}' } }\n"),
  ]

  private static let all =
    makefiles.map { (ImportFormat.make, $0) } + justfiles.map { (.just, $0) }
    + taskfiles.map { (.taskfile, $0) } + others

  @Test(arguments: all.indices)
  func `a file without an end is imported or refused`(_ number: Int) throws {
    let (format, text) = Self.all[number]
    do throws(ImportError) {
      let result = try ImportedWorkflow(Array(text.utf8), from: format, path: "w.yaml")
      #expect(result.text.utf8.count < 64 << 20)
    } catch {
      #expect(!error.description.isEmpty)
    }
  }
}
