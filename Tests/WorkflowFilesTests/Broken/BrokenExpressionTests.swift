import Testing
import WorkflowFiles

/// Files with syntax errors and unknown names in expressions.
struct BrokenExpressionTests {
  typealias BrokenFile = DiagnosticTests.BrokenFile

  static let brokenFiles = [
    // Syntax.
    BrokenFile("env: {A: \"${{}}\"}\nsteps: [{id: a, run: x}]\n", ["1:14 R0501"]),
    BrokenFile(
      "env: {A: \"${{ params.x\"}\nsteps: [{id: a, run: x}]\n", ["1:11 R0502"],
      hint: "close it with }}"),
    BrokenFile(
      "env: {A: \"${{ params.x }\"}\nsteps: [{id: a, run: x}]\n", ["1:11 R0502"],
      hint: "close it with }}"),
    BrokenFile(
      "env: {A: \"a ${{ 'b' }} ${{ 'c'\"}\nsteps: [{id: a, run: x}]\n", ["1:24 R0502"],
      hint: "close it with }}"),
    BrokenFile(
      "params: {s: text, n: 1, b: true}\nsteps:\n- id: a\n  run: x\n  env: {A: \"${{ params.s == 'a }}\"}\n",
      ["5:29 R0502"],
      hint: "single quote"),
    BrokenFile(
      "params: {s: text, n: 1, b: true}\nenv: {A: \"${{ (params.s }}\"}\nsteps: [{id: a, run: x}]\n",
      ["2:25 R0501"]),
    BrokenFile(
      "params: {s: text, n: 1, b: true}\nenv: {A: \"${{ params.s) }}\"}\nsteps: [{id: a, run: x}]\n",
      ["2:23 R0501"],
      hint: "remove it, or add the opening bracket"),
    BrokenFile(
      "params: {s: text, n: 1, b: true}\nenv: {A: \"${{ params.s == }}\"}\nsteps: [{id: a, run: x}]\n",
      ["2:27 R0501"]),
    BrokenFile(
      "params: {s: text, n: 1, b: true}\nenv: {A: \"${{ == params.s }}\"}\nsteps: [{id: a, run: x}]\n",
      ["2:15 R0501"]),
    BrokenFile(
      "params: {s: text, n: 1, b: true}\nenv: {A: \"${{ params. }}\"}\nsteps: [{id: a, run: x}]\n",
      ["2:23 R0501"]),
    BrokenFile(
      "params: {s: text, n: 1, b: true}\nenv: {A: \"${{ params..s }}\"}\nsteps: [{id: a, run: x}]\n",
      ["2:22 R0501"]),
    BrokenFile(
      "params: {s: text, n: 1, b: true}\nenv: {A: \"${{ params[] }}\"}\nsteps: [{id: a, run: x}]\n",
      ["2:22 R0501"]),
    BrokenFile(
      "params: {s: text, n: 1, b: true}\nenv: {A: \"${{ params['s' }}\"}\nsteps: [{id: a, run: x}]\n",
      ["2:26 R0501"]),
    BrokenFile(
      "params: {s: text, n: 1, b: true}\nenv: {A: \"${{ contains(params.s, ) }}\"}\nsteps: [{id: a, run: x}]\n",
      ["2:34 R0501"]),
    BrokenFile(
      "params: {s: text, n: 1, b: true}\nenv: {A: \"${{ contains(params.s 'a') }}\"}\nsteps: [{id: a, run: x}]\n",
      ["2:33 R0501"]),
    BrokenFile(
      "params: {s: text, n: 1, b: true}\nenv: {A: \"${{ params.s params.n }}\"}\nsteps: [{id: a, run: x}]\n",
      ["2:24 R0501"]),
    BrokenFile(
      "params: {s: text, n: 1, b: true}\nsteps:\n- id: a\n  run: x\n  env: {A: \"${{ params.b and params.b }}\"}\n",
      ["5:26 R0501"],
      hint: "write &&"),
    BrokenFile(
      "params: {s: text, n: 1, b: true}\nsteps:\n- id: a\n  run: x\n  env: {A: \"${{ params.b or params.b }}\"}\n",
      ["5:26 R0501"],
      hint: "write ||"),
    BrokenFile(
      "params: {s: text, n: 1, b: true}\nsteps:\n- id: a\n  run: x\n  env: {A: \"${{ params.b is true }}\"}\n",
      ["5:26 R0501"],
      hint: "write =="),
    BrokenFile(
      "params: {s: text, n: 1, b: true}\nsteps:\n- id: a\n  run: x\n  env: {A: \"${{ not params.b }}\"}\n",
      ["5:17 R0505"],
      hint: "write !"),
    BrokenFile(
      "params: {s: text, n: 1, b: true}\nsteps:\n- id: a\n  run: x\n  env: {A: \"${{ params.s = 'a' }}\"}\n",
      ["5:26 R0503"],
      hint: "compare with =="),
    BrokenFile(
      "params: {s: text, n: 1, b: true}\nsteps:\n- id: a\n  run: x\n  env: {A: \"${{ params.b & params.b }}\"}\n",
      ["5:26 R0503"],
      hint: "write &&"),
    BrokenFile(
      "params: {s: text, n: 1, b: true}\nsteps:\n- id: a\n  run: x\n  env: {A: \"${{ params.b | params.b }}\"}\n",
      ["5:26 R0503"],
      hint: "write ||"),
    BrokenFile(
      "params: {s: text, n: 1, b: true}\nsteps:\n- id: a\n  run: x\n  env: {A: \"${{ params.s + 'a' }}\"}\n",
      ["5:17 R0523"],
      hint: "concatenate with format"),
    BrokenFile(
      "params: {s: text, n: 1, b: true}\nsteps:\n- id: a\n  run: x\n  env: {A: \"${{ params.n - }}\"}\n",
      ["5:28 R0501"]),
    BrokenFile(
      "params: {s: text, n: 1, b: true}\nsteps:\n- id: a\n  run: x\n  env: {A: \"${{ params.b ? 'a' : 'b' }}\"}\n",
      ["5:26 R0503"],
      hint: "condition && 'then' || 'else'"),
    BrokenFile(
      "params: {s: text, n: 1, b: true}\nsteps:\n- id: a\n  run: x\n  env: {A: \"${{ $params.s }}\"}\n",
      ["5:17 R0503"],
      hint: "write only the name"),
    BrokenFile(
      "params: {s: text, n: 1, b: true}\nsteps:\n- id: a\n  run: x\n  env: {A: \"${{ {params.s} }}\"}\n",
      ["5:17 R0503"],
      hint: "write only the name"),
    BrokenFile(
      "params: {s: text, n: 1, b: true}\nsteps:\n- id: a\n  run: x\n  env: {A: \"${{ params.s == \\\"a\\\" }}\"}\n",
      ["5:29 R0503"],
      hint: "put text in single quotes"),
    BrokenFile(
      "params: {s: text, n: 1, b: true}\nsteps:\n- id: a\n  run: x\n  env: {A: \"${{ params.s =~ 'a' }}\"}\n",
      ["5:26 R0503"],
      hint: "compare with =="),
    BrokenFile(
      "params: {s: text, n: 1, b: true}\nsteps:\n- id: a\n  run: x\n  env: {A: \"${{ params.s === 'a' }}\"}\n",
      ["5:28 R0503"]),
    BrokenFile(
      "params: {s: text, n: 1, b: true}\nsteps:\n- id: a\n  run: x\n  env: {A: \"${{ params.s ; params.n }}\"}\n",
      ["5:26 R0503"]),
    BrokenFile("steps:\n- id: a\n  run: x\n  env: {A: \"${{ 1.2.3 }}\"}\n", ["4:17 R0503"]),
    BrokenFile("steps:\n- id: a\n  run: x\n  env: {A: \"${{ 0xZZ }}\"}\n", ["4:17 R0503"]),
    BrokenFile("steps:\n- id: a\n  run: x\n  env: {A: \"${{ 1_000 }}\"}\n", ["4:17 R0503"]),
    BrokenFile("steps:\n- id: a\n  run: x\n  env: {A: \"${{ 12px }}\"}\n", ["4:17 R0503"]),
    BrokenFile(
      "steps:\n- id: a\n  run: x\n  env: {A: \"${{ text }}\"}\n", ["4:17 R0505"],
      hint: "put text in single quotes"),
    BrokenFile(
      "steps:\n- id: a\n  run: x\n  env: {A: \"${{ production }}\"}\n", ["4:17 R0505"],
      hint: "put text in single quotes"),
    BrokenFile(
      "steps:\n- id: a\n  run: x\n  env: {A: \"${{ größe }}\"}\n", ["4:19 R0503"]),
    BrokenFile(
      "env: {A: \"${{ ((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((1)))))))))))))))))))))))))))))))))))))))))))))))))))))))))))) }}\"}\nsteps: [{id: a, run: x}]\n",
      ["1:65 R0504"]),
    // Names.
    BrokenFile(
      "params: {s: text, n: 1, b: true}\nsteps:\n- id: a\n  run: x\n  env: {A: \"${{ prams.s }}\"}\n",
      ["5:17 R0505"],
      hint: "did you mean \"params\"?"),
    BrokenFile(
      "params: {s: text, n: 1, b: true}\nsteps:\n- id: a\n  run: x\n  env: {A: \"${{ params.z }}\"}\n",
      ["5:17 R0511"],
      hint: "available: b, n, s"),
    BrokenFile(
      "params: {s: text, n: 1, b: true}\nsteps:\n- id: a\n  run: x\n  env: {A: \"${{ inputs.s }}\"}\n",
      ["5:17 R0505"],
      hint: "did you mean \"params\"?"),
    BrokenFile(
      "params: {s: text, n: 1, b: true}\nsteps:\n- id: a\n  run: x\n  env: {A: \"${{ github.sha }}\"}\n",
      ["5:17 R0505"],
      hint: "git rev-parse HEAD"),
    BrokenFile(
      "params: {s: text, n: 1, b: true}\nsteps:\n- id: a\n  run: x\n  env: {A: \"${{ needs.a.outputs.x }}\"}\n",
      ["5:17 R0505"],
      hint: "did you mean \"steps\"?"),
    BrokenFile(
      "steps:\n- id: a\n  run: x\n  env: {A: \"${{ secret.x }}\"}\n", ["4:17 R0505"],
      hint: "did you mean \"secrets\"?"),
    BrokenFile(
      "steps:\n- id: a\n  run: x\n  env: {A: \"${{ secrets.token }}\"}\n", ["4:17 R0511"]),
    BrokenFile(
      "secrets: {token: {env: T}}\nsteps:\n- id: a\n  run: x\n  env: {A: \"${{ secrets.tokn }}\"}\n",
      ["5:17 R0511"],
      hint: "did you mean \"token\"?"),
    BrokenFile(
      "secrets: {token: {env: T}}\nsteps:\n- id: a\n  run: x\n  env: {A: \"${{ secrets }}\"}\n",
      ["5:17 R0514"]),
    BrokenFile(
      "params: {s: text, n: 1, b: true}\nsecrets: {token: {env: T}}\nsteps:\n- id: a\n  run: x\n  env: {A: \"${{ secrets[params.s] }}\"}\n",
      ["6:25 R0514"],
      hint: "write it like: secrets.name"),
    BrokenFile(
      "secrets: {token: {env: T}}\nsteps:\n- id: a\n  run: x\n  env: {A: \"${{ toJSON(secrets) }}\"}\n",
      ["5:24 R0514"]),
    BrokenFile(
      "steps:\n- id: a\n  run: x\n  env: {A: \"${{ steps }}\"}\n", ["4:17 R0514"]),
    BrokenFile(
      "params: {s: text, n: 1, b: true}\nsteps:\n- id: a\n  run: x\n  env: {A: \"${{ steps[params.s] }}\"}\n",
      ["5:23 R0514"],
      hint: "write it like: steps.name"),
    BrokenFile(
      "steps:\n- id: a\n  run: x\n  env: {A: \"${{ steps.b.outputs.x }}\"}\n", ["4:17 R0511"]),
    BrokenFile(
      "steps:\n- id: a\n  run: x\n  env: {A: \"${{ matrix.os }}\"}\n", ["4:17 R0510"],
      hint: "a step with \"matrix\""),
    BrokenFile(
      "steps:\n- id: a\n  run: x\n  env: {A: \"${{ item }}\"}\n", ["4:17 R0510"],
      hint: "a step with \"foreach\""),
    BrokenFile(
      "steps:\n- id: a\n  run: x\n  env: {A: \"${{ index }}\"}\n", ["4:17 R0510"],
      hint: "a step with \"foreach\""),
    BrokenFile(
      "steps:\n- id: a\n  run: x\n  env: {A: \"${{ stdout }}\"}\n", ["4:17 R0510"],
      hint: "\"outputs\" of a step"),
    BrokenFile(
      "steps:\n- id: a\n  run: x\n  env: {A: \"${{ outputs.x }}\"}\n", ["4:17 R0510"],
      hint: "\"outputs\" of a step"),
    BrokenFile(
      "steps:\n- id: a\n  run: x\n  env: {A: \"${{ run.number }}\"}\n", ["4:17 R0511"],
      hint: "available: dir, generation, id"),
    BrokenFile(
      "steps:\n- id: a\n  run: x\n  env: {A: \"${{ workflow.file }}\"}\n", ["4:17 R0511"],
      hint: "available: dir, name"),
    BrokenFile(
      "params: {s: text, n: 1, b: true}\nsteps:\n- id: a\n  run: x\n  env: {A: \"${{ slugify(params.s) }}\"}\n",
      ["5:17 R0506"]),
    BrokenFile(
      "params: {s: text, n: 1, b: true}\nsteps:\n- id: a\n  run: x\n  env: {A: \"${{ containz(params.s, 'a') }}\"}\n",
      ["5:17 R0506"],
      hint: "did you mean \"contains\"?"),
    BrokenFile(
      "steps:\n- id: a\n  run: x\n  env: {A: \"${{ success() }}\"}\n", ["4:17 R0510"]),
    BrokenFile(
      "steps:\n- id: a\n  run: x\n  env: {A: \"${{ contains }}\"}\n", ["4:17 R0505"],
      hint: "contains(list or text, what)"),
    BrokenFile(
      "env: {A: \"${{ steps.a.outputs.x }}\"}\nsteps: [{id: a, run: x}]\n", ["1:15 R0510"]),
    BrokenFile(
      "env: {A: \"${{ item }}\"}\nsteps: [{id: a, foreach: [1], run: x}]\n", ["1:15 R0510"]),
    BrokenFile(
      "secrets: {t: {env: T}}\nsteps: [{id: a, exec: [x, \"${{ secrets.t }}\"]}]\n", ["2:32 R0510"],
      hint: "bind it in env"),
    BrokenFile(
      "secrets: {t: {env: T}}\nsteps: [{id: a, run: x, dir: \"${{ secrets.t }}\"}]\n",
      ["2:35 R0510"],
      hint: "bind it in env"),
    BrokenFile(
      "secrets: {t: {env: T}}\nsteps: [{id: a, run: x, outputs: {b: \"${{ secrets.t }}\"}}]\n",
      ["2:43 R0510"],
      hint: "bind it in env"),
    BrokenFile(
      "secrets: {t: {env: T}}\nsteps: [{id: a, run: x, if: secrets.t == 'a'}]\n", ["2:29 R0510"],
      hint: "bind it in env"),
    BrokenFile(
      "steps: [{id: a, foreach: [1], run: x, env: {A: \"${{ matrix.os }}\"}}]\n", ["1:53 R0510"],
      hint: "a step with \"matrix\""),
    BrokenFile(
      "steps: [{id: a, matrix: {os: [x]}, run: x, env: {A: \"${{ matrix.so }}\"}}]\n",
      ["1:58 R0511"],
      hint: "did you mean \"os\"?"),
    BrokenFile(
      "steps: [{id: a, matrix: {os: [x]}, run: x, env: {A: \"${{ item }}\"}}]\n", ["1:58 R0510"],
      hint: "a step with \"foreach\""),
    BrokenFile(
      "steps: [{id: a, foreach: \"${{ steps.b.outputs.x }}\", run: x}]\n", ["1:31 R0511"]),
    BrokenFile(
      "steps: [{id: a, run: x, timeout: \"${{ hashFiles('x') }}\"}]\n", ["1:39 R0510"]),
    BrokenFile(
      "steps: [{id: a, run: x, env: {A: \"${{ steps.a.outputs.b }}\"}}]\n", ["1:39 R0517"]),
    BrokenFile(
      "steps: [{id: a, run: x, outputs: {b: \"${{ steps.a.outputs.c }}\"}}]\n", ["1:43 R0517"],
      hint: "write outputs.name"),
    BrokenFile(
      "steps: [{id: a, run: x}, {id: b, run: x, env: {A: \"${{ steps.a.result.x }}\"}}]\n",
      ["1:56 R0513"]),
    BrokenFile(
      "steps: [{id: a, run: x}, {id: b, run: x, env: {A: \"${{ steps.a.output.x }}\"}}]\n",
      ["1:56 R0513"]),
    BrokenFile(
      "steps: [{id: a, run: x}, {id: b, run: x, env: {A: \"${{ steps.a.version }}\"}}]\n",
      ["1:56 R0513"],
      hint: "write steps.a.outputs.version"),
    BrokenFile(
      "steps: [{id: a, run: x}, {id: b, run: x, needs: [], env: {A: \"${{ steps.a.outputs.v }}\"}}]\n",
      ["1:67 R0518"],
      hint: "add \"a\" to its needs"),
    BrokenFile(
      "steps: [{id: a, run: x, env: {A: \"${{ steps.b.outputs.v }}\"}}, {id: b, run: x, needs: []}]\n",
      ["1:39 R0518"],
      hint: "add \"b\" to its needs"),
    BrokenFile(
      "steps: [{id: a, run: x, env: {A: \"${{ steps.b.outputs.v }}\"}}, {id: b, run: x}]\n",
      ["1:39 R0518"],
      hint: "\"b\" itself needs this step"),
    BrokenFile(
      "steps:\n- parallel:\n  - {id: a, run: x}\n  - {id: b, run: x, if: steps.a.result == 'success'}\n",
      ["4:25 R0518"],
      hint: "add \"a\" to its needs"),
  ]

  @Test(arguments: brokenFiles) func `an error in an expression is reported at its word`(
    _ file: BrokenFile
  ) {
    file.expectReported()
  }
}
