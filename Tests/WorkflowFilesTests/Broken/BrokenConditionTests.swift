import Testing
import WorkflowFiles

/// Files with type errors, and with errors in conditions.
struct BrokenConditionTests {
  typealias BrokenFile = DiagnosticTests.BrokenFile

  static let brokenFiles = [
    // Types.
    BrokenFile(
      "params: {s: text, n: 1, b: true}\nsteps:\n- id: a\n  run: x\n  env: {A: \"${{ params.s == 3 }}\"}\n",
      ["5:17 R0509"],
      hint: "convert the text to a number with fromJSON"),
    BrokenFile(
      "params: {s: text, n: 1, b: true}\nsteps:\n- id: a\n  run: x\n  env: {A: \"${{ params.s == true }}\"}\n",
      ["5:17 R0509"],
      hint: "compare with 'true'"),
    BrokenFile(
      "params: {s: text, n: 1, b: true}\nsteps:\n- id: a\n  run: x\n  env: {A: \"${{ params.n == true }}\"}\n",
      ["5:17 R0509"]),
    BrokenFile(
      "params: {s: text, n: 1, b: true}\nsteps:\n- id: a\n  run: x\n  env: {A: \"${{ params.s < 3 }}\"}\n",
      ["5:17 R0509"],
      hint: "fromJSON"),
    BrokenFile(
      "params: {s: text, n: 1, b: true}\nsteps:\n- id: a\n  run: x\n  env: {A: \"${{ '1' < '2' }}\"}\n",
      ["5:17 R0509"]),
    BrokenFile(
      "params: {s: text, n: 1, b: true}\nsteps:\n- id: a\n  run: x\n  env: {A: \"${{ params.b >= 1 }}\"}\n",
      ["5:17 R0509"]),
    BrokenFile(
      "params: {s: text, n: 1, b: true}\nsteps:\n- id: a\n  run: x\n  env: {A: \"${{ params.s.name }}\"}\n",
      ["5:17 R0513"],
      hint: "read JSON with fromJSON"),
    BrokenFile(
      "params: {s: text, n: 1, b: true}\nsteps:\n- id: a\n  run: x\n  env: {A: \"${{ (params.s)[0] }}\"}\n",
      ["5:17 R0513"]),
    BrokenFile(
      "params: {s: text, n: 1, b: true}\nsteps:\n- id: a\n  run: x\n  env: {A: \"${{ params.n.* }}\"}\n",
      ["5:17 R0513"]),
    BrokenFile(
      "params: {s: text, n: 1, b: true}\nenv:\n  A: ${{ params }}\nsteps: [{id: a, run: x}]\n",
      ["3:6 R0515"],
      hint: "convert it to text with toJSON"),
    BrokenFile(
      "params: {s: text, n: 1, b: true}\nsteps:\n- id: a\n  run: x\n  env: {A: \"${{ contains(params, 's') }}\"}\n",
      ["5:26 R0508"],
      hint: "contains(list or text, what)"),
    BrokenFile(
      "params: {s: text, n: 1, b: true}\nsteps:\n- id: a\n  run: x\n  env: {A: \"${{ join(params, ',') }}\"}\n",
      ["5:22 R0508"],
      hint: "join(list, ', ')"),
    BrokenFile(
      "steps:\n- id: a\n  run: x\n  env: {A: \"${{ contains('a') }}\"}\n", ["4:17 R0507"]),
    BrokenFile(
      "steps:\n- id: a\n  run: x\n  env: {A: \"${{ contains('a', 'b', 'c') }}\"}\n", ["4:17 R0507"]),
    BrokenFile(
      "steps:\n- id: a\n  run: x\n  env: {A: \"${{ startsWith() }}\"}\n", ["4:17 R0507"]),
    BrokenFile(
      "steps:\n- id: a\n  run: x\n  env: {A: \"${{ format() }}\"}\n", ["4:17 R0507"]),
    BrokenFile(
      "steps:\n- id: a\n  run: x\n  env: {A: \"${{ join('a', 'b', 'c') }}\"}\n", ["4:17 R0507"]),
    BrokenFile(
      "steps:\n- id: a\n  run: x\n  env: {A: \"${{ toJSON() }}\"}\n", ["4:17 R0507"]),
    BrokenFile(
      "steps:\n- id: a\n  run: x\n  env: {A: \"${{ hashFiles() }}\"}\n", ["4:17 R0507"]),
    BrokenFile(
      "params: {s: text, n: 1, b: true}\nenv: {A: \"v${{ params }}\"}\nsteps: [{id: a, run: x}]\n",
      ["2:16 R0515"],
      hint: "convert it to text with toJSON"),
    BrokenFile(
      "steps: [{id: a, foreach: [1], run: x}, {id: b, run: x, env: {A: \"v${{ steps.a.outputs.o }}\"}}]\n",
      ["1:71 R0515"]),
    BrokenFile(
      "steps: [{id: a, foreach: [x], run: x, env: {A: \"${{ index.x }}\"}}]\n", ["1:53 R0513"]),
    BrokenFile(
      "steps: [{id: a, run: x, outputs: {b: \"${{ stdout.sha }}\"}}]\n", ["1:43 R0513"],
      hint: "fromJSON("),
    BrokenFile(
      "steps: [{id: a, run: x}, {id: b, run: x, env: {A: \"${{ steps.a.outputs.x.y }}\"}}]\n",
      ["1:56 R0513"],
      hint: "read JSON with fromJSON"),
    BrokenFile(
      "steps: [{id: a, run: x}, {id: b, run: x, env: {A: \"${{ steps.a.outputs.x.* }}\"}}]\n",
      ["1:56 R0513"]),
    BrokenFile(
      "steps:\n- id: a\n  run: x\n  env: {A: \"${{ 1 < 2 < 3 }}\"}\n", ["4:17 R0509"]),
    // Conditions.
    BrokenFile("steps:\n- id: a\n  run: x\n  if:\n", ["4:6 R0204"]),
    BrokenFile(
      "params: {dry: true}\nsteps: [{id: a, run: x, if: \"params.dry == 'true'\"}]\n",
      ["2:30 R0509"], hint: "remove the quotes: == true"),
    BrokenFile(
      "params: {n: 3}\nsteps: [{id: a, run: x, if: \"'3' != params.n\"}]\n",
      ["2:30 R0509"], hint: "remove the quotes: != 3"),
    BrokenFile(
      "steps: [{id: a, run: x, if: github.sha == 'x'}]\n", ["1:29 R0505"], hint: "git rev-parse"),
    BrokenFile(
      "steps: [{id: a, run: x}, {id: b, needs: {a}, run: x}]\n", ["1:43 R0204"],
      hint: "write needs: [a, b]"),
    BrokenFile(
      "steps:\n- id: a\n  dir: {{ foo }}\n  run: x\n", ["3:8 R0204", "3:9 R0115"],
      hint: "write \"${{ foo }}\", in quotes"),
    BrokenFile(
      "steps:\n- id: a\n  run: echo \"note: hi\"\n", ["3:18 R0108"], hint: "a | here instead"),
    BrokenFile(
      "steps:\n  - id: a\n   run: echo hi\n", ["3:4 R0106"], hint: "begin it in column 5"),
    BrokenFile(
      "steps: [{id: a, run: x}]\nfinally: [{id: b, run: x, if: steps.a.result == 'succeeded'}]\n",
      ["2:49 R0526"], hint: "did you mean 'success'?"),
    BrokenFile(
      "steps: [{id: a, run: x}]\nfinally: [{id: b, run: x, if: \"'failed' != run.result\"}]\n",
      ["2:32 R0526"], hint: "did you mean 'failure'?"),
    BrokenFile(
      "params: {s: text, n: 1, b: true}\nsteps:\n- id: a\n  run: x\n  if: [params.b]\n",
      ["5:7 R0204"]),
    BrokenFile(
      "params: {s: text, n: 1, b: true}\nsteps:\n- id: a\n  run: x\n  if: params.s\n",
      ["5:7 R0516"],
      hint: "compare it, as in: … == 'true'"),
    BrokenFile(
      "params: {s: text, n: 1, b: true}\nsteps:\n- id: a\n  run: x\n  if: params.n\n",
      ["5:7 R0516"],
      hint: "compare it with a value"),
    BrokenFile(
      "params: {s: text, n: 1, b: true}\nsteps:\n- id: a\n  run: x\n  if: 1\n", ["5:7 R0516"],
      hint: "compare it with a value"),
    BrokenFile(
      "params: {s: text, n: 1, b: true}\nsteps:\n- id: a\n  run: x\n  if: yes\n", ["5:7 R0505"],
      hint: "true or false"),
    BrokenFile(
      "params: {s: text, n: 1, b: true}\nsteps:\n- id: a\n  run: x\n  if: always\n", ["5:7 R0505"],
      hint: "call it: always()"),
    BrokenFile(
      "params: {s: text, n: 1, b: true}\nsteps:\n- id: a\n  run: x\n  if: always() && x\n",
      ["5:19 R0505"]),
    BrokenFile(
      "params: {s: text, n: 1, b: true}\nsteps:\n- id: a\n  run: x\n  if: !params.b\n",
      ["5:7 R0113"],
      hint: "quote the text"),
    BrokenFile(
      "params: {s: text, n: 1, b: true}\nsteps:\n- id: a\n  run: x\n  if: !failure()\n",
      ["5:7 R0113"],
      hint: "quote the text"),
    BrokenFile(
      "params: {s: text, n: 1, b: true}\nsteps:\n- id: a\n  run: x\n  if: !params.s == 'a'\n",
      ["5:7 R0113"],
      hint: "quote the text"),
    BrokenFile(
      "params: {s: text, n: 1, b: true}\nsteps:\n- id: a\n  run: x\n  if: !contains(params.s, 'a')\n",
      ["5:7 R0113"],
      hint: "quote the text"),
    BrokenFile(
      "params: {s: text, n: 1, b: true}\nsteps:\n- id: a\n  run: x\n  if: ! params.b\n",
      ["5:7 R0113"],
      hint: "quote the text"),
    BrokenFile(
      "params: {s: text, n: 1, b: true}\nsteps:\n- id: a\n  run: x\n  if: && params.b\n",
      ["5:7 R0114"],
      hint: "quote the text"),
    BrokenFile(
      "params: {s: text, n: 1, b: true}\nsteps:\n- id: a\n  run: x\n  if: *params\n", ["5:7 R0114"],
      hint: "quote the text"),
    BrokenFile(
      "params: {s: text, n: 1, b: true}\nsteps:\n- id: a\n  run: x\n  if: params.s == 'a: b'\n",
      ["5:21 R0108"],
      hint: "a | here instead"),
    BrokenFile(
      "params: {s: text, n: 1, b: true}\nsteps:\n- id: a\n  run: x\n  if: success('a')\n",
      ["5:7 R0507"]),
    BrokenFile(
      "params: {s: text, n: 1, b: true}\nsteps:\n- id: a\n  run: x\n  if: \"x == 1\"\n",
      ["5:8 R0505"]),
    BrokenFile(
      "params: {s: text, n: 1, b: true}\nsteps:\n- id: a\n  run: x\n  if: \"params.b && x\"\n",
      ["5:20 R0505"]),
    BrokenFile(
      "params: {s: text, n: 1, b: true}\nsteps:\n- id: a\n  run: x\n  if: 'x'\n", ["5:8 R0505"]),
    BrokenFile(
      "params: {s: text, n: 1, b: true}\nsteps:\n- id: a\n  run: x\n  if: ${{ params.b }} && ${{ params.b }}\n",
      ["5:7 R0516"],
      hint: "one ${{"),
    BrokenFile(
      "params: {s: text, n: 1, b: true}\nsteps:\n- id: a\n  run: x\n  if: ${{ params.s }} == 'a'\n",
      ["5:7 R0516"],
      hint: "one ${{"),
    BrokenFile(
      "params: {s: text, n: 1, b: true}\nsteps:\n- id: a\n  run: x\n  if: \"${{ params.x }}\"\n",
      ["5:12 R0511"]),
    BrokenFile(
      "params: {s: text, n: 1, b: true}\nsteps:\n- id: a\n  run: x\n  if: ${{ params.b\n",
      ["5:7 R0502"],
      hint: "close it with }}"),
    BrokenFile(
      "params: {s: text, n: 1, b: true}\nsteps:\n- id: a\n  run: x\n  if: |\n    params.b &&\n    x\n",
      ["7:5 R0505"]),
    BrokenFile(
      "params: {s: text, n: 1, b: true}\nsteps:\n- id: a\n  run: x\n  if: >-\n    params.b &&\n    x\n",
      ["7:5 R0505"]),
    BrokenFile(
      "params: {s: text, n: 1, b: true}\nsteps:\n- id: a\n  run: x\n  if: params.b &&\n    x\n",
      ["6:5 R0505"]),
    BrokenFile(
      "params: {s: text, n: 1, b: true}\nsteps:\n- id: a\n  run: x\n  if: \"params.s == '\\t' && x\"\n",
      ["5:28 R0505"]),
    BrokenFile(
      "params: {s: text, n: 1, b: true}\nsteps:\n- id: a\n  run: x\n  if: 'params.s == ''a'' && x'\n",
      ["5:29 R0505"]),
    BrokenFile(
      "steps: [{id: b, run: x}, {id: a, run: x, if: steps.b.outputs.ok}]\n", ["1:46 R0516"],
      hint: "compare it, as in: … == 'true'"),
    BrokenFile(
      "steps: [{id: b, run: x}, {id: a, run: x, if: steps.b.outputs.ok == true}]\n", ["1:46 R0509"],
      hint: "compare with 'true'"),
    BrokenFile(
      "params: {s: text, n: 1, b: true}\nsteps:\n- id: a\n  run: x\n  if: stdout == 'a'\n",
      ["5:7 R0510"]),
  ]

  @Test(arguments: brokenFiles) func `a type error is reported at its position`(
    _ file: BrokenFile
  ) {
    file.expectReported()
  }

  @Test(arguments: [
    "${{ params.b }}", "\"${{ params.b }} \"", "|\n    ${{ params.b }}", ">\n    ${{ params.b }}",
    "|\n    params.b", "\"!params.b\"",
  ])
  func `a condition may be written in any YAML style`(_ condition: String) {
    let text = "params: {b: true}\nsteps:\n- id: a\n  run: x\n  if: \(condition)\n"
    #expect(throws: Never.self) { try Workflow(text: text, file: "w.yaml") }
  }
}
