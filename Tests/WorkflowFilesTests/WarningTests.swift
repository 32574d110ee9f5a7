import Testing

@testable import WorkflowFiles

/// Warnings for workflows that are valid but probably not intended.
struct WarningTests {
  @Test(arguments: [
    (
      "steps:\n- {id: a, run: x}\n- {id: b, run: x}\n- {id: c, run: x, needs: [b, a]}\n",
      "4:30 R0901"
    ),
    ("steps: [{id: a, run: x, env: {DEBUG: yes}}]\n", "1:38 R0907"),
    (
      "steps: [{id: a, run: x, outputs: {o: \"${{ stdout }}\"}}]\n", "1:38 R0905"
    ),
    ("steps: [{id: a, run: x, matrix: {v: [3.10, 1]}}]\n", "1:38 R0906"),
    ("steps: [{id: a, run: x, if: false}]\n", "1:29 R0902"),
    (
      "steps: [{id: a, run: x, if: \"1 > 2 && params.x\"}]\nparams: {x: 1}\n", "1:29 R0902"
    ),
    ("steps: [{id: a, run: x, if: true}]\n", "1:29 R0911"),
    ("steps: [{id: a, run: x, if: \"'a' == 'a' || params.x\"}]\nparams: {x: 1}\n", "1:29 R0911"),
    ("if: 1 > 2\nsteps: [{id: a, run: x}]\n", "1:5 R0902"),
    ("steps: [{id: a, run: x, repeat: {until: true}}]\n", "1:41 R0911"),
    ("steps: [{id: a, run: x, repeat: {while: 2 < 1}}]\n", "1:41 R0911"),
    ("steps:\n- id: a\n  run: &script x\n", "3:8 R0912"),
    ("steps: [{id: a, run: x, env: !!map &e {A: b}}]\n", "1:36 R0912"),
    (
      "steps:\n- {id: a, run: &x y, dir: *x}\n- &x\n  id: b\n  run: z\n", "3:3 R0912"
    ),
    ("steps: [{id: a, run: 'echo {{ env.A }} x'}]\n", "1:22 R0913"),
    ("params: {x: 1}\nsteps: [{id: a, exec: [echo, '${{ params.x }} {{.x}}']}]\n", "2:30 R0913"),
    ("steps: [{id: a, exec: [echo, '{{item}}'], foreach: [1]}]\n", "1:30 R0913"),
    ("params: {x: 1}\nsteps: [{id: a, exec: [echo, '${ params.x }']}]\n", "2:30 R0913"),
    ("steps: [{id: a, run: x, if: cancelled()}]\n", "1:29 R0903"),
    ("steps: [{id: a, run: x, env: {P: $HOME/bin}}]\n", "1:34 R0915"),
    ("env: {P: '${X}2'}\nsteps: [{id: a, run: x}]\n", "1:10 R0915"),
    ("steps: [{id: a, run: x, dir: '~'}]\n", "1:30 R0915"),
    ("steps: [{id: a, exec: [echo, $X]}]\n", "1:30 R0915"),
    ("params: {x: a}\nsteps: [{id: a, exec: [sh, -c, '${{ params.x }}']}]\n", "2:32 R0916"),
    (
      "params: {x: a}\nsteps: [{id: a, exec: [env, bash, -lc, 'eval ${{ params.x }}']}]\n",
      "2:40 R0916"
    ),
    ("steps: [{id: a, run: x, cache: {inputs: $HOME/*.c, makes: y}}]\n", "1:41 R0915"),
    ("steps: [{id: a, run: x, if: always()}]\n", "1:29 R0909"),
    (
      "steps: [{id: a, run: x, if: \"${{ failure() || cancelled() }}\"}]\n", "1:47 R0903"
    ),
    (
      "steps: [{id: a, run: x, if: \"env.NO_SUCH_VARIABLE == 'x'\"}]\n", "1:30 R0904"
    ),
    (
      "env: {INPUT: x}\nsteps: [{id: a, run: x, dir: \"${{ env.INPUTT }}\"}]\n", "2:35 R0904"
    ),
    (
      "steps: [{id: a, run: x, env: {A_B: x, C: \"${{ env.A_B }}\"}}]\n", "1:47 R0904"
    ),
    (
      "env: {A_B: x, C: \"${{ env.A_B }}\"}\nsteps: [{id: a, run: x}]\n", "1:23 R0904"
    ),
  ])
  func `a warning is reported, and the file can be run`(_ text: String, _ found: String) throws {
    let warnings = try Workflow(text: text, file: "w.yaml").warnings
    #expect(warnings.found == [found], "\(warnings)")
    #expect(warnings.allSatisfy { $0.severity == .warning })
  }

  @Test(arguments: [
    "steps: [{id: a, run: x}, {id: b, run: x, needs: a}]\n",
    "steps: [{id: a, run: x, env: {DEBUG: 'yes'}}]\n",
    "steps: [{id: a, run: x, outputs: {o: \"${{ stdout }}\"}}, {id: b, exec: [echo, \"${{ steps.a.outputs.o }}\"]}]\n",
    "params: {x: false}\nsteps: [{id: a, run: x, if: params.x}]\n",
    "params: {x: 1}\nsteps: [{id: a, run: 'docker ps --format \"{{.Names}} {{item}}\" {{.x y}} {{'}]\n",
    "params: {x: true}\nsteps: [{id: a, run: x, if: params.x || true}]\n",
    "steps: [{id: a, run: x, if: machine.os == 'linux'}]\n",
    "steps: [{id: a, run: x}]\nfinally: [{id: b, run: x, if: steps.a.result != 'skipped' || run.result == 'cancelled'}]\n",
    "params: {x: a}\nsteps: [{id: a, exec: [sh, -c, 'echo \\$1', x, '${{ params.x }}']}]\n",
    "steps: [{id: a, exec: [sh, -c, $X]}, {id: b, exec: [awk, '$1', '^A$', 'a~/']}]\n",
    "steps: [{id: a, run: x, env: {P: 'ssh -i $HOME/.ssh/id', Q: '\\$X', R: '$x', S: \"${{ env.HOME }}/x\"}}]\n",
    "steps: [{id: a, matrix: {v: [1, 2]}, run: x, if: matrix.v == 1}]\n",
    "steps: [{id: a, run: x}, {id: b, run: x, if: success() || failure()}]\n",
    "steps: [{id: a, run: x}]\nfinally: [{id: b, run: x, if: always()}]\n",
    "steps: [{id: a, run: x, repeat: {while: true, limit: 3}}]\n",
    "steps: [{id: a, run: x, repeat: {until: false, limit: 3}}]\n",
    "steps: [{id: a, run: x, if: {run: 'true'}}]\n",
    "steps: [{id: a, run: &x y}, {id: b, run: *x}]\n",
    "steps: [{id: a, run: x, env: &e {A: b}}, {id: b, run: x, env: {<<: *e, C: d}}]\n",
    "steps: [{id: a, run: x}]\nfinally: [{id: b, run: x, if: cancelled()}]\n",
    "env: {K: x}\nsteps: [{id: a, run: x, if: env.K == 'x'}]\n",
    "steps: [{id: a, run: x, env: {P: '${{ env.PATH }}', Q: \"${{ env.NO_SUCH || 'x' }}\"}}]\n",
  ])
  func `an intended use causes no warning`(_ text: String) throws {
    #expect(try Workflow(text: text, file: "w.yaml").warnings == [])
  }
}
