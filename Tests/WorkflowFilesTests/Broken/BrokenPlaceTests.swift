import Testing
import WorkflowFiles

/// Files with errors whose positions are hard to compute: in blocks, folds, escapes and aliases.
struct BrokenPlaceTests {
  typealias BrokenFile = DiagnosticTests.BrokenFile

  static let brokenFiles = [
    // Scripts.
    BrokenFile(
      "steps:\n- id: a\n  run: echo ${{ params.a }} ${{ params.b }}\n", ["3:13 R0304"],
      hint: "write: echo \"$A\" \"$B\""),
    BrokenFile(
      "steps:\n- id: a\n  run: \"echo ${{ params.a }}\"\n", ["3:14 R0304"],
      hint: "A: \"${{ params.a }}\""),
    BrokenFile(
      "steps:\n- id: a\n  run: 'echo ${{ params.a }}'\n", ["3:14 R0304"], hint: "write: echo \"$A\""
    ),
    BrokenFile(
      "steps:\n- id: a\n  run: |\n    echo 1\n    echo ${{ params.a }}\n", ["5:10 R0304"],
      hint: "write: echo \"$A\""),
    BrokenFile(
      "steps:\n- id: a\n  run: |\n    echo 1\n    # ${{ params.a }}\n    echo 2\n", ["5:7 R0304"]),
    BrokenFile(
      "steps:\n- id: a\n  run: >\n    echo 1\n    ${{ params.a }}\n", ["5:5 R0304"]),
    BrokenFile(
      "steps:\n- id: a\n  run: |2\n    echo ${{ params.a }}\n", ["4:10 R0304"]),
    BrokenFile(
      "steps:\n- id: a\n  run: |-\n\n    echo $HOME ${{ params.a }}\n", ["5:16 R0304"],
      hint: "write: echo $HOME \"$A\""),
    BrokenFile(
      "steps:\n- id: a\n  run: \"echo \\\"\\u00e9\\\" ${{ params.a }}\"\n", ["3:25 R0304"]),
    BrokenFile(
      "steps:\n- id: a\n  run: echo é漢🙂 ${{ params.a }}\n", ["3:17 R0304"]),
    BrokenFile("steps:\n- id: a\n  run: echo ${{ params.a\n", ["3:13 R0304"]),
    BrokenFile(
      "steps:\n- id: a\n  run: echo '${{ params.a }}'\n", ["3:14 R0304"], hint: "write: echo \"$A\""
    ),
    BrokenFile("steps:\n- id: a\n  run: ${{ params.a }}\n", ["3:8 R0304"], hint: "write: \"$A\""),
    BrokenFile(
      "steps: [{id: a, run: \"echo ${{ params.a }}\"}]\n", ["1:28 R0304"]),
    BrokenFile(
      "steps:\n- id: a\n  run: echo ${{ params.a }}\n- id: b\n  run: echo ${{ params.b }}\n",
      ["3:13 R0304", "5:13 R0304"]),
    // Positions.
    BrokenFile(
      "# é漢🙂\ndescription: é漢🙂\nenv: {A: \"${{ x }}\"}\nsteps: [{id: a, run: x}]\n", ["3:15 R0505"]),
    BrokenFile(
      "env: {A: \"é漢🙂 ${{ x }}\"}\nsteps: [{id: a, run: x}]\n", ["1:19 R0505"]),
    BrokenFile(
      "env: {A: \"e\u{301} \u{1F468}\u{200D}\u{1F469}\u{200D}\u{1F467} ${{ x }}\"}\nsteps: [{id: a, run: x}]\n",
      ["1:24 R0505"]),
    BrokenFile(
      "env: {A: \"${{ 'é漢🙂' == x }}\"}\nsteps: [{id: a, run: x}]\n", ["1:24 R0505"]),
    BrokenFile(
      "env: {A: \"\\u00e9\\t ${{ x }}\"}\nsteps: [{id: a, run: x}]\n", ["1:24 R0505"]),
    BrokenFile(
      "env: {A: \"${{ 'a' }} ${{ x }}\"}\nsteps: [{id: a, run: x}]\n", ["1:26 R0505"]),
    BrokenFile(
      "env: {A: \"\\t${{ 'a' }} ${{ x }}\"}\nsteps: [{id: a, run: x}]\n", ["1:28 R0505"]),
    BrokenFile(
      "env: {A: '${{ ''a'' == x }}'}\nsteps: [{id: a, run: x}]\n", ["1:24 R0505"]),
    BrokenFile("env: {A: '''${{ x }}'}\nsteps: [{id: a, run: x}]\n", ["1:17 R0505"]),
    BrokenFile(
      "env:\n  A: |\n    one\n    two ${{ x }}\nsteps: [{id: a, run: x}]\n", ["4:13 R0505"]),
    BrokenFile(
      "env:\n  A: >\n    one\n    two ${{ x }}\nsteps: [{id: a, run: x}]\n", ["4:13 R0505"]),
    BrokenFile(
      "env:\n  A: one\n    two ${{ x }}\nsteps: [{id: a, run: x}]\n", ["3:13 R0505"]),
    BrokenFile(
      "env:\n  A: \"one\n    two ${{ x }}\"\nsteps: [{id: a, run: x}]\n", ["3:13 R0505"]),
    BrokenFile(
      "env:\n  A: |\n    ${{ 'a' ==\n    x }}\nsteps: [{id: a, run: x}]\n", ["4:5 R0505"]),
    BrokenFile(
      "env:\n  A: >\n    ${{ 'a' ==\n    x }}\nsteps: [{id: a, run: x}]\n", ["4:5 R0505"]),
    BrokenFile(
      "description: &t \"a b\"\ntimeout: *t\nsteps: [{id: a, run: x}]\n", ["2:10 R0208"]),
    BrokenFile(
      "env:\r\n  A: 1\r\n  B: ${{ x }}\r\nsteps: [{id: a, run: x}]\n", ["3:10 R0505"]),
    BrokenFile("env:\r  B: ${{ x }}\rsteps: [{id: a, run: x}]\n", ["2:10 R0505"]),
    BrokenFile(
      "\u{FEFF}env: {A: \"${{ x }}\"}\nsteps: [{id: a, run: x}]\n", ["1:15 R0505"]),
    BrokenFile(
      "\u{FEFF}nam: x\nsteps: [{id: a, run: x}]\n", ["1:1 R0201"], hint: "did you mean \"name\"?"),
    BrokenFile(
      "env:\n  A: \"${{ x }}\"\n  B: \"${{ y }}\"\n  C: \"${{ z }}\"\nsteps: [{id: a, run: x}]\n",
      ["2:11 R0505", "3:11 R0505", "4:11 R0505"]),
  ]

  @Test(arguments: brokenFiles)
  func `an error is reported at its position, however its text is written`(
    _ file: BrokenFile
  ) {
    file.expectReported()
  }

  @Test func `the hint for an expression in a script does not suggest a system variable`() {
    for name in ["path", "home", "user", "shell"] {
      do {
        _ = try Workflow(
          text: "steps: [{id: a, run: \"x ${{ params.\(name) }}\"}]\n", file: "w.yaml")
        Issue.record("was accepted")
      } catch {
        #expect(!error.description.contains("{ \(name.uppercased()):"), "\(error)")
      }
    }
  }
}
