import Testing
import WorkflowFiles

/// Files with errors in the keys of a step.
struct BrokenStepTests {
  typealias BrokenFile = DiagnosticTests.BrokenFile

  static let brokenFiles = [
    // Steps.
    BrokenFile("steps: [{id: , run: x}]\n", ["1:14 R0204"]),
    BrokenFile("steps: [{id: [a], run: x}]\n", ["1:14 R0204"]),
    BrokenFile("steps: [{id: \"\", run: x}]\n", ["1:14 R0302"]),
    BrokenFile("steps: [{id: a/b, run: x}]\n", ["1:14 R0302"]),
    BrokenFile("steps: [{id: a.b, run: x}]\n", ["1:14 R0302"]),
    BrokenFile("steps: [{id: größe, run: x}]\n", ["1:14 R0302"]),
    BrokenFile(
      "steps: [{id: -a, run: x}]\n", ["1:14 R0302"], hint: "beginning with a letter or digit"),
    BrokenFile(
      "steps: [{id: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa, run: x}]\n",
      ["1:14 R0302"],
      hint: "at most 64"),
    BrokenFile("steps: [{id: \"${{ params.x }}\", run: x}]\n", ["1:14 R0206"]),
    BrokenFile("steps: [{id: a, run: [x, y]}]\n", ["1:22 R0204"]),
    BrokenFile("steps:\n- id: a\n  run: echo a: b\n", ["3:14 R0108"], hint: "quote the text"),
    BrokenFile("steps:\n- id: a\n  run: !echo hi\n", ["3:8 R0113"], hint: "quote the text"),
    BrokenFile("steps: [{id: a, shell: bash}]\n", ["1:9 R0301"]),
    BrokenFile("steps: [{id: a, exec: [\"\", x]}]\n", ["1:24 R0215"]),
    BrokenFile("steps: [{id: a, exec: [x, ~]}]\n", ["1:27 R0204"]),
    BrokenFile("steps: [{id: a, exec: [x, {y: z}]}]\n", ["1:27 R0204"], hint: "quote this: 'y: z'"),
    BrokenFile("steps: [{id: a, exec: {a: b}}]\n", ["1:23 R0203"]),
    BrokenFile("steps: [{id: a, run: x, on: push}]\n", ["1:25 R0217"], hint: "use \"if\" here"),
    BrokenFile(
      "steps: [{id: a, run: x, with: {a: b}}]\n", ["1:25 R0217"]),
    BrokenFile(
      "steps: [{id: a, run: x, max-parallel: 2}]\n", ["1:25 R0217"], hint: "move it to the workflow"
    ),
    BrokenFile(
      "steps: [{id: a, run: x, fail-fast: true}]\n", ["1:25 R0217"], hint: "move it to the workflow"
    ),
    BrokenFile(
      "steps: [{id: a, run: x, timeout-minutes: 3}]\n", ["1:25 R0201"],
      hint: "did you mean \"timeout\"?"),
    BrokenFile(
      "steps: [{id: a, run: x, working-directory: b}]\n", ["1:25 R0201"],
      hint: "did you mean \"dir\"?"),
    BrokenFile("steps: [{id: a, run: x, timeout: 0}]\n", ["1:34 R0208"]),
    BrokenFile("steps: [{id: a, run: x, grace: \"\"}]\n", ["1:32 R0208"]),
    BrokenFile(
      "steps: [{id: a, run: x, continue-on-error: on}]\n", ["1:44 R0209"],
      hint: "only true and false"),
    BrokenFile(
      "steps: [{id: a, run: x, continue-on-error: \"${{ failure() }}\"}]\n", ["1:49 R0510"]),
    BrokenFile("steps: [{id: a, run: x, dir: }]\n", ["1:30 R0204"]),
    BrokenFile("steps: [{id: a, run: x, shell: []}]\n", ["1:32 R0215"]),
    BrokenFile("steps: [{id: a, run: x, mutex: \"\"}]\n", ["1:32 R0205"]),
    BrokenFile("steps: [{id: a, run: x, mutex: [m]}]\n", ["1:32 R0204"]),
    BrokenFile(
      "steps: [{id: a, run: x, mutex: \"${{ steps.b.outputs.x }}\"}]\n", ["1:37 R0510"]),
    BrokenFile("steps: [{id: a, approval: \"\"}]\n", ["1:27 R0205"]),
    BrokenFile("steps: [{id: a, approval: [who]}]\n", ["1:27 R0204"]),
    BrokenFile(
      "steps: [{id: a, approval: \"Go ${{ run.id }}?\"}]\n", ["1:35 R0510"]),
    BrokenFile(
      "steps: [{id: a, approval: go, foreach: [1, 2], run: x}]\n", ["1:17 R0310"],
      hint: "put a step with \"approval\" before it"),
    BrokenFile("steps: [{id: a, run: x, outputs: [b]}]\n", ["1:34 R0202"]),
    BrokenFile("steps: [{id: a, run: x, outputs: {1b: x}}]\n", ["1:35 R0212"]),
    BrokenFile(
      "steps: [{id: a, run: x, outputs: {b: [x]}}]\n", ["1:38 R0204"]),
    BrokenFile(
      "steps: [{id: a, run: x, outputs: {b: }}]\n", ["1:38 R0204"]),
    BrokenFile("steps: [{id: a, env: {B: [x]}}]\n", ["1:9 R0301", "1:26 R0204"]),
    BrokenFile(
      "outputs: [b]\nsteps: [{id: a, run: x}]\n", ["1:10 R0202"]),
    BrokenFile(
      "outputs: {b: \"${{ stdout }}\"}\nsteps: [{id: a, run: x}]\n", ["1:19 R0510"],
      hint: "\"outputs\" of a step"),
    BrokenFile(
      "outputs: {b: \"${{ steps.c.outputs.x }}\"}\nsteps: [{id: a, run: x}]\n", ["1:19 R0511"]),
    // Retry.
    BrokenFile("steps: [{id: a, run: x, retry: many}]\n", ["1:32 R0210"]),
    BrokenFile("steps: [{id: a, run: x, retry: true}]\n", ["1:32 R0210"]),
    BrokenFile("steps: [{id: a, run: x, retry: [3]}]\n", ["1:32 R0202"]),
    BrokenFile(
      "steps: [{id: a, run: x, retry: \"${{ params.n }}\"}]\n", ["1:32 R0210"],
      hint: "an expression is not allowed"),
    BrokenFile(
      "steps: [{id: a, run: x, retry: {limit: 1.5}}]\n", ["1:40 R0210"]),
    BrokenFile(
      "steps: [{id: a, run: x, retry: {max: 3, limit: 3}}]\n", ["1:33 R0201"],
      hint: "did you mean \"limit\"?"),
    BrokenFile(
      "steps: [{id: a, run: x, retry: {limit: 1, delay: -1s}}]\n", ["1:50 R0208"]),
    BrokenFile(
      "steps: [{id: a, run: x, retry: {limit: 1, max-delay: 0}}]\n", ["1:54 R0208"]),
    BrokenFile(
      "steps: [{id: a, run: x, retry: {limit: 1, backoff: 2}}]\n", ["1:52 R0211"],
      hint: "available: constant, linear, exponential"),
    BrokenFile(
      "steps: [{id: a, run: x, retry: {limit: 1, backoff: exponential, factor: 0.5}}]\n",
      ["1:73 R0210"]),
    BrokenFile(
      "steps: [{id: a, run: x, retry: {limit: 1, backoff: exponental, factor: 3}}]\n",
      ["1:52 R0211"],
      hint: "did you mean \"exponential\"?"),
    BrokenFile(
      "steps: [{id: a, run: x, retry: {limit: 1, backoff: linear, factor: 3}}]\n", ["1:68 R0217"]),
    BrokenFile(
      "steps: [{id: a, run: x, retry: {limit: 1, jitter: \"0.2\"}}]\n", ["1:51 R0210"]),
    BrokenFile("steps: [{id: a, run: x, retry: {limit: 1, jitter: -0.1}}]\n", ["1:51 R0210"]),
    BrokenFile("steps: [{id: a, run: x, retry: {limit: 1, jitter: 20%}}]\n", ["1:51 R0210"]),
    BrokenFile(
      "steps: [{id: a, run: x, retry: {limit: 1, for: []}}]\n", ["1:48 R0214"]),
    BrokenFile(
      "steps: [{id: a, run: x, retry: {limit: 1, for: [75, x]}}]\n", ["1:53 R0211"]),
    // Caches.
    BrokenFile("steps: [{id: a, run: x, cache: true}]\n", ["1:32 R0202"]),
    BrokenFile(
      "steps: [{id: a, run: x, cache: {}}]\n", ["1:32 R0213"]),
    BrokenFile(
      "steps: [{id: a, run: x, cache: {makes: [b]}}]\n", ["1:32 R0213"]),
    BrokenFile(
      "steps: [{id: a, run: x, cache: {input: [b], key: k}}]\n", ["1:33 R0201"],
      hint: "did you mean \"inputs\"?"),
    BrokenFile(
      "steps: [{id: a, run: x, cache: {inputs: [[b]]}}]\n", ["1:42 R0204"]),
    BrokenFile("steps: [{id: a, run: x, cache: {inputs: [b, \"\"]}}]\n", ["1:45 R0205"]),
    BrokenFile("steps: [{id: a, run: x, cache: {inputs: {b: c}}}]\n", ["1:41 R0204"]),
    BrokenFile(
      "steps: [{id: a, run: x, cache: {inputs: b, makes: }}]\n", ["1:51 R0204"]),
    BrokenFile("steps: [{id: a, run: x, cache: {key: [k]}}]\n", ["1:38 R0204"]),
    BrokenFile(
      "steps: [{id: a, run: x, cache: {key: \"${{ secrets.t }}\"}}]\n", ["1:43 R0510"],
      hint: "bind it in env"),
    BrokenFile(
      "steps: [{id: a, run: x, cache: {inputs: [\"${{ steps.b.outputs.f }}\"]}}]\n", ["1:47 R0510"]),
    BrokenFile("steps: [{id: a, run: x, cache: {depfile: [a.d]}}]\n", ["1:42 R0204"]),
    BrokenFile("steps: [{id: a, run: x, cache: {depfile: [a.d, b.d]}}]\n", ["1:42 R0204"]),
    BrokenFile("steps: [{id: a, run: x, cache: {depfile: []}}]\n", ["1:42 R0204"]),
    // Services.
    BrokenFile(
      "steps: [{id: a, service: x, ready: {run: ./check, port: 5432}}]\n", ["1:51 R0216"],
      hint: "check both in one script"),
    BrokenFile(
      "steps: [{id: a, service: x, ready: {report: false, line: up}}]\n", ["1:52 R0216"]),
    BrokenFile(
      "steps: [{id: a, service: x, ready: {port: 65536}}]\n", ["1:43 R0210"]),
    BrokenFile("steps: [{id: a, service: x, ready: {port: 0}}]\n", ["1:43 R0210"]),
    BrokenFile("steps: [{id: a, service: x, alive: {every: 1s}}]\n", ["1:36 R0213"]),
    BrokenFile("steps: [{id: a, service: x, alive: {line: up}}]\n", ["1:36 R0213", "1:37 R0201"]),
    BrokenFile("steps: [{id: a, service: x, alive: {run: x, port: 1}}]\n", ["1:45 R0216"]),
    BrokenFile("steps: [{id: a, run: x, alive: {port: 1}}]\n", ["1:25 R0217"]),
    BrokenFile(
      "steps: [{id: a, service: x, ready: {http: \"http://localhost:70000/\"}}]\n", ["1:43 R0221"]),
    // Other numbers with a limit.
    BrokenFile("steps: [{id: a, run: x, priority: 1001}]\n", ["1:35 R0210"]),
    BrokenFile("steps: [{id: a, run: x, priority: -1001}]\n", ["1:35 R0210"]),
    BrokenFile("steps: [{id: a, run: x, separate-streams: 1}]\n", ["1:43 R0209"]),
    // A pseudo-terminal has one stream, and no input.
    BrokenFile("steps: [{id: a, tty: true, terminal: true, run: x}]\n", ["1:28 R0216"]),
    BrokenFile("steps: [{id: a, tty: true, separate-streams: true, run: x}]\n", ["1:17 R0216"]),
    BrokenFile("steps: [{id: a, tty: true, share: b, run: x}]\n", ["1:17 R0216"]),
    BrokenFile("steps: [{id: a, tty: true, call: x}]\n", ["1:17 R0216"]),
    BrokenFile("steps: [{id: a, tty: true, wait: 1s}]\n", ["1:17 R0216"]),
    BrokenFile(
      "steps: [{id: a, tty: true, run: x, outputs: {v: \"${{ stdout }}\"}}]\n", ["1:36 R0216"]),
  ]

  @Test(arguments: brokenFiles) func `an error in a step is reported at its position`(
    _ file: BrokenFile
  ) {
    file.expectReported()
  }
}
