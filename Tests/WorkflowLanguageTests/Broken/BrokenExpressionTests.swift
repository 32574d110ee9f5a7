import Testing
import WorkflowLanguage

/// Files with syntax errors and unknown names in expressions.
struct BrokenExpressionTests {
  typealias Mistake = MistakeTests.Mistake

  static let mistakes = [
    // Syntax.
    Mistake("env: {A: \"${{}}\"}\nsteps: [{id: a, run: x}]\n", ["1:14 R0501"]),
    Mistake(
      "env: {A: \"${{ params.x\"}\nsteps: [{id: a, run: x}]\n", ["1:11 R0502"],
      hint: "close it with }}"),
    Mistake(
      "env: {A: \"${{ params.x }\"}\nsteps: [{id: a, run: x}]\n", ["1:11 R0502"],
      hint: "close it with }}"),
    Mistake(
      "env: {A: \"a ${{ 'b' }} ${{ 'c'\"}\nsteps: [{id: a, run: x}]\n", ["1:24 R0502"],
      hint: "close it with }}"),
    Mistake(
      "params: {s: text, n: 1, b: true}\nsteps:\n- id: a\n  run: x\n  env: {A: \"${{ params.s == 'a }}\"}\n",
      ["5:29 R0502"],
      hint: "single quote"),
    Mistake(
      "params: {s: text, n: 1, b: true}\nenv: {A: \"${{ (params.s }}\"}\nsteps: [{id: a, run: x}]\n",
      ["2:25 R0501"]),
    Mistake(
      "params: {s: text, n: 1, b: true}\nenv: {A: \"${{ params.s) }}\"}\nsteps: [{id: a, run: x}]\n",
      ["2:23 R0501"],
      hint: "remove it, or add the opening bracket"),
    Mistake(
      "params: {s: text, n: 1, b: true}\nenv: {A: \"${{ params.s == }}\"}\nsteps: [{id: a, run: x}]\n",
      ["2:27 R0501"]),
    Mistake(
      "params: {s: text, n: 1, b: true}\nenv: {A: \"${{ == params.s }}\"}\nsteps: [{id: a, run: x}]\n",
      ["2:15 R0501"]),
    Mistake(
      "params: {s: text, n: 1, b: true}\nenv: {A: \"${{ params. }}\"}\nsteps: [{id: a, run: x}]\n",
      ["2:23 R0501"]),
    Mistake(
      "params: {s: text, n: 1, b: true}\nenv: {A: \"${{ params..s }}\"}\nsteps: [{id: a, run: x}]\n",
      ["2:22 R0501"]),
    Mistake(
      "params: {s: text, n: 1, b: true}\nenv: {A: \"${{ params[] }}\"}\nsteps: [{id: a, run: x}]\n",
      ["2:22 R0501"]),
    Mistake(
      "params: {s: text, n: 1, b: true}\nenv: {A: \"${{ params['s' }}\"}\nsteps: [{id: a, run: x}]\n",
      ["2:26 R0501"]),
    Mistake(
      "params: {s: text, n: 1, b: true}\nenv: {A: \"${{ contains(params.s, ) }}\"}\nsteps: [{id: a, run: x}]\n",
      ["2:34 R0501"]),
    Mistake(
      "params: {s: text, n: 1, b: true}\nenv: {A: \"${{ contains(params.s 'a') }}\"}\nsteps: [{id: a, run: x}]\n",
      ["2:33 R0501"]),
    Mistake(
      "params: {s: text, n: 1, b: true}\nenv: {A: \"${{ params.s params.n }}\"}\nsteps: [{id: a, run: x}]\n",
      ["2:24 R0501"]),
    Mistake(
      "params: {s: text, n: 1, b: true}\nsteps:\n- id: a\n  run: x\n  env: {A: \"${{ params.b and params.b }}\"}\n",
      ["5:26 R0501"],
      hint: "write &&"),
    Mistake(
      "params: {s: text, n: 1, b: true}\nsteps:\n- id: a\n  run: x\n  env: {A: \"${{ params.b or params.b }}\"}\n",
      ["5:26 R0501"],
      hint: "write ||"),
    Mistake(
      "params: {s: text, n: 1, b: true}\nsteps:\n- id: a\n  run: x\n  env: {A: \"${{ params.b is true }}\"}\n",
      ["5:26 R0501"],
      hint: "write =="),
    Mistake(
      "params: {s: text, n: 1, b: true}\nsteps:\n- id: a\n  run: x\n  env: {A: \"${{ not params.b }}\"}\n",
      ["5:17 R0505"],
      hint: "write !"),
    Mistake(
      "params: {s: text, n: 1, b: true}\nsteps:\n- id: a\n  run: x\n  env: {A: \"${{ params.s = 'a' }}\"}\n",
      ["5:26 R0503"],
      hint: "compare with =="),
    Mistake(
      "params: {s: text, n: 1, b: true}\nsteps:\n- id: a\n  run: x\n  env: {A: \"${{ params.b & params.b }}\"}\n",
      ["5:26 R0503"],
      hint: "write &&"),
    Mistake(
      "params: {s: text, n: 1, b: true}\nsteps:\n- id: a\n  run: x\n  env: {A: \"${{ params.b | params.b }}\"}\n",
      ["5:26 R0503"],
      hint: "write ||"),
    Mistake(
      "params: {s: text, n: 1, b: true}\nsteps:\n- id: a\n  run: x\n  env: {A: \"${{ params.s + 'a' }}\"}\n",
      ["5:26 R0503"],
      hint: "concatenate with format"),
    Mistake(
      "params: {s: text, n: 1, b: true}\nsteps:\n- id: a\n  run: x\n  env: {A: \"${{ params.n - 1 }}\"}\n",
      ["5:26 R0503"]),
    Mistake(
      "params: {s: text, n: 1, b: true}\nsteps:\n- id: a\n  run: x\n  env: {A: \"${{ params.b ? 'a' : 'b' }}\"}\n",
      ["5:26 R0503"],
      hint: "condition && 'then' || 'else'"),
    Mistake(
      "params: {s: text, n: 1, b: true}\nsteps:\n- id: a\n  run: x\n  env: {A: \"${{ $params.s }}\"}\n",
      ["5:17 R0503"],
      hint: "write only the name"),
    Mistake(
      "params: {s: text, n: 1, b: true}\nsteps:\n- id: a\n  run: x\n  env: {A: \"${{ {params.s} }}\"}\n",
      ["5:17 R0503"],
      hint: "write only the name"),
    Mistake(
      "params: {s: text, n: 1, b: true}\nsteps:\n- id: a\n  run: x\n  env: {A: \"${{ params.s == \\\"a\\\" }}\"}\n",
      ["5:29 R0503"],
      hint: "put text in single quotes"),
    Mistake(
      "params: {s: text, n: 1, b: true}\nsteps:\n- id: a\n  run: x\n  env: {A: \"${{ params.s =~ 'a' }}\"}\n",
      ["5:26 R0503"],
      hint: "compare with =="),
    Mistake(
      "params: {s: text, n: 1, b: true}\nsteps:\n- id: a\n  run: x\n  env: {A: \"${{ params.s === 'a' }}\"}\n",
      ["5:28 R0503"]),
    Mistake(
      "params: {s: text, n: 1, b: true}\nsteps:\n- id: a\n  run: x\n  env: {A: \"${{ params.s ; params.n }}\"}\n",
      ["5:26 R0503"]),
    Mistake("steps:\n- id: a\n  run: x\n  env: {A: \"${{ 1.2.3 }}\"}\n", ["4:17 R0503"]),
    Mistake("steps:\n- id: a\n  run: x\n  env: {A: \"${{ 0xZZ }}\"}\n", ["4:17 R0503"]),
    Mistake("steps:\n- id: a\n  run: x\n  env: {A: \"${{ 1_000 }}\"}\n", ["4:17 R0503"]),
    Mistake("steps:\n- id: a\n  run: x\n  env: {A: \"${{ 12px }}\"}\n", ["4:17 R0503"]),
    Mistake(
      "steps:\n- id: a\n  run: x\n  env: {A: \"${{ text }}\"}\n", ["4:17 R0505"],
      hint: "put text in single quotes"),
    Mistake(
      "steps:\n- id: a\n  run: x\n  env: {A: \"${{ production }}\"}\n", ["4:17 R0505"],
      hint: "put text in single quotes"),
    Mistake(
      "steps:\n- id: a\n  run: x\n  env: {A: \"${{ größe }}\"}\n", ["4:19 R0503"]),
    Mistake(
      "env: {A: \"${{ ((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((1)))))))))))))))))))))))))))))))))))))))))))))))))))))))))))) }}\"}\nsteps: [{id: a, run: x}]\n",
      ["1:65 R0504"]),
    // Names.
    Mistake(
      "params: {s: text, n: 1, b: true}\nsteps:\n- id: a\n  run: x\n  env: {A: \"${{ prams.s }}\"}\n",
      ["5:17 R0505"],
      hint: "did you mean \"params\"?"),
    Mistake(
      "params: {s: text, n: 1, b: true}\nsteps:\n- id: a\n  run: x\n  env: {A: \"${{ params.z }}\"}\n",
      ["5:17 R0511"],
      hint: "available: b, n, s"),
    Mistake(
      "params: {s: text, n: 1, b: true}\nsteps:\n- id: a\n  run: x\n  env: {A: \"${{ inputs.s }}\"}\n",
      ["5:17 R0505"],
      hint: "did you mean \"params\"?"),
    Mistake(
      "params: {s: text, n: 1, b: true}\nsteps:\n- id: a\n  run: x\n  env: {A: \"${{ github.sha }}\"}\n",
      ["5:17 R0505"],
      hint: "did you mean \"run\"?"),
    Mistake(
      "params: {s: text, n: 1, b: true}\nsteps:\n- id: a\n  run: x\n  env: {A: \"${{ needs.a.outputs.x }}\"}\n",
      ["5:17 R0505"],
      hint: "did you mean \"steps\"?"),
    Mistake(
      "steps:\n- id: a\n  run: x\n  env: {A: \"${{ secret.x }}\"}\n", ["4:17 R0505"],
      hint: "did you mean \"secrets\"?"),
    Mistake(
      "steps:\n- id: a\n  run: x\n  env: {A: \"${{ secrets.token }}\"}\n", ["4:17 R0511"]),
    Mistake(
      "secrets: {token: {env: T}}\nsteps:\n- id: a\n  run: x\n  env: {A: \"${{ secrets.tokn }}\"}\n",
      ["5:17 R0511"],
      hint: "did you mean \"token\"?"),
    Mistake(
      "secrets: {token: {env: T}}\nsteps:\n- id: a\n  run: x\n  env: {A: \"${{ secrets }}\"}\n",
      ["5:17 R0514"]),
    Mistake(
      "params: {s: text, n: 1, b: true}\nsecrets: {token: {env: T}}\nsteps:\n- id: a\n  run: x\n  env: {A: \"${{ secrets[params.s] }}\"}\n",
      ["6:25 R0514"],
      hint: "write it like: secrets.name"),
    Mistake(
      "secrets: {token: {env: T}}\nsteps:\n- id: a\n  run: x\n  env: {A: \"${{ toJSON(secrets) }}\"}\n",
      ["5:24 R0514"]),
    Mistake(
      "steps:\n- id: a\n  run: x\n  env: {A: \"${{ steps }}\"}\n", ["4:17 R0514"]),
    Mistake(
      "params: {s: text, n: 1, b: true}\nsteps:\n- id: a\n  run: x\n  env: {A: \"${{ steps[params.s] }}\"}\n",
      ["5:23 R0514"],
      hint: "write it like: steps.name"),
    Mistake(
      "steps:\n- id: a\n  run: x\n  env: {A: \"${{ steps.b.outputs.x }}\"}\n", ["4:17 R0511"]),
    Mistake(
      "steps:\n- id: a\n  run: x\n  env: {A: \"${{ matrix.os }}\"}\n", ["4:17 R0510"],
      hint: "a step with \"matrix\""),
    Mistake(
      "steps:\n- id: a\n  run: x\n  env: {A: \"${{ item }}\"}\n", ["4:17 R0510"],
      hint: "a step with \"foreach\""),
    Mistake(
      "steps:\n- id: a\n  run: x\n  env: {A: \"${{ index }}\"}\n", ["4:17 R0510"],
      hint: "a step with \"foreach\""),
    Mistake(
      "steps:\n- id: a\n  run: x\n  env: {A: \"${{ stdout }}\"}\n", ["4:17 R0510"],
      hint: "\"outputs\" of a step"),
    Mistake(
      "steps:\n- id: a\n  run: x\n  env: {A: \"${{ outputs.x }}\"}\n", ["4:17 R0510"],
      hint: "\"outputs\" of a step"),
    Mistake(
      "steps:\n- id: a\n  run: x\n  env: {A: \"${{ run.number }}\"}\n", ["4:17 R0511"],
      hint: "available: generation, id"),
    Mistake(
      "steps:\n- id: a\n  run: x\n  env: {A: \"${{ workflow.file }}\"}\n", ["4:17 R0511"],
      hint: "available: name"),
    Mistake(
      "params: {s: text, n: 1, b: true}\nsteps:\n- id: a\n  run: x\n  env: {A: \"${{ lower(params.s) }}\"}\n",
      ["5:17 R0506"]),
    Mistake(
      "params: {s: text, n: 1, b: true}\nsteps:\n- id: a\n  run: x\n  env: {A: \"${{ containz(params.s, 'a') }}\"}\n",
      ["5:17 R0506"],
      hint: "did you mean \"contains\"?"),
    Mistake(
      "steps:\n- id: a\n  run: x\n  env: {A: \"${{ success() }}\"}\n", ["4:17 R0510"]),
    Mistake(
      "steps:\n- id: a\n  run: x\n  env: {A: \"${{ contains }}\"}\n", ["4:17 R0505"],
      hint: "contains(list or text, what)"),
    Mistake(
      "env: {A: \"${{ steps.a.outputs.x }}\"}\nsteps: [{id: a, run: x}]\n", ["1:15 R0510"]),
    Mistake(
      "env: {A: \"${{ item }}\"}\nsteps: [{id: a, foreach: [1], run: x}]\n", ["1:15 R0510"]),
    Mistake(
      "secrets: {t: {env: T}}\nsteps: [{id: a, exec: [x, \"${{ secrets.t }}\"]}]\n", ["2:32 R0510"],
      hint: "bind it in env"),
    Mistake(
      "secrets: {t: {env: T}}\nsteps: [{id: a, run: x, dir: \"${{ secrets.t }}\"}]\n",
      ["2:35 R0510"],
      hint: "bind it in env"),
    Mistake(
      "secrets: {t: {env: T}}\nsteps: [{id: a, run: x, outputs: {b: \"${{ secrets.t }}\"}}]\n",
      ["2:43 R0510"],
      hint: "bind it in env"),
    Mistake(
      "secrets: {t: {env: T}}\nsteps: [{id: a, run: x, if: secrets.t == 'a'}]\n", ["2:29 R0510"],
      hint: "bind it in env"),
    Mistake(
      "steps: [{id: a, foreach: [1], run: x, env: {A: \"${{ matrix.os }}\"}}]\n", ["1:53 R0510"],
      hint: "a step with \"matrix\""),
    Mistake(
      "steps: [{id: a, matrix: {os: [x]}, run: x, env: {A: \"${{ matrix.so }}\"}}]\n",
      ["1:58 R0511"],
      hint: "did you mean \"os\"?"),
    Mistake(
      "steps: [{id: a, matrix: {os: [x]}, run: x, env: {A: \"${{ item }}\"}}]\n", ["1:58 R0510"],
      hint: "a step with \"foreach\""),
    Mistake(
      "steps: [{id: a, foreach: \"${{ steps.b.outputs.x }}\", run: x}]\n", ["1:31 R0510"]),
    Mistake(
      "steps: [{id: a, run: x, timeout: \"${{ hashFiles('x') }}\"}]\n", ["1:39 R0510"]),
    Mistake(
      "steps: [{id: a, run: x, env: {A: \"${{ steps.a.outputs.b }}\"}}]\n", ["1:39 R0517"]),
    Mistake(
      "steps: [{id: a, run: x, outputs: {b: \"${{ steps.a.outputs.c }}\"}}]\n", ["1:43 R0517"],
      hint: "write outputs.name"),
    Mistake(
      "steps: [{id: a, run: x}, {id: b, run: x, env: {A: \"${{ steps.a.result.x }}\"}}]\n",
      ["1:56 R0513"]),
    Mistake(
      "steps: [{id: a, run: x}, {id: b, run: x, env: {A: \"${{ steps.a.output.x }}\"}}]\n",
      ["1:56 R0513"]),
    Mistake(
      "steps: [{id: a, run: x}, {id: b, run: x, env: {A: \"${{ steps.a.version }}\"}}]\n",
      ["1:56 R0513"],
      hint: "write steps.a.outputs.version"),
    Mistake(
      "steps: [{id: a, run: x}, {id: b, run: x, needs: [], env: {A: \"${{ steps.a.outputs.v }}\"}}]\n",
      ["1:67 R0518"],
      hint: "add \"a\" to its needs"),
    Mistake(
      "steps: [{id: a, run: x, env: {A: \"${{ steps.b.outputs.v }}\"}}, {id: b, run: x, needs: []}]\n",
      ["1:39 R0518"],
      hint: "add \"b\" to its needs"),
    Mistake(
      "steps: [{id: a, run: x, env: {A: \"${{ steps.b.outputs.v }}\"}}, {id: b, run: x}]\n",
      ["1:39 R0518"],
      hint: "\"b\" itself needs this step"),
    Mistake(
      "steps:\n- parallel:\n  - {id: a, run: x}\n  - {id: b, run: x, if: steps.a.result == 'success'}\n",
      ["4:25 R0518"],
      hint: "add \"a\" to its needs"),
  ]

  @Test(arguments: mistakes) func `an error in an expression is reported at its word`(
    _ mistake: Mistake
  ) {
    mistake.expectTold()
  }
}
