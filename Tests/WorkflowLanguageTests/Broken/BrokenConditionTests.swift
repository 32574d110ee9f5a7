import Testing
import WorkflowLanguage

/// Files whose mistakes are in the kinds of values, and in conditions.
struct BrokenConditionTests {
  typealias Mistake = MistakeTests.Mistake

  static let mistakes = [
    // Kinds.
    Mistake(
      "params: {s: text, n: 1, b: true}\nsteps:\n- id: a\n  run: x\n  env: {A: \"${{ params.s == 3 }}\"}\n",
      ["5:17"],
      "make a number of the text with fromJSON"),
    Mistake(
      "params: {s: text, n: 1, b: true}\nsteps:\n- id: a\n  run: x\n  env: {A: \"${{ params.s == true }}\"}\n",
      ["5:17"],
      "compare with 'true'"),
    Mistake(
      "params: {s: text, n: 1, b: true}\nsteps:\n- id: a\n  run: x\n  env: {A: \"${{ params.n == true }}\"}\n",
      ["5:17"],
      "a number and true or false are never equal"),
    Mistake(
      "params: {s: text, n: 1, b: true}\nsteps:\n- id: a\n  run: x\n  env: {A: \"${{ params.s < 3 }}\"}\n",
      ["5:17"],
      "fromJSON"),
    Mistake(
      "params: {s: text, n: 1, b: true}\nsteps:\n- id: a\n  run: x\n  env: {A: \"${{ '1' < '2' }}\"}\n",
      ["5:17"],
      "compares two numbers"),
    Mistake(
      "params: {s: text, n: 1, b: true}\nsteps:\n- id: a\n  run: x\n  env: {A: \"${{ params.b >= 1 }}\"}\n",
      ["5:17"],
      "compares two numbers"),
    Mistake(
      "params: {s: text, n: 1, b: true}\nsteps:\n- id: a\n  run: x\n  env: {A: \"${{ params.s.name }}\"}\n",
      ["5:17"],
      "read JSON with fromJSON"),
    Mistake(
      "params: {s: text, n: 1, b: true}\nsteps:\n- id: a\n  run: x\n  env: {A: \"${{ (params.s)[0] }}\"}\n",
      ["5:17"],
      "a text has no elements"),
    Mistake(
      "params: {s: text, n: 1, b: true}\nsteps:\n- id: a\n  run: x\n  env: {A: \"${{ params.n.* }}\"}\n",
      ["5:17"],
      "a number has no elements"),
    Mistake(
      "params: {s: text, n: 1, b: true}\nenv:\n  A: ${{ params }}\nsteps: [{id: a, run: x}]\n",
      ["3:6"],
      "make one with toJSON"),
    Mistake(
      "params: {s: text, n: 1, b: true}\nsteps:\n- id: a\n  run: x\n  env: {A: \"${{ contains(params, 's') }}\"}\n",
      ["5:26"],
      "contains(list or text, what)"),
    Mistake(
      "params: {s: text, n: 1, b: true}\nsteps:\n- id: a\n  run: x\n  env: {A: \"${{ join(params, ',') }}\"}\n",
      ["5:22"],
      "join(list, ', ')"),
    Mistake(
      "steps:\n- id: a\n  run: x\n  env: {A: \"${{ contains('a') }}\"}\n", ["4:17"],
      "contains takes 2 arguments, not 1"),
    Mistake(
      "steps:\n- id: a\n  run: x\n  env: {A: \"${{ contains('a', 'b', 'c') }}\"}\n", ["4:17"],
      "contains takes 2 arguments, not 3"),
    Mistake(
      "steps:\n- id: a\n  run: x\n  env: {A: \"${{ startsWith() }}\"}\n", ["4:17"],
      "startsWith takes 2 arguments, not 0"),
    Mistake(
      "steps:\n- id: a\n  run: x\n  env: {A: \"${{ format() }}\"}\n", ["4:17"],
      "format takes 1 to 50 arguments, not 0"),
    Mistake(
      "steps:\n- id: a\n  run: x\n  env: {A: \"${{ join('a', 'b', 'c') }}\"}\n", ["4:17"],
      "join takes 1 to 2 arguments, not 3"),
    Mistake(
      "steps:\n- id: a\n  run: x\n  env: {A: \"${{ toJSON() }}\"}\n", ["4:17"],
      "toJSON takes 1 argument, not 0"),
    Mistake(
      "steps:\n- id: a\n  run: x\n  env: {A: \"${{ hashFiles() }}\"}\n", ["4:17"],
      "hashFiles takes 1 to 50 arguments, not 0"),
    Mistake(
      "params: {s: text, n: 1, b: true}\nenv: {A: \"v${{ params }}\"}\nsteps: [{id: a, run: x}]\n",
      ["2:16"],
      "make a text of it with toJSON"),
    Mistake(
      "steps: [{id: a, foreach: [1], run: x}, {id: b, run: x, env: {A: \"v${{ steps.a.outputs.o }}\"}}]\n",
      ["1:71"],
      "a list cannot be part of a text"),
    Mistake(
      "steps: [{id: a, foreach: [x], run: x, env: {A: \"${{ index.x }}\"}}]\n", ["1:53"],
      "has no \"x\""),
    Mistake(
      "steps: [{id: a, run: x, outputs: {b: \"${{ stdout.sha }}\"}}]\n", ["1:43"], "fromJSON("),
    Mistake(
      "steps: [{id: a, run: x}, {id: b, run: x, env: {A: \"${{ steps.a.outputs.x.y }}\"}}]\n",
      ["1:56"],
      "read JSON with fromJSON"),
    Mistake(
      "steps: [{id: a, run: x}, {id: b, run: x, env: {A: \"${{ steps.a.outputs.x.* }}\"}}]\n",
      ["1:56"],
      "a text has no elements"),
    Mistake(
      "steps:\n- id: a\n  run: x\n  env: {A: \"${{ 1 < 2 < 3 }}\"}\n", ["4:17"],
      "compares two numbers"),
    // Conditions.
    Mistake("steps:\n- id: a\n  run: x\n  if:\n", ["4:6"], "if is a text, not nothing"),
    Mistake(
      "params: {s: text, n: 1, b: true}\nsteps:\n- id: a\n  run: x\n  if: [params.b]\n", ["5:7"],
      "if is a text, not a list"),
    Mistake(
      "params: {s: text, n: 1, b: true}\nsteps:\n- id: a\n  run: x\n  if: params.s\n", ["5:7"],
      "compare it, as in: … == 'true'"),
    Mistake(
      "params: {s: text, n: 1, b: true}\nsteps:\n- id: a\n  run: x\n  if: params.n\n", ["5:7"],
      "compare it with something"),
    Mistake(
      "params: {s: text, n: 1, b: true}\nsteps:\n- id: a\n  run: x\n  if: 1\n", ["5:7"],
      "compare it with something"),
    Mistake(
      "params: {s: text, n: 1, b: true}\nsteps:\n- id: a\n  run: x\n  if: yes\n", ["5:7"],
      "true and false"),
    Mistake(
      "params: {s: text, n: 1, b: true}\nsteps:\n- id: a\n  run: x\n  if: always\n", ["5:7"],
      "call it: always()"),
    Mistake(
      "params: {s: text, n: 1, b: true}\nsteps:\n- id: a\n  run: x\n  if: always() && x\n",
      ["5:19"],
      "there is no \"x\""),
    Mistake(
      "params: {s: text, n: 1, b: true}\nsteps:\n- id: a\n  run: x\n  if: !params.b\n", ["5:7"],
      "quote the text"),
    Mistake(
      "params: {s: text, n: 1, b: true}\nsteps:\n- id: a\n  run: x\n  if: !failure()\n", ["5:7"],
      "quote the text"),
    Mistake(
      "params: {s: text, n: 1, b: true}\nsteps:\n- id: a\n  run: x\n  if: !params.s == 'a'\n",
      ["5:7"],
      "quote the text"),
    Mistake(
      "params: {s: text, n: 1, b: true}\nsteps:\n- id: a\n  run: x\n  if: !contains(params.s, 'a')\n",
      ["5:7"],
      "quote the text"),
    Mistake(
      "params: {s: text, n: 1, b: true}\nsteps:\n- id: a\n  run: x\n  if: ! params.b\n", ["5:7"],
      "quote the text"),
    Mistake(
      "params: {s: text, n: 1, b: true}\nsteps:\n- id: a\n  run: x\n  if: && params.b\n", ["5:7"],
      "quote the text"),
    Mistake(
      "params: {s: text, n: 1, b: true}\nsteps:\n- id: a\n  run: x\n  if: *params\n", ["5:7"],
      "quote the text"),
    Mistake(
      "params: {s: text, n: 1, b: true}\nsteps:\n- id: a\n  run: x\n  if: params.s == 'a: b'\n",
      ["5:21"],
      "quote the text"),
    Mistake(
      "params: {s: text, n: 1, b: true}\nsteps:\n- id: a\n  run: x\n  if: success('a')\n", ["5:7"],
      "success takes no argument, not 1"),
    Mistake(
      "params: {s: text, n: 1, b: true}\nsteps:\n- id: a\n  run: x\n  if: \"x == 1\"\n", ["5:8"],
      "there is no \"x\""),
    Mistake(
      "params: {s: text, n: 1, b: true}\nsteps:\n- id: a\n  run: x\n  if: \"params.b && x\"\n",
      ["5:20"],
      "there is no \"x\""),
    Mistake(
      "params: {s: text, n: 1, b: true}\nsteps:\n- id: a\n  run: x\n  if: 'x'\n", ["5:8"],
      "there is no \"x\""),
    Mistake(
      "params: {s: text, n: 1, b: true}\nsteps:\n- id: a\n  run: x\n  if: ${{ params.b }} && ${{ params.b }}\n",
      ["5:7"],
      "one ${{"),
    Mistake(
      "params: {s: text, n: 1, b: true}\nsteps:\n- id: a\n  run: x\n  if: ${{ params.s }} == 'a'\n",
      ["5:7"],
      "one ${{"),
    Mistake(
      "params: {s: text, n: 1, b: true}\nsteps:\n- id: a\n  run: x\n  if: \"${{ params.x }}\"\n",
      ["5:12"],
      "there is no parameter \"x\""),
    Mistake(
      "params: {s: text, n: 1, b: true}\nsteps:\n- id: a\n  run: x\n  if: ${{ params.b\n", ["5:7"],
      "close it with }}"),
    Mistake(
      "params: {s: text, n: 1, b: true}\nsteps:\n- id: a\n  run: x\n  if: |\n    params.b &&\n    x\n",
      ["7:5"],
      "there is no \"x\""),
    Mistake(
      "params: {s: text, n: 1, b: true}\nsteps:\n- id: a\n  run: x\n  if: >-\n    params.b &&\n    x\n",
      ["7:5"],
      "there is no \"x\""),
    Mistake(
      "params: {s: text, n: 1, b: true}\nsteps:\n- id: a\n  run: x\n  if: params.b &&\n    x\n",
      ["6:5"],
      "there is no \"x\""),
    Mistake(
      "params: {s: text, n: 1, b: true}\nsteps:\n- id: a\n  run: x\n  if: \"params.s == '\\t' && x\"\n",
      ["5:28"],
      "there is no \"x\""),
    Mistake(
      "params: {s: text, n: 1, b: true}\nsteps:\n- id: a\n  run: x\n  if: 'params.s == ''a'' && x'\n",
      ["5:29"],
      "there is no \"x\""),
    Mistake(
      "steps: [{id: b, run: x}, {id: a, run: x, if: steps.b.outputs.ok}]\n", ["1:46"],
      "compare it, as in: … == 'true'"),
    Mistake(
      "steps: [{id: b, run: x}, {id: a, run: x, if: steps.b.outputs.ok == true}]\n", ["1:46"],
      "compare with 'true'"),
    Mistake(
      "params: {s: text, n: 1, b: true}\nsteps:\n- id: a\n  run: x\n  if: stdout == 'a'\n", ["5:7"],
      "\"stdout\" cannot be used in if"),
  ]

  @Test(arguments: mistakes) func `a mistake in a kind of value is told where it is`(
    _ mistake: Mistake
  ) {
    mistake.expectTold()
  }

  @Test(arguments: [
    "${{ params.b }}", "\"${{ params.b }} \"", "|\n    ${{ params.b }}", ">\n    ${{ params.b }}",
    "|\n    params.b", "\"!params.b\"",
  ])
  func `a condition may be written in every way that YAML has for a text`(_ condition: String) {
    let text = "params: {b: true}\nsteps:\n- id: a\n  run: x\n  if: \(condition)\n"
    #expect(throws: Never.self) { try Workflow(text: text, file: "w.yaml") }
  }
}
