import Testing
import WorkflowLanguage

/// Files whose mistakes are in the words of an expression.
struct BrokenExpressionTests {
  typealias Mistake = MistakeTests.Mistake

  static let mistakes = [
    // Syntax.
    Mistake("env: {A: \"${{}}\"}\nsteps: [{id: a, run: x}]\n", ["1:14"], "the expression is empty"),
    Mistake("env: {A: \"${{ params.x\"}\nsteps: [{id: a, run: x}]\n", ["1:11"], "close it with }}"),
    Mistake(
      "env: {A: \"${{ params.x }\"}\nsteps: [{id: a, run: x}]\n", ["1:11"], "close it with }}"),
    Mistake(
      "env: {A: \"a ${{ 'b' }} ${{ 'c'\"}\nsteps: [{id: a, run: x}]\n", ["1:24"],
      "close it with }}"),
    Mistake(
      "params: {s: text, n: 1, b: true}\nsteps:\n- id: a\n  run: x\n  env: {A: \"${{ params.s == 'a }}\"}\n",
      ["5:29"],
      "single quote"),
    Mistake(
      "params: {s: text, n: 1, b: true}\nenv: {A: \"${{ (params.s }}\"}\nsteps: [{id: a, run: x}]\n",
      ["2:25"],
      "a ) is expected here"),
    Mistake(
      "params: {s: text, n: 1, b: true}\nenv: {A: \"${{ params.s) }}\"}\nsteps: [{id: a, run: x}]\n",
      ["2:23"],
      "remove it, or open it before"),
    Mistake(
      "params: {s: text, n: 1, b: true}\nenv: {A: \"${{ params.s == }}\"}\nsteps: [{id: a, run: x}]\n",
      ["2:27"],
      "a value is expected at the end"),
    Mistake(
      "params: {s: text, n: 1, b: true}\nenv: {A: \"${{ == params.s }}\"}\nsteps: [{id: a, run: x}]\n",
      ["2:15"],
      "a value is expected before \"==\""),
    Mistake(
      "params: {s: text, n: 1, b: true}\nenv: {A: \"${{ params. }}\"}\nsteps: [{id: a, run: x}]\n",
      ["2:23"],
      "a name or * is expected behind the point"),
    Mistake(
      "params: {s: text, n: 1, b: true}\nenv: {A: \"${{ params..s }}\"}\nsteps: [{id: a, run: x}]\n",
      ["2:22"],
      "a name or * is expected behind the point"),
    Mistake(
      "params: {s: text, n: 1, b: true}\nenv: {A: \"${{ params[] }}\"}\nsteps: [{id: a, run: x}]\n",
      ["2:22"],
      "a value is expected"),
    Mistake(
      "params: {s: text, n: 1, b: true}\nenv: {A: \"${{ params['s' }}\"}\nsteps: [{id: a, run: x}]\n",
      ["2:26"],
      "a ] is expected here"),
    Mistake(
      "params: {s: text, n: 1, b: true}\nenv: {A: \"${{ contains(params.s, ) }}\"}\nsteps: [{id: a, run: x}]\n",
      ["2:34"],
      "a value is expected"),
    Mistake(
      "params: {s: text, n: 1, b: true}\nenv: {A: \"${{ contains(params.s 'a') }}\"}\nsteps: [{id: a, run: x}]\n",
      ["2:33"],
      "a comma or ) is expected here"),
    Mistake(
      "params: {s: text, n: 1, b: true}\nenv: {A: \"${{ params.s params.n }}\"}\nsteps: [{id: a, run: x}]\n",
      ["2:24"],
      "an operator is expected before this"),
    Mistake(
      "params: {s: text, n: 1, b: true}\nsteps:\n- id: a\n  run: x\n  env: {A: \"${{ params.b and params.b }}\"}\n",
      ["5:26"],
      "write &&"),
    Mistake(
      "params: {s: text, n: 1, b: true}\nsteps:\n- id: a\n  run: x\n  env: {A: \"${{ params.b or params.b }}\"}\n",
      ["5:26"],
      "write ||"),
    Mistake(
      "params: {s: text, n: 1, b: true}\nsteps:\n- id: a\n  run: x\n  env: {A: \"${{ params.b is true }}\"}\n",
      ["5:26"],
      "write =="),
    Mistake(
      "params: {s: text, n: 1, b: true}\nsteps:\n- id: a\n  run: x\n  env: {A: \"${{ not params.b }}\"}\n",
      ["5:17"],
      "write !"),
    Mistake(
      "params: {s: text, n: 1, b: true}\nsteps:\n- id: a\n  run: x\n  env: {A: \"${{ params.s = 'a' }}\"}\n",
      ["5:26"],
      "compare with =="),
    Mistake(
      "params: {s: text, n: 1, b: true}\nsteps:\n- id: a\n  run: x\n  env: {A: \"${{ params.b & params.b }}\"}\n",
      ["5:26"],
      "write &&"),
    Mistake(
      "params: {s: text, n: 1, b: true}\nsteps:\n- id: a\n  run: x\n  env: {A: \"${{ params.b | params.b }}\"}\n",
      ["5:26"],
      "write ||"),
    Mistake(
      "params: {s: text, n: 1, b: true}\nsteps:\n- id: a\n  run: x\n  env: {A: \"${{ params.s + 'a' }}\"}\n",
      ["5:26"],
      "join texts with format"),
    Mistake(
      "params: {s: text, n: 1, b: true}\nsteps:\n- id: a\n  run: x\n  env: {A: \"${{ params.n - 1 }}\"}\n",
      ["5:26"],
      "means nothing here"),
    Mistake(
      "params: {s: text, n: 1, b: true}\nsteps:\n- id: a\n  run: x\n  env: {A: \"${{ params.b ? 'a' : 'b' }}\"}\n",
      ["5:26"],
      "condition && 'then' || 'else'"),
    Mistake(
      "params: {s: text, n: 1, b: true}\nsteps:\n- id: a\n  run: x\n  env: {A: \"${{ $params.s }}\"}\n",
      ["5:17"],
      "write the name alone"),
    Mistake(
      "params: {s: text, n: 1, b: true}\nsteps:\n- id: a\n  run: x\n  env: {A: \"${{ {params.s} }}\"}\n",
      ["5:17"],
      "write the name alone"),
    Mistake(
      "params: {s: text, n: 1, b: true}\nsteps:\n- id: a\n  run: x\n  env: {A: \"${{ params.s == \\\"a\\\" }}\"}\n",
      ["5:29"],
      "texts stand in single quotes"),
    Mistake(
      "params: {s: text, n: 1, b: true}\nsteps:\n- id: a\n  run: x\n  env: {A: \"${{ params.s =~ 'a' }}\"}\n",
      ["5:26"],
      "compare with =="),
    Mistake(
      "params: {s: text, n: 1, b: true}\nsteps:\n- id: a\n  run: x\n  env: {A: \"${{ params.s === 'a' }}\"}\n",
      ["5:28"],
      "means nothing here"),
    Mistake(
      "params: {s: text, n: 1, b: true}\nsteps:\n- id: a\n  run: x\n  env: {A: \"${{ params.s ; params.n }}\"}\n",
      ["5:26"],
      "means nothing here"),
    Mistake("steps:\n- id: a\n  run: x\n  env: {A: \"${{ 1.2.3 }}\"}\n", ["4:17"], "is no number"),
    Mistake("steps:\n- id: a\n  run: x\n  env: {A: \"${{ 0xZZ }}\"}\n", ["4:17"], "is no number"),
    Mistake("steps:\n- id: a\n  run: x\n  env: {A: \"${{ 1_000 }}\"}\n", ["4:17"], "is no number"),
    Mistake("steps:\n- id: a\n  run: x\n  env: {A: \"${{ 12px }}\"}\n", ["4:17"], "is no number"),
    Mistake(
      "steps:\n- id: a\n  run: x\n  env: {A: \"${{ text }}\"}\n", ["4:17"],
      "texts stand in single quotes"),
    Mistake(
      "steps:\n- id: a\n  run: x\n  env: {A: \"${{ production }}\"}\n", ["4:17"],
      "texts stand in single quotes"),
    Mistake(
      "steps:\n- id: a\n  run: x\n  env: {A: \"${{ größe }}\"}\n", ["4:19"], "means nothing here"),
    Mistake(
      "env: {A: \"${{ ((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((1)))))))))))))))))))))))))))))))))))))))))))))))))))))))))))) }}\"}\nsteps: [{id: a, run: x}]\n",
      ["1:65"],
      "nested deeper than 50"),
    // Names.
    Mistake(
      "params: {s: text, n: 1, b: true}\nsteps:\n- id: a\n  run: x\n  env: {A: \"${{ prams.s }}\"}\n",
      ["5:17"],
      "did you mean \"params\"?"),
    Mistake(
      "params: {s: text, n: 1, b: true}\nsteps:\n- id: a\n  run: x\n  env: {A: \"${{ params.z }}\"}\n",
      ["5:17"],
      "there are: b, n, s"),
    Mistake(
      "params: {s: text, n: 1, b: true}\nsteps:\n- id: a\n  run: x\n  env: {A: \"${{ inputs.s }}\"}\n",
      ["5:17"],
      "did you mean \"params\"?"),
    Mistake(
      "params: {s: text, n: 1, b: true}\nsteps:\n- id: a\n  run: x\n  env: {A: \"${{ github.sha }}\"}\n",
      ["5:17"],
      "did you mean \"run\"?"),
    Mistake(
      "params: {s: text, n: 1, b: true}\nsteps:\n- id: a\n  run: x\n  env: {A: \"${{ needs.a.outputs.x }}\"}\n",
      ["5:17"],
      "did you mean \"steps\"?"),
    Mistake(
      "steps:\n- id: a\n  run: x\n  env: {A: \"${{ secret.x }}\"}\n", ["4:17"],
      "did you mean \"secrets\"?"),
    Mistake(
      "steps:\n- id: a\n  run: x\n  env: {A: \"${{ secrets.token }}\"}\n", ["4:17"],
      "there is no secret \"token\""),
    Mistake(
      "secrets: {token: {env: T}}\nsteps:\n- id: a\n  run: x\n  env: {A: \"${{ secrets.tokn }}\"}\n",
      ["5:17"],
      "did you mean \"token\"?"),
    Mistake(
      "secrets: {token: {env: T}}\nsteps:\n- id: a\n  run: x\n  env: {A: \"${{ secrets }}\"}\n",
      ["5:17"],
      "secrets is no value by itself"),
    Mistake(
      "params: {s: text, n: 1, b: true}\nsecrets: {token: {env: T}}\nsteps:\n- id: a\n  run: x\n  env: {A: \"${{ secrets[params.s] }}\"}\n",
      ["6:25"],
      "write it like: secrets.name"),
    Mistake(
      "secrets: {token: {env: T}}\nsteps:\n- id: a\n  run: x\n  env: {A: \"${{ toJSON(secrets) }}\"}\n",
      ["5:24"],
      "secrets is no value by itself"),
    Mistake(
      "steps:\n- id: a\n  run: x\n  env: {A: \"${{ steps }}\"}\n", ["4:17"],
      "steps is no value by itself"),
    Mistake(
      "params: {s: text, n: 1, b: true}\nsteps:\n- id: a\n  run: x\n  env: {A: \"${{ steps[params.s] }}\"}\n",
      ["5:23"],
      "write it like: steps.name"),
    Mistake(
      "steps:\n- id: a\n  run: x\n  env: {A: \"${{ steps.b.outputs.x }}\"}\n", ["4:17"],
      "there is no step \"b\""),
    Mistake(
      "steps:\n- id: a\n  run: x\n  env: {A: \"${{ matrix.os }}\"}\n", ["4:17"],
      "a step with \"matrix\""),
    Mistake(
      "steps:\n- id: a\n  run: x\n  env: {A: \"${{ item }}\"}\n", ["4:17"],
      "a step with \"foreach\""),
    Mistake(
      "steps:\n- id: a\n  run: x\n  env: {A: \"${{ index }}\"}\n", ["4:17"],
      "a step with \"foreach\""),
    Mistake(
      "steps:\n- id: a\n  run: x\n  env: {A: \"${{ stdout }}\"}\n", ["4:17"],
      "\"outputs\" of a step"),
    Mistake(
      "steps:\n- id: a\n  run: x\n  env: {A: \"${{ outputs.x }}\"}\n", ["4:17"],
      "\"outputs\" of a step"),
    Mistake(
      "steps:\n- id: a\n  run: x\n  env: {A: \"${{ run.number }}\"}\n", ["4:17"],
      "there are: generation, id"),
    Mistake(
      "steps:\n- id: a\n  run: x\n  env: {A: \"${{ workflow.file }}\"}\n", ["4:17"],
      "there are: name"),
    Mistake(
      "params: {s: text, n: 1, b: true}\nsteps:\n- id: a\n  run: x\n  env: {A: \"${{ lower(params.s) }}\"}\n",
      ["5:17"],
      "there is no function \"lower\""),
    Mistake(
      "params: {s: text, n: 1, b: true}\nsteps:\n- id: a\n  run: x\n  env: {A: \"${{ containz(params.s, 'a') }}\"}\n",
      ["5:17"],
      "did you mean \"contains\"?"),
    Mistake(
      "steps:\n- id: a\n  run: x\n  env: {A: \"${{ success() }}\"}\n", ["4:17"],
      "success() cannot be used in env"),
    Mistake(
      "steps:\n- id: a\n  run: x\n  env: {A: \"${{ contains }}\"}\n", ["4:17"],
      "contains(list or text, what)"),
    Mistake(
      "env: {A: \"${{ steps.a.outputs.x }}\"}\nsteps: [{id: a, run: x}]\n", ["1:15"],
      "\"steps\" cannot be used in the env of a workflow"),
    Mistake(
      "env: {A: \"${{ item }}\"}\nsteps: [{id: a, foreach: [1], run: x}]\n", ["1:15"],
      "\"item\" cannot be used in the env of a workflow"),
    Mistake(
      "secrets: {t: {env: T}}\nsteps: [{id: a, exec: [x, \"${{ secrets.t }}\"]}]\n", ["2:32"],
      "bind it in env"),
    Mistake(
      "secrets: {t: {env: T}}\nsteps: [{id: a, run: x, dir: \"${{ secrets.t }}\"}]\n", ["2:35"],
      "bind it in env"),
    Mistake(
      "secrets: {t: {env: T}}\nsteps: [{id: a, run: x, outputs: {b: \"${{ secrets.t }}\"}}]\n",
      ["2:43"],
      "bind it in env"),
    Mistake(
      "secrets: {t: {env: T}}\nsteps: [{id: a, run: x, if: secrets.t == 'a'}]\n", ["2:29"],
      "bind it in env"),
    Mistake(
      "steps: [{id: a, foreach: [1], run: x, env: {A: \"${{ matrix.os }}\"}}]\n", ["1:53"],
      "a step with \"matrix\""),
    Mistake(
      "steps: [{id: a, matrix: {os: [x]}, run: x, env: {A: \"${{ matrix.so }}\"}}]\n", ["1:58"],
      "did you mean \"os\"?"),
    Mistake(
      "steps: [{id: a, matrix: {os: [x]}, run: x, env: {A: \"${{ item }}\"}}]\n", ["1:58"],
      "a step with \"foreach\""),
    Mistake(
      "steps: [{id: a, foreach: \"${{ steps.b.outputs.x }}\", run: x}]\n", ["1:31"],
      "known before the run begins"),
    Mistake(
      "steps: [{id: a, run: x, timeout: \"${{ hashFiles('x') }}\"}]\n", ["1:39"],
      "files cannot be hashed in timeout"),
    Mistake(
      "steps: [{id: a, run: x, env: {A: \"${{ steps.a.outputs.b }}\"}}]\n", ["1:39"], "its own"),
    Mistake(
      "steps: [{id: a, run: x, outputs: {b: \"${{ steps.a.outputs.c }}\"}}]\n", ["1:43"],
      "write outputs.name"),
    Mistake(
      "steps: [{id: a, run: x}, {id: b, run: x, env: {A: \"${{ steps.a.result.x }}\"}}]\n",
      ["1:56"],
      "has no \"x\""),
    Mistake(
      "steps: [{id: a, run: x}, {id: b, run: x, env: {A: \"${{ steps.a.output.x }}\"}}]\n",
      ["1:56"],
      "a step has no \"output\""),
    Mistake(
      "steps: [{id: a, run: x}, {id: b, run: x, env: {A: \"${{ steps.a.version }}\"}}]\n", ["1:56"],
      "write steps.a.outputs.version"),
    Mistake(
      "steps: [{id: a, run: x}, {id: b, run: x, needs: [], env: {A: \"${{ steps.a.outputs.v }}\"}}]\n",
      ["1:67"],
      "add \"a\" to its needs"),
    Mistake(
      "steps: [{id: a, run: x, env: {A: \"${{ steps.b.outputs.v }}\"}}, {id: b, run: x, needs: []}]\n",
      ["1:39"],
      "add \"b\" to its needs"),
    Mistake(
      "steps: [{id: a, run: x, env: {A: \"${{ steps.b.outputs.v }}\"}}, {id: b, run: x}]\n",
      ["1:39"],
      "\"b\" needs this step"),
    Mistake(
      "steps:\n- parallel:\n  - {id: a, run: x}\n  - {id: b, run: x, if: steps.a.result == 'success'}\n",
      ["4:25"],
      "add \"a\" to its needs"),
  ]

  @Test(arguments: mistakes) func `a mistake in an expression is told at its word`(
    _ mistake: Mistake
  ) {
    mistake.expectTold()
  }
}
