import Testing
import WorkflowLanguage

/// Files whose mistakes are in what they say of the workflow as a whole.
struct BrokenWorkflowTests {
  typealias Mistake = MistakeTests.Mistake

  static let mistakes = [
    // The workflow.
    Mistake("version: 2\nsteps: [{id: a, run: x}]\n", ["1:1"], "a workflow has no key \"version\""),
    Mistake("Name: x\nsteps: [{id: a, run: x}]\n", ["1:1"], "did you mean \"name\"?"),
    Mistake("environment: {A: 1}\nsteps: [{id: a, run: x}]\n", ["1:1"], "did you mean \"env\"?"),
    Mistake("run: x\nsteps: [{id: a, run: x}]\n", ["1:1"], "a workflow has no key \"run\""),
    Mistake("\"\": x\nsteps: [{id: a, run: x}]\n", ["1:1"], "a workflow has no key"),
    Mistake("name: \"\"\nsteps: [{id: a, run: x}]\n", ["1:7"], "name is empty"),
    Mistake("name: \"  \"\nsteps: [{id: a, run: x}]\n", ["1:7"], "name is empty"),
    Mistake(
      "name: ${{ params.x }}\nsteps: [{id: a, run: x}]\n", ["1:7"], "name cannot be computed"),
    Mistake(
      "description: [a]\nsteps: [{id: a, run: x}]\n", ["1:14"],
      "description is a text, not a list"),
    Mistake("description: {a: b}\nsteps: [{id: a, run: x}]\n", ["1:14"], "quote this: 'a: b'"),
    Mistake(
      "description: Deploys to: production\nsteps: [{id: a, run: x}]\n", ["1:24"],
      "quote the text"),
    Mistake(
      "description: a ${{ params.x }}\nsteps: [{id: a, run: x}]\n", ["1:14"],
      "description cannot be computed"),
    Mistake("dir: [a]\nsteps: [{id: a, run: x}]\n", ["1:6"], "dir is a text, not a list"),
    Mistake(
      "dir: \"${{ steps.a.outputs.x }}\"\nsteps: [{id: a, run: x}]\n", ["1:11"],
      "\"steps\" cannot be used"),
    Mistake("shell: \"\"\nsteps: [{id: a, run: x}]\n", ["1:8"], "shell is empty"),
    Mistake("shell: [\"\", -c]\nsteps: [{id: a, run: x}]\n", ["1:9"], "shell names no program"),
    Mistake(
      "shell: [bash, [-c]]\nsteps: [{id: a, run: x}]\n", ["1:15"],
      "a part of shell is a text, not a list"),
    Mistake(
      "shell: ${{ params.shell }}\nsteps: [{id: a, run: x}]\n", ["1:8"],
      "shell cannot be computed"),
    Mistake("shell: {bash: -c}\nsteps: [{id: a, run: x}]\n", ["1:8"], "shell"),
    Mistake("timeout: 10 s\nsteps: [{id: a, run: x}]\n", ["1:10"], "write it like 500ms"),
    Mistake("timeout: 1m1h\nsteps: [{id: a, run: x}]\n", ["1:10"], "write it like 500ms"),
    Mistake("timeout: 10S\nsteps: [{id: a, run: x}]\n", ["1:10"], "write it like 500ms"),
    Mistake("timeout: 1w\nsteps: [{id: a, run: x}]\n", ["1:10"], "write it like 500ms"),
    Mistake("timeout: 1e3\nsteps: [{id: a, run: x}]\n", ["1:10"], "write it like 500ms"),
    Mistake("timeout: \"\"\nsteps: [{id: a, run: x}]\n", ["1:10"], "timeout is a duration"),
    Mistake("timeout: [1s]\nsteps: [{id: a, run: x}]\n", ["1:10"], "timeout is a text, not a list"),
    Mistake("timeout: 0.0001\nsteps: [{id: a, run: x}]\n", ["1:10"], "timeout is a duration"),
    Mistake(
      "timeout: 99999999999999999999h\nsteps: [{id: a, run: x}]\n", ["1:10"],
      "timeout is a duration"),
    Mistake(
      "timeout: ${{ prams.t }}\nsteps: [{id: a, run: x}]\n", ["1:14"], "did you mean \"params\"?"),
    Mistake(
      "params: {t: soon}\ntimeout: ${{ params.t }}\nsteps: [{id: a, run: x}]\n", ["2:10"],
      "timeout is a duration, not \"soon\""),
    Mistake("grace: soon\nsteps: [{id: a, run: x}]\n", ["1:8"], "write it like 500ms"),
    Mistake(
      "grace: true\nsteps: [{id: a, run: x}]\n", ["1:8"], "grace is a duration, not \"true\""),
    Mistake("max-parallel: -1\nsteps: [{id: a, run: x}]\n", ["1:15"], "a whole number from 1"),
    Mistake("max-parallel: 1.5\nsteps: [{id: a, run: x}]\n", ["1:15"], "a whole number from 1"),
    Mistake("max-parallel: 0x10\nsteps: [{id: a, run: x}]\n", ["1:15"], "a whole number from 1"),
    Mistake("max-parallel: many\nsteps: [{id: a, run: x}]\n", ["1:15"], "a whole number from 1"),
    Mistake("max-parallel: [2]\nsteps: [{id: a, run: x}]\n", ["1:15"], "a whole number from 1"),
    Mistake("max-parallel: 99999999999\nsteps: [{id: a, run: x}]\n", ["1:15"], "2147483647"),
    Mistake("max-parallel:\nsteps: [{id: a, run: x}]\n", ["1:14"], "a whole number from 1"),
    Mistake(
      "params: {n: x}\nmax-parallel: ${{ params.n }}\nsteps: [{id: a, run: x}]\n", ["2:15"],
      "a whole number from 1"),
    Mistake(
      "max-parallel: ${{ env.N }}\nsteps: [{id: a, run: x}]\n", ["1:19"], "\"env\" cannot be used"),
    Mistake("fail-fast: yes\nsteps: [{id: a, run: x}]\n", ["1:12"], "only true and false"),
    Mistake("fail-fast: \"true\"\nsteps: [{id: a, run: x}]\n", ["1:12"], "without quotes"),
    Mistake("fail-fast: 1\nsteps: [{id: a, run: x}]\n", ["1:12"], "fail-fast is true or false"),
    Mistake(
      "params: {f: maybe}\nfail-fast: ${{ params.f }}\nsteps: [{id: a, run: x}]\n", ["2:12"],
      "fail-fast is true or false"),
    Mistake("name: x\nsteps:\n", ["2:7"], "a list of steps is expected here, not nothing"),
    Mistake("steps: {a: {run: x}}\n", ["1:8"], "a list of steps is expected here, not a map"),
    Mistake("steps: [[{id: a, run: x}]]\n", ["1:9"], "a step is a map"),
    Mistake("steps: []\nfinally: []\n", ["1:8", "2:10"], "there is no step in this list"),
    Mistake("finally: x\nsteps: [{id: a, run: x}]\n", ["1:10"], "a list of steps is expected here"),
    // Concurrency.
    Mistake("concurrency:\nsteps: [{id: a, run: x}]\n", ["1:13"], "concurrency is a map"),
    Mistake(
      "concurrency: {group: \"\", policy: queue}\nsteps: [{id: a, run: x}]\n", ["1:22"],
      "group is empty"),
    Mistake(
      "concurrency: {group: [a], policy: queue}\nsteps: [{id: a, run: x}]\n", ["1:22"],
      "group is a text, not a list"),
    Mistake(
      "concurrency: {group: g, policy: \"${{ params.p }}\"}\nsteps: [{id: a, run: x}]\n", ["1:33"],
      "policy cannot be computed"),
    Mistake(
      "concurrency: {group: g, policy: wait}\nsteps: [{id: a, run: x}]\n", ["1:33"],
      "there are: parallel, queue, restart, reject"),
    Mistake(
      "concurrency: {group: \"${{ env.G }}\", policy: queue}\nsteps: [{id: a, run: x}]\n", ["1:27"],
      "\"env\" cannot be used"),
    Mistake(
      "concurrency: {group: \"${{ params.x }}\", policy: queue}\nsteps: [{id: a, run: x}]\n",
      ["1:27"],
      "there is no parameter \"x\""),
    Mistake(
      "concurrency: {group: [g], policy: wait}\nsteps: [{id: a, run: x}]\n", ["1:22", "1:35"],
      "there are: parallel, queue, restart, reject"),
    // Defaults.
    Mistake("defaults: 10s\nsteps: [{id: a, run: x}]\n", ["1:11"], "defaults is a map"),
    Mistake(
      "defaults: {env: {A: b}}\nsteps: [{id: a, run: x}]\n", ["1:12"],
      "it may have: timeout, retry, continue-on-error"),
    Mistake(
      "defaults: {time-out: 3s}\nsteps: [{id: a, run: x}]\n", ["1:12"],
      "did you mean \"timeout\"?"),
    Mistake(
      "defaults: {timeout: soon, retry: 0, continue-on-error: yes}\nsteps: [{id: a, run: x}]\n",
      ["1:21", "1:34", "1:56"],
      "3 mistakes"),
    Mistake(
      "defaults: {retry: {delay: 1s}}\nsteps: [{id: a, run: x}]\n", ["1:19"],
      "retry needs a \"limit\""),
    Mistake(
      "defaults: {timeout: \"${{ steps.a.outputs.x }}\"}\nsteps: [{id: a, run: x}]\n", ["1:26"],
      "\"steps\" cannot be used"),
  ]

  @Test(arguments: mistakes) func `a mistake in a key of the workflow is told where it is`(
    _ mistake: Mistake
  ) {
    mistake.expectTold()
  }
}
