import Testing
import WorkflowFiles

/// Files with errors in the top-level keys.
struct BrokenWorkflowTests {
  typealias BrokenFile = DiagnosticTests.BrokenFile

  static let brokenFiles = [
    // The workflow.
    BrokenFile("version: 2\nsteps: [{id: a, run: x}]\n", ["1:1 R0201"]),
    BrokenFile(
      "Name: x\nsteps: [{id: a, run: x}]\n", ["1:1 R0201"], hint: "did you mean \"name\"?"),
    BrokenFile(
      "environment: {A: 1}\nsteps: [{id: a, run: x}]\n", ["1:1 R0201"],
      hint: "did you mean \"env\"?"),
    BrokenFile("run: x\nsteps: [{id: a, run: x}]\n", ["1:1 R0201"]),
    BrokenFile("\"\": x\nsteps: [{id: a, run: x}]\n", ["1:1 R0201"]),
    BrokenFile("name: \"\"\nsteps: [{id: a, run: x}]\n", ["1:7 R0205"]),
    BrokenFile("name: \"  \"\nsteps: [{id: a, run: x}]\n", ["1:7 R0205"]),
    BrokenFile(
      "name: ${{ params.x }}\nsteps: [{id: a, run: x}]\n", ["1:7 R0206"]),
    BrokenFile(
      "description: [a]\nsteps: [{id: a, run: x}]\n", ["1:14 R0204"]),
    BrokenFile(
      "description: {a: b}\nsteps: [{id: a, run: x}]\n", ["1:14 R0204"], hint: "quote this: 'a: b'"),
    BrokenFile(
      "description: Deploys to: production\nsteps: [{id: a, run: x}]\n", ["1:24 R0108"],
      hint: "quote the text"),
    BrokenFile(
      "description: a ${{ params.x }}\nsteps: [{id: a, run: x}]\n", ["1:14 R0206"]),
    BrokenFile("dir: [a]\nsteps: [{id: a, run: x}]\n", ["1:6 R0204"]),
    BrokenFile(
      "dir: \"${{ steps.a.outputs.x }}\"\nsteps: [{id: a, run: x}]\n", ["1:11 R0510"]),
    BrokenFile("shell: \"\"\nsteps: [{id: a, run: x}]\n", ["1:8 R0205"]),
    BrokenFile("shell: [\"\", -c]\nsteps: [{id: a, run: x}]\n", ["1:9 R0215"]),
    BrokenFile(
      "shell: [bash, [-c]]\nsteps: [{id: a, run: x}]\n", ["1:15 R0204"]),
    BrokenFile(
      "shell: ${{ params.shell }}\nsteps: [{id: a, run: x}]\n", ["1:8 R0206"]),
    BrokenFile("shell: {bash: -c}\nsteps: [{id: a, run: x}]\n", ["1:8 R0204"]),
    BrokenFile(
      "timeout: 10 s\nsteps: [{id: a, run: x}]\n", ["1:10 R0208"], hint: "write it like 500ms"),
    BrokenFile(
      "timeout: 1m1h\nsteps: [{id: a, run: x}]\n", ["1:10 R0208"], hint: "write it like 500ms"),
    BrokenFile(
      "timeout: 10S\nsteps: [{id: a, run: x}]\n", ["1:10 R0208"], hint: "write it like 500ms"),
    BrokenFile(
      "timeout: 1w\nsteps: [{id: a, run: x}]\n", ["1:10 R0208"], hint: "write it like 500ms"),
    BrokenFile(
      "timeout: 1e3\nsteps: [{id: a, run: x}]\n", ["1:10 R0208"], hint: "write it like 500ms"),
    BrokenFile("timeout: \"\"\nsteps: [{id: a, run: x}]\n", ["1:10 R0208"]),
    BrokenFile("timeout: [1s]\nsteps: [{id: a, run: x}]\n", ["1:10 R0204"]),
    BrokenFile("timeout: 0.0001\nsteps: [{id: a, run: x}]\n", ["1:10 R0208"]),
    BrokenFile(
      "timeout: 99999999999999999999h\nsteps: [{id: a, run: x}]\n", ["1:10 R0208"]),
    BrokenFile(
      "timeout: ${{ prams.t }}\nsteps: [{id: a, run: x}]\n", ["1:14 R0505"],
      hint: "did you mean \"params\"?"),
    BrokenFile(
      "params: {t: soon}\ntimeout: ${{ params.t }}\nsteps: [{id: a, run: x}]\n", ["2:10 R0208"]),
    BrokenFile(
      "grace: soon\nsteps: [{id: a, run: x}]\n", ["1:8 R0208"], hint: "write it like 500ms"),
    BrokenFile(
      "grace: true\nsteps: [{id: a, run: x}]\n", ["1:8 R0208"]),
    BrokenFile("max-parallel: -1\nsteps: [{id: a, run: x}]\n", ["1:15 R0210"]),
    BrokenFile("max-parallel: 1.5\nsteps: [{id: a, run: x}]\n", ["1:15 R0210"]),
    BrokenFile("max-parallel: 0x10\nsteps: [{id: a, run: x}]\n", ["1:15 R0210"]),
    BrokenFile("max-parallel: many\nsteps: [{id: a, run: x}]\n", ["1:15 R0210"]),
    BrokenFile("max-parallel: [2]\nsteps: [{id: a, run: x}]\n", ["1:15 R0210"]),
    BrokenFile("max-parallel: 99999999999\nsteps: [{id: a, run: x}]\n", ["1:15 R0210"]),
    BrokenFile("max-parallel:\nsteps: [{id: a, run: x}]\n", ["1:14 R0210"]),
    BrokenFile(
      "params: {n: x}\nmax-parallel: ${{ params.n }}\nsteps: [{id: a, run: x}]\n", ["2:15 R0210"]),
    BrokenFile(
      "max-parallel: ${{ env.N }}\nsteps: [{id: a, run: x}]\n", ["1:19 R0510"]),
    BrokenFile(
      "fail-fast: yes\nsteps: [{id: a, run: x}]\n", ["1:12 R0209"], hint: "only true and false"),
    BrokenFile(
      "fail-fast: \"true\"\nsteps: [{id: a, run: x}]\n", ["1:12 R0209"], hint: "without quotes"),
    BrokenFile("fail-fast: 0\nsteps: [{id: a, run: x}]\n", ["1:12 R0210"]),
    BrokenFile(
      "params: {f: maybe}\nfail-fast: ${{ params.f }}\nsteps: [{id: a, run: x}]\n", ["2:12 R0209"]),
    BrokenFile("name: x\nsteps:\n", ["2:7 R0203"]),
    BrokenFile("steps: {a: {run: x}}\n", ["1:8 R0203"]),
    BrokenFile("steps: [[{id: a, run: x}]]\n", ["1:9 R0202"]),
    BrokenFile("steps: []\nfinally: []\n", ["1:8 R0214", "2:10 R0214"]),
    BrokenFile("finally: x\nsteps: [{id: a, run: x}]\n", ["1:10 R0203"]),
    // Concurrency.
    BrokenFile("concurrency:\nsteps: [{id: a, run: x}]\n", ["1:13 R0202"]),
    BrokenFile(
      "concurrency: {group: \"\", policy: queue}\nsteps: [{id: a, run: x}]\n", ["1:22 R0205"]),
    BrokenFile(
      "concurrency: {group: [a], policy: queue}\nsteps: [{id: a, run: x}]\n", ["1:22 R0204"]),
    BrokenFile(
      "concurrency: {group: g, policy: \"${{ params.p }}\"}\nsteps: [{id: a, run: x}]\n",
      ["1:33 R0206"]),
    BrokenFile(
      "concurrency: {group: g, policy: wait}\nsteps: [{id: a, run: x}]\n", ["1:33 R0211"],
      hint: "available: parallel, queue, restart, reject"),
    BrokenFile(
      "concurrency: {group: \"${{ env.G }}\", policy: queue}\nsteps: [{id: a, run: x}]\n",
      ["1:27 R0510"]),
    BrokenFile(
      "concurrency: {group: \"${{ params.x }}\", policy: queue}\nsteps: [{id: a, run: x}]\n",
      ["1:27 R0511"]),
    BrokenFile(
      "concurrency: {group: [g], policy: wait}\nsteps: [{id: a, run: x}]\n",
      ["1:22 R0204", "1:35 R0211"],
      hint: "available: parallel, queue, restart, reject"),
    // Defaults.
    BrokenFile("defaults: 10s\nsteps: [{id: a, run: x}]\n", ["1:11 R0202"]),
    BrokenFile(
      "defaults: {env: {A: b}}\nsteps: [{id: a, run: x}]\n", ["1:12 R0201"],
      hint: "valid keys: timeout, retry, continue-on-error"),
    BrokenFile(
      "defaults: {time-out: 3s}\nsteps: [{id: a, run: x}]\n", ["1:12 R0201"],
      hint: "did you mean \"timeout\"?"),
    BrokenFile(
      "defaults: {timeout: soon, retry: 0, continue-on-error: yes}\nsteps: [{id: a, run: x}]\n",
      ["1:21 R0208", "1:34 R0210", "1:56 R0209"]),
    BrokenFile(
      "defaults: {retry: {delay: 1s}}\nsteps: [{id: a, run: x}]\n", ["1:19 R0213"]),
    BrokenFile(
      "defaults: {timeout: \"${{ steps.a.outputs.x }}\"}\nsteps: [{id: a, run: x}]\n",
      ["1:26 R0510"]),
  ]

  @Test(arguments: brokenFiles)
  func `an error in a key of the workflow is reported at its position`(
    _ file: BrokenFile
  ) {
    file.expectReported()
  }
}
