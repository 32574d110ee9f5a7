import Testing
import WorkflowFiles

/// Files with errors in groups, needs, `foreach` and `matrix`.
struct BrokenGroupTests {
  typealias BrokenFile = DiagnosticTests.BrokenFile

  static let brokenFiles = [
    // Groups and needs.
    BrokenFile("steps: [{parallel: }]\n", ["1:20 R0203"]),
    BrokenFile("steps: [{parallel: [x]}]\n", ["1:21 R0202"]),
    BrokenFile("steps: [{parallel: [[{id: a, run: x}]]}]\n", ["1:21 R0202"]),
    BrokenFile("steps: [{parallel: [{steps: []}]}]\n", ["1:29 R0214"]),
    BrokenFile("steps: [{steps: x}]\n", ["1:17 R0203"]),
    BrokenFile(
      "steps: [{id: a, run: x, steps: [{id: b, run: x}]}]\n", ["1:25 R0201"]),
    BrokenFile("steps: [{id: a, parallel: [{id: b, run: x}], run: x}]\n", ["1:17 R0201"]),
    BrokenFile(
      "steps: [{parallel: [{id: a, run: x}, {id: a, run: x}]}]\n", ["1:43 R0303"]),
    BrokenFile(
      "steps: [{id: a, run: x}, {id: b, run: x, needs: [[a]]}]\n", ["1:50 R0204"]),
    BrokenFile(
      "steps: [{id: a, run: x}, {id: b, run: x, needs: }]\n", ["1:49 R0204"]),
    BrokenFile("steps: [{id: a, run: x}, {id: b, run: x, needs: \"\"}]\n", ["1:49 R0205"]),
    BrokenFile(
      "steps: [{id: a, run: x}, {id: b, run: x, needs: \"a, c\"}]\n", ["1:49 R0401"], hint: "a list"
    ),
    BrokenFile(
      "steps: [{id: a, run: x}, {id: b, run: x, needs: \"${{ params.x }}\"}]\n", ["1:49 R0206"]),
    BrokenFile(
      "steps: [{id: a, run: x}, {id: b, run: x, needs: A}]\n", ["1:49 R0401"],
      hint: "did you mean \"a\"?"),
    BrokenFile(
      "steps: [{id: build, run: x}, {id: b, run: x, needs: zzz}]\n", ["1:53 R0401"]),
    BrokenFile(
      "steps: [{id: a, run: x, needs: b}, {id: b, run: x}]\n", ["1:32 R0402"]),
    // A step that could not be read is not part of a cycle.
    BrokenFile(
      "steps: [{id: a, foreach: x, run: x}, {id: b, run: x, needs: c}, {id: c, run: x, needs: a}]\n",
      ["1:26 R0306"]),
    BrokenFile(
      "steps: [{id: a, foreach: [1, 2], run: x, needs: b}, {id: b, run: x}]\n", ["1:49 R0402"]),
    BrokenFile(
      "steps: [{id: a, foreach: [1, 2], run: x, needs: a}]\n", ["1:49 R0403"]),
    BrokenFile(
      "steps: [{id: a, run: x}, {id: b, foreach: [1], run: x, needs: \"a[0]\"}]\n", ["1:63 R0401"]),
    BrokenFile(
      "steps: [{parallel: [{id: a, run: x, needs: b}, {id: b, run: x, needs: a}]}]\n",
      ["1:44 R0402"]),
    BrokenFile(
      "steps:\n- {id: a, run: x, needs: c}\n- parallel:\n  - {id: b, run: x}\n  - {id: c, run: x}\n",
      ["2:26 R0402"]),
    BrokenFile(
      "steps: [{parallel: [{id: a, run: x}], if: failure()}]\n", ["1:43 R0217"],
      hint: "write it at the first step of the group"),
    // Foreach.
    BrokenFile("steps: [{id: a, foreach: , run: x}]\n", ["1:26 R0204"]),
    BrokenFile(
      "steps: [{id: a, foreach: x, run: x}]\n", ["1:26 R0306"],
      hint: "write it like: [a, b], or: { from: 1, to: 5 }, or: ${{ fromJSON(…) }}"),
    BrokenFile(
      "steps: [{id: a, foreach: 3, run: x}]\n", ["1:26 R0306"],
      hint: "write it like: [a, b], or: { from: 1, to: 5 }, or: ${{ fromJSON(…) }}"),
    BrokenFile(
      "steps: [{id: a, foreach: \"1..5\", run: x}]\n", ["1:26 R0306"],
      hint: "write it like: [a, b], or: { from: 1, to: 5 }, or: ${{ fromJSON(…) }}"),
    BrokenFile(
      "steps: [{id: a, foreach: {from: 1}, run: x}]\n", ["1:26 R0213"]),
    BrokenFile(
      "steps: [{id: a, foreach: {}, run: x}]\n", ["1:26 R0213"]),
    BrokenFile(
      "steps: [{id: a, foreach: {from: a, to: 3}, run: x}]\n", ["1:33 R0210"]),
    BrokenFile(
      "steps: [{id: a, foreach: {from: 1, to: 3.5}, run: x}]\n", ["1:40 R0210"]),
    BrokenFile(
      "steps: [{id: a, foreach: {from: 1, to: 99999999999}, run: x}]\n", ["1:40 R0210"]),
    BrokenFile(
      "steps: [{id: a, foreach: {from: -9223372036854775808, to: 1}, run: x}]\n", ["1:33 R0210"]),
    BrokenFile("steps: [{id: a, foreach: {from: [1], to: 3}, run: x}]\n", ["1:33 R0210"]),
    BrokenFile(
      "steps: [{id: a, foreach: {from: 1, to: 3, by: 0}, run: x}]\n", ["1:47 R0210"]),
    BrokenFile(
      "steps: [{id: a, foreach: {from: 1, to: 3, step: 1}, run: x}]\n", ["1:43 R0201"],
      hint: "did you mean \"by\"?"),
    BrokenFile(
      "steps: [{id: a, foreach: {start: 1, from: 1, to: 3}, run: x}]\n", ["1:27 R0201"],
      hint: "did you mean \"from\"?"),
    BrokenFile(
      "steps: [{id: a, foreach: {from: 1, to: 10001}, run: x}]\n", ["1:26 R0305"]),
    BrokenFile(
      "steps: [{id: a, foreach: {from: -2147483647, to: 2147483647}, run: x}]\n", ["1:26 R0305"]),
    BrokenFile(
      "steps: [{id: a, foreach: {from: \"${{ x }}\", to: 3}, run: x}]\n", ["1:38 R0505"]),
    BrokenFile(
      "steps: [{id: a, foreach: [1, \"${{ x }}\"], run: x}]\n", ["1:35 R0505"]),
    BrokenFile("steps: [{id: a, foreach: [1], matrix: {b: [1]}, run: x}]\n", ["1:31 R0216"]),
    BrokenFile(
      "steps: [{id: a, foreach: [1], max-parallel: 0, run: x}]\n", ["1:45 R0210"]),
    BrokenFile(
      "steps: [{id: a, foreach: [1], fail-fast: no, run: x}]\n", ["1:42 R0209"],
      hint: "only true and false"),
    BrokenFile("steps: [{id: a, foreach: [1]}]\n", ["1:9 R0301"]),
    BrokenFile(
      "steps: [{id: a, foreach: [1, 2, 3], run: x, env: {B: \"${{ x }}\"}}]\n", ["1:59 R0505"]),
    BrokenFile(
      "steps: [{id: a, foreach: [], run: x, env: {B: \"${{ x }}\"}}]\n", ["1:52 R0505"]),
    BrokenFile(
      "steps: [{id: a, foreach: [1], run: x}, {id: a, run: x}]\n", ["1:45 R0303"]),
    BrokenFile(
      "steps: [{id: a, foreach: [1], run: x, timeout: soon}]\n", ["1:48 R0208"],
      hint: "write it like 500ms"),
    BrokenFile(
      "steps: [{id: a, foreach: [10s, soon], run: x, timeout: \"${{ item }}\"}]\n", ["1:56 R0208"]),
    BrokenFile(
      "params: {s: a}\nsteps: [{id: a, foreach: \"${{ params.s }}\", run: x}]\n", ["2:26 R0306"],
      hint: "fromJSON(…) converts text"),
    BrokenFile(
      "params: {s: a}\nsteps: [{id: a, foreach: \"${{ fromJSON(params.s) }}\", run: x}]\n",
      ["2:40 R0519"]),
    BrokenFile(
      "params: {s: \"{}\"}\nsteps: [{id: a, foreach: \"${{ fromJSON(params.s) }}\", run: x}]\n",
      ["2:26 R0306"]),
    BrokenFile(
      "steps: [{id: a, foreach: \"x ${{ fromJSON('[1]') }}\", run: x}]\n", ["1:26 R0306"]),
    // Matrix.
    BrokenFile(
      "steps: [{id: a, matrix: [x], run: x}]\n", ["1:25 R0202"]),
    BrokenFile(
      "steps: [{id: a, matrix: x, run: x}]\n", ["1:25 R0202"]),
    BrokenFile(
      "steps: [{id: a, matrix: , run: x}]\n", ["1:25 R0202"]),
    BrokenFile(
      "steps: [{id: a, matrix: {}, run: x}]\n", ["1:25 R0307"],
      hint: "write it like: { os: [linux, mac]"),
    BrokenFile(
      "steps: [{id: a, matrix: {os: []}, run: x}]\n", ["1:30 R0307"]),
    BrokenFile(
      "steps: [{id: a, matrix: {os: linux}, run: x}]\n", ["1:30 R0308"],
      hint: "write it like: [linux, mac]"),
    BrokenFile(
      "steps: [{id: a, matrix: {os: {from: 1, to: 3}}, run: x}]\n", ["1:30 R0308"]),
    BrokenFile(
      "steps: [{id: a, matrix: {os: }, run: x}]\n", ["1:30 R0308"]),
    BrokenFile("steps: [{id: a, matrix: {1os: [x]}, run: x}]\n", ["1:26 R0212"]),
    BrokenFile(
      "steps: [{id: a, matrix: {os: [x], fail-fast: true}, run: x}]\n", ["1:35 R0217"],
      hint: "move it out of \"matrix\""),
    BrokenFile(
      "steps: [{id: a, matrix: {os: [x], max-parallel: 2}, run: x}]\n", ["1:35 R0217"],
      hint: "move it out of \"matrix\""),
    BrokenFile(
      "steps: [{id: a, matrix: {os: [x], include: {os: y}}, run: x}]\n", ["1:44 R0308"]),
    BrokenFile(
      "steps: [{id: a, matrix: {os: [x], include: [y]}, run: x}]\n", ["1:45 R0308"]),
    BrokenFile(
      "steps: [{id: a, matrix: {os: [x], exclude: [{os: x}, y]}, run: x}]\n", ["1:54 R0308"]),
    BrokenFile(
      "steps: [{id: a, matrix: {os: [x], exclude: [{os: x}]}, run: x}]\n", ["1:25 R0307"],
      hint: "exclude fewer"),
    BrokenFile(
      "steps: [{id: a, matrix: {a: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11], b: &b [1, 2, 3, 4, 5, 6, 7, 8, 9, 10], c: *b, d: *b}, run: x}]\n",
      ["1:25 R0305"]),
    BrokenFile(
      "steps: [{id: a, matrix: {os: [x, \"${{ steps.b.outputs.o }}\"]}, run: x}]\n", ["1:39 R0510"]),
    BrokenFile(
      "steps: [{id: a, matrix: {os: [x], os: [y]}, run: x}]\n", ["1:35 R0116"]),
    BrokenFile(
      "steps: [{id: a, matrix: {os: [x], include: [y, z]}, run: x}]\n",
      ["1:45 R0308", "1:48 R0308"]),
    BrokenFile(
      "steps: [{id: a, run: x, matrix: {os: [x], os: [1]}}]\n", ["1:43 R0116"],
      hint: "remove one of them"),
    // `finally`.
    BrokenFile(
      "steps: [{id: a, run: x}]\nfinally: [{id: f, run: x, needs: [a]}]\n", ["2:27 R0217"],
      hint: "these steps run in order, after all other steps"),
    BrokenFile(
      "steps: [{id: a, run: x}]\nfinally: [{id: a, run: x}]\n", ["2:16 R0303"]),
    BrokenFile(
      "steps: [{id: a, run: x}]\nfinally: [{id: f, run: x, on: failed}]\n", ["2:31 R0211"],
      hint: "did you mean \"failure\"?"),
    BrokenFile(
      "steps: [{id: a, run: x}]\nfinally: [{id: f, run: x, on: always}]\n", ["2:31 R0211"],
      hint: "available: success, failure, cancel"),
    BrokenFile("pools: {p: 2}\nsteps: [{id: a, run: x, pool: [p, p]}]\n", ["2:35 R0217"]),
    BrokenFile("pools: {p: 2}\nsteps: [{id: a, run: x, pool: []}]\n", ["2:31 R0214"]),
    BrokenFile(
      "steps: [{id: a, run: x}]\nfinally: [{id: f, run: x, when: [failure, canceled]}]\n",
      ["2:43 R0211"],
      hint: "did you mean \"cancelled\"?"),
    BrokenFile("steps: [{id: a, run: x}]\nfinally: [{id: f, run: x, on: []}]\n", ["2:31 R0214"]),
    BrokenFile("steps: [{id: a, run: x}]\nfinally: [{id: f, run: x, on: }]\n", ["2:31 R0204"]),
    BrokenFile(
      "steps: [{id: a, run: x}]\nfinally: [{id: f, run: x, on: {failure: true}}]\n", ["2:31 R0204"]),
    BrokenFile(
      "steps: [{id: a, run: x}]\nfinally: [{id: f, run: x, on: \"${{ params.on }}\"}]\n",
      ["2:31 R0206"]),
    BrokenFile(
      "steps: [{id: a, run: x}]\nfinally: [{id: f, run: x, env: {A: \"${{ steps.z.result }}\"}}]\n",
      ["2:41 R0511"]),
    BrokenFile(
      "steps: [{id: a, run: x}]\nfinally: [{id: f, run: x, env: {A: \"${{ steps.g.result }}\"}}, {id: g, run: x}]\n",
      ["2:41 R0518"]),
    BrokenFile("steps: [{id: a, run: x}]\nfinally: [x]\n", ["2:11 R0202"]),
    BrokenFile(
      "steps: [{id: a, run: x}]\nfinally: [{id: f, run: x, if: steps.a.outputs.x}]\n",
      ["2:31 R0516"],
      hint: "compare it"),
    BrokenFile(
      "steps: [{id: a, run: x, needs: f}]\nfinally: [{id: f, run: x}]\n", ["1:32 R0405"]),
    BrokenFile(
      "steps: [{id: a, run: x, env: {B: \"${{ steps.f.outputs.x }}\"}}]\nfinally: [{id: f, run: x}]\n",
      ["1:39 R0405"]),
    BrokenFile(
      "steps: [{id: a, run: x, finally: [{id: b, run: x}]}]\n", ["1:25 R0201"]),
  ]

  @Test(arguments: brokenFiles) func `an error in groups and needs is reported at its position`(
    _ file: BrokenFile
  ) {
    file.expectReported()
  }
}
