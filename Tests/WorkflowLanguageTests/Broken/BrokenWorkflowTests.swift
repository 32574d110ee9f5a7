import Testing
import WorkflowLanguage

/// Files with errors in the top-level keys.
struct BrokenWorkflowTests {
  typealias Mistake = MistakeTests.Mistake

  static let mistakes = [
    // The workflow.
    Mistake("version: 2\nsteps: [{id: a, run: x}]\n", ["1:1 R0201"]),
    Mistake("Name: x\nsteps: [{id: a, run: x}]\n", ["1:1 R0201"], hint: "did you mean \"name\"?"),
    Mistake(
      "environment: {A: 1}\nsteps: [{id: a, run: x}]\n", ["1:1 R0201"],
      hint: "did you mean \"env\"?"),
    Mistake("run: x\nsteps: [{id: a, run: x}]\n", ["1:1 R0201"]),
    Mistake("\"\": x\nsteps: [{id: a, run: x}]\n", ["1:1 R0201"]),
    Mistake("name: \"\"\nsteps: [{id: a, run: x}]\n", ["1:7 R0205"]),
    Mistake("name: \"  \"\nsteps: [{id: a, run: x}]\n", ["1:7 R0205"]),
    Mistake(
      "name: ${{ params.x }}\nsteps: [{id: a, run: x}]\n", ["1:7 R0206"]),
    Mistake(
      "description: [a]\nsteps: [{id: a, run: x}]\n", ["1:14 R0204"]),
    Mistake(
      "description: {a: b}\nsteps: [{id: a, run: x}]\n", ["1:14 R0204"], hint: "quote this: 'a: b'"),
    Mistake(
      "description: Deploys to: production\nsteps: [{id: a, run: x}]\n", ["1:24 R0108"],
      hint: "quote the text"),
    Mistake(
      "description: a ${{ params.x }}\nsteps: [{id: a, run: x}]\n", ["1:14 R0206"]),
    Mistake("dir: [a]\nsteps: [{id: a, run: x}]\n", ["1:6 R0204"]),
    Mistake(
      "dir: \"${{ steps.a.outputs.x }}\"\nsteps: [{id: a, run: x}]\n", ["1:11 R0510"]),
    Mistake("shell: \"\"\nsteps: [{id: a, run: x}]\n", ["1:8 R0205"]),
    Mistake("shell: [\"\", -c]\nsteps: [{id: a, run: x}]\n", ["1:9 R0215"]),
    Mistake(
      "shell: [bash, [-c]]\nsteps: [{id: a, run: x}]\n", ["1:15 R0204"]),
    Mistake(
      "shell: ${{ params.shell }}\nsteps: [{id: a, run: x}]\n", ["1:8 R0206"]),
    Mistake("shell: {bash: -c}\nsteps: [{id: a, run: x}]\n", ["1:8 R0204"]),
    Mistake(
      "timeout: 10 s\nsteps: [{id: a, run: x}]\n", ["1:10 R0208"], hint: "write it like 500ms"),
    Mistake(
      "timeout: 1m1h\nsteps: [{id: a, run: x}]\n", ["1:10 R0208"], hint: "write it like 500ms"),
    Mistake(
      "timeout: 10S\nsteps: [{id: a, run: x}]\n", ["1:10 R0208"], hint: "write it like 500ms"),
    Mistake("timeout: 1w\nsteps: [{id: a, run: x}]\n", ["1:10 R0208"], hint: "write it like 500ms"),
    Mistake(
      "timeout: 1e3\nsteps: [{id: a, run: x}]\n", ["1:10 R0208"], hint: "write it like 500ms"),
    Mistake("timeout: \"\"\nsteps: [{id: a, run: x}]\n", ["1:10 R0208"]),
    Mistake("timeout: [1s]\nsteps: [{id: a, run: x}]\n", ["1:10 R0204"]),
    Mistake("timeout: 0.0001\nsteps: [{id: a, run: x}]\n", ["1:10 R0208"]),
    Mistake(
      "timeout: 99999999999999999999h\nsteps: [{id: a, run: x}]\n", ["1:10 R0208"]),
    Mistake(
      "timeout: ${{ prams.t }}\nsteps: [{id: a, run: x}]\n", ["1:14 R0505"],
      hint: "did you mean \"params\"?"),
    Mistake(
      "params: {t: soon}\ntimeout: ${{ params.t }}\nsteps: [{id: a, run: x}]\n", ["2:10 R0208"]),
    Mistake("grace: soon\nsteps: [{id: a, run: x}]\n", ["1:8 R0208"], hint: "write it like 500ms"),
    Mistake(
      "grace: true\nsteps: [{id: a, run: x}]\n", ["1:8 R0208"]),
    Mistake("max-parallel: -1\nsteps: [{id: a, run: x}]\n", ["1:15 R0210"]),
    Mistake("max-parallel: 1.5\nsteps: [{id: a, run: x}]\n", ["1:15 R0210"]),
    Mistake("max-parallel: 0x10\nsteps: [{id: a, run: x}]\n", ["1:15 R0210"]),
    Mistake("max-parallel: many\nsteps: [{id: a, run: x}]\n", ["1:15 R0210"]),
    Mistake("max-parallel: [2]\nsteps: [{id: a, run: x}]\n", ["1:15 R0210"]),
    Mistake("max-parallel: 99999999999\nsteps: [{id: a, run: x}]\n", ["1:15 R0210"]),
    Mistake("max-parallel:\nsteps: [{id: a, run: x}]\n", ["1:14 R0210"]),
    Mistake(
      "params: {n: x}\nmax-parallel: ${{ params.n }}\nsteps: [{id: a, run: x}]\n", ["2:15 R0210"]),
    Mistake(
      "max-parallel: ${{ env.N }}\nsteps: [{id: a, run: x}]\n", ["1:19 R0510"]),
    Mistake(
      "fail-fast: yes\nsteps: [{id: a, run: x}]\n", ["1:12 R0209"], hint: "only true and false"),
    Mistake(
      "fail-fast: \"true\"\nsteps: [{id: a, run: x}]\n", ["1:12 R0209"], hint: "without quotes"),
    Mistake("fail-fast: 1\nsteps: [{id: a, run: x}]\n", ["1:12 R0209"]),
    Mistake(
      "params: {f: maybe}\nfail-fast: ${{ params.f }}\nsteps: [{id: a, run: x}]\n", ["2:12 R0209"]),
    Mistake("name: x\nsteps:\n", ["2:7 R0203"]),
    Mistake("steps: {a: {run: x}}\n", ["1:8 R0203"]),
    Mistake("steps: [[{id: a, run: x}]]\n", ["1:9 R0202"]),
    Mistake("steps: []\nfinally: []\n", ["1:8 R0214", "2:10 R0214"]),
    Mistake("finally: x\nsteps: [{id: a, run: x}]\n", ["1:10 R0203"]),
    // Concurrency.
    Mistake("concurrency:\nsteps: [{id: a, run: x}]\n", ["1:13 R0202"]),
    Mistake(
      "concurrency: {group: \"\", policy: queue}\nsteps: [{id: a, run: x}]\n", ["1:22 R0205"]),
    Mistake(
      "concurrency: {group: [a], policy: queue}\nsteps: [{id: a, run: x}]\n", ["1:22 R0204"]),
    Mistake(
      "concurrency: {group: g, policy: \"${{ params.p }}\"}\nsteps: [{id: a, run: x}]\n",
      ["1:33 R0206"]),
    Mistake(
      "concurrency: {group: g, policy: wait}\nsteps: [{id: a, run: x}]\n", ["1:33 R0211"],
      hint: "available: parallel, queue, restart, reject"),
    Mistake(
      "concurrency: {group: \"${{ env.G }}\", policy: queue}\nsteps: [{id: a, run: x}]\n",
      ["1:27 R0510"]),
    Mistake(
      "concurrency: {group: \"${{ params.x }}\", policy: queue}\nsteps: [{id: a, run: x}]\n",
      ["1:27 R0511"]),
    Mistake(
      "concurrency: {group: [g], policy: wait}\nsteps: [{id: a, run: x}]\n",
      ["1:22 R0204", "1:35 R0211"],
      hint: "available: parallel, queue, restart, reject"),
    // Defaults.
    Mistake("defaults: 10s\nsteps: [{id: a, run: x}]\n", ["1:11 R0202"]),
    Mistake(
      "defaults: {env: {A: b}}\nsteps: [{id: a, run: x}]\n", ["1:12 R0201"],
      hint: "valid keys: timeout, retry, continue-on-error"),
    Mistake(
      "defaults: {time-out: 3s}\nsteps: [{id: a, run: x}]\n", ["1:12 R0201"],
      hint: "did you mean \"timeout\"?"),
    Mistake(
      "defaults: {timeout: soon, retry: 0, continue-on-error: yes}\nsteps: [{id: a, run: x}]\n",
      ["1:21 R0208", "1:34 R0210", "1:56 R0209"]),
    Mistake(
      "defaults: {retry: {delay: 1s}}\nsteps: [{id: a, run: x}]\n", ["1:19 R0213"]),
    Mistake(
      "defaults: {timeout: \"${{ steps.a.outputs.x }}\"}\nsteps: [{id: a, run: x}]\n",
      ["1:26 R0510"]),
  ]

  @Test(arguments: mistakes) func `an error in a key of the workflow is reported at its position`(
    _ mistake: Mistake
  ) {
    mistake.expectTold()
  }
}
