import Testing
import WorkflowLanguage

/// Files whose mistakes are in the keys of a step.
struct BrokenStepTests {
  typealias Mistake = MistakeTests.Mistake

  static let mistakes = [
    // Steps.
    Mistake("steps: [{id: , run: x}]\n", ["1:14"], "id is a text, not nothing"),
    Mistake("steps: [{id: [a], run: x}]\n", ["1:14"], "id is a text, not a list"),
    Mistake("steps: [{id: \"\", run: x}]\n", ["1:14"], "cannot be an id"),
    Mistake("steps: [{id: a/b, run: x}]\n", ["1:14"], "cannot be an id"),
    Mistake("steps: [{id: a.b, run: x}]\n", ["1:14"], "cannot be an id"),
    Mistake("steps: [{id: größe, run: x}]\n", ["1:14"], "cannot be an id"),
    Mistake("steps: [{id: -a, run: x}]\n", ["1:14"], "beginning with a letter or digit"),
    Mistake(
      "steps: [{id: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa, run: x}]\n",
      ["1:14"],
      "at most 64"),
    Mistake("steps: [{id: \"${{ params.x }}\", run: x}]\n", ["1:14"], "id cannot be computed"),
    Mistake("steps: [{id: a, run: [x, y]}]\n", ["1:22"], "run is a text, not a list"),
    Mistake("steps:\n- id: a\n  run: echo a: b\n", ["3:14"], "quote the text"),
    Mistake("steps:\n- id: a\n  run: !echo hi\n", ["3:8"], "quote the text"),
    Mistake("steps: [{id: a, shell: bash}]\n", ["1:9"], "this step does nothing"),
    Mistake("steps: [{id: a, exec: [\"\", x]}]\n", ["1:24"], "exec names no program"),
    Mistake("steps: [{id: a, exec: [x, ~]}]\n", ["1:27"], "an argument is a text, not nothing"),
    Mistake("steps: [{id: a, exec: [x, {y: z}]}]\n", ["1:27"], "quote this: 'y: z'"),
    Mistake("steps: [{id: a, exec: {a: b}}]\n", ["1:23"], "a list of texts is expected here"),
    Mistake("steps: [{id: a, run: x, on: push}]\n", ["1:25"], "use \"if\" here"),
    Mistake(
      "steps: [{id: a, run: x, with: {a: b}}]\n", ["1:25"],
      "belongs to a step with \"call\" or \"uses\""),
    Mistake("steps: [{id: a, run: x, max-parallel: 2}]\n", ["1:25"], "give it to the workflow"),
    Mistake("steps: [{id: a, run: x, fail-fast: true}]\n", ["1:25"], "give it to the workflow"),
    Mistake("steps: [{id: a, run: x, name: b}]\n", ["1:25"], "a step has no key \"name\""),
    Mistake(
      "steps: [{id: a, run: x, timeout-minutes: 3}]\n", ["1:25"], "did you mean \"timeout\"?"),
    Mistake("steps: [{id: a, run: x, working-directory: b}]\n", ["1:25"], "did you mean \"dir\"?"),
    Mistake("steps: [{id: a, run: x, timeout: 0}]\n", ["1:34"], "timeout is a duration"),
    Mistake("steps: [{id: a, run: x, grace: \"\"}]\n", ["1:32"], "grace is a duration"),
    Mistake("steps: [{id: a, run: x, continue-on-error: on}]\n", ["1:44"], "only true and false"),
    Mistake(
      "steps: [{id: a, run: x, continue-on-error: \"${{ failure() }}\"}]\n", ["1:49"],
      "failure() cannot be used in continue-on-error"),
    Mistake("steps: [{id: a, run: x, dir: }]\n", ["1:30"], "dir is a text, not nothing"),
    Mistake("steps: [{id: a, run: x, shell: []}]\n", ["1:32"], "shell names no program"),
    Mistake("steps: [{id: a, run: x, mutex: \"\"}]\n", ["1:32"], "mutex is empty"),
    Mistake("steps: [{id: a, run: x, mutex: [m]}]\n", ["1:32"], "mutex is a text, not a list"),
    Mistake(
      "steps: [{id: a, run: x, mutex: \"${{ steps.b.outputs.x }}\"}]\n", ["1:37"],
      "known before the run begins"),
    Mistake("steps: [{id: a, approval: \"\"}]\n", ["1:27"], "approval is empty"),
    Mistake("steps: [{id: a, approval: [who]}]\n", ["1:27"], "approval is a text, not a list"),
    Mistake(
      "steps: [{id: a, approval: \"Go ${{ run.id }}?\"}]\n", ["1:35"],
      "known before the run begins"),
    Mistake(
      "steps: [{id: a, approval: go, foreach: [1, 2], run: x}]\n", ["1:17"],
      "put a step with \"approval\" before it"),
    Mistake("steps: [{id: a, run: x, outputs: [b]}]\n", ["1:34"], "outputs of a step is a map"),
    Mistake("steps: [{id: a, run: x, outputs: {1b: x}}]\n", ["1:35"], "cannot be a name here"),
    Mistake(
      "steps: [{id: a, run: x, outputs: {b: [x]}}]\n", ["1:38"],
      "the output \"b\" is a text, not a list"),
    Mistake(
      "steps: [{id: a, run: x, outputs: {b: }}]\n", ["1:38"],
      "the output \"b\" is a text, not nothing"),
    Mistake("steps: [{id: a, env: {B: [x]}}]\n", ["1:9", "1:26"], "this step does nothing"),
    Mistake(
      "outputs: [b]\nsteps: [{id: a, run: x}]\n", ["1:10"], "outputs of the workflow is a map"),
    Mistake(
      "outputs: {b: \"${{ stdout }}\"}\nsteps: [{id: a, run: x}]\n", ["1:19"],
      "\"outputs\" of a step"),
    Mistake(
      "outputs: {b: \"${{ steps.c.outputs.x }}\"}\nsteps: [{id: a, run: x}]\n", ["1:19"],
      "there is no step \"c\""),
    // Retry.
    Mistake("steps: [{id: a, run: x, retry: many}]\n", ["1:32"], "a whole number from 1"),
    Mistake("steps: [{id: a, run: x, retry: true}]\n", ["1:32"], "a whole number from 1"),
    Mistake("steps: [{id: a, run: x, retry: [3]}]\n", ["1:32"], "retry"),
    Mistake(
      "steps: [{id: a, run: x, retry: \"${{ params.n }}\"}]\n", ["1:32"], "cannot be computed"),
    Mistake(
      "steps: [{id: a, run: x, retry: {limit: 1.5}}]\n", ["1:40"],
      "limit is a whole number from 1"),
    Mistake(
      "steps: [{id: a, run: x, retry: {max: 3, limit: 3}}]\n", ["1:33"], "did you mean \"limit\"?"),
    Mistake(
      "steps: [{id: a, run: x, retry: {limit: 1, delay: -1s}}]\n", ["1:50"], "delay is a duration"),
    Mistake(
      "steps: [{id: a, run: x, retry: {limit: 1, max-delay: 0}}]\n", ["1:54"],
      "max-delay is a duration"),
    Mistake(
      "steps: [{id: a, run: x, retry: {limit: 1, backoff: 2}}]\n", ["1:52"],
      "there are: constant, linear, exponential"),
    Mistake(
      "steps: [{id: a, run: x, retry: {limit: 1, backoff: exponential, factor: 0.5}}]\n", ["1:73"],
      "from 1 to 1000"),
    Mistake(
      "steps: [{id: a, run: x, retry: {limit: 1, backoff: exponental, factor: 3}}]\n", ["1:52"],
      "did you mean \"exponential\"?"),
    Mistake(
      "steps: [{id: a, run: x, retry: {limit: 1, backoff: linear, factor: 3}}]\n", ["1:68"],
      "\"backoff: exponential\" only"),
    Mistake(
      "steps: [{id: a, run: x, retry: {limit: 1, jitter: \"0.2\"}}]\n", ["1:51"],
      "jitter is a number from 0 to 1"),
    Mistake("steps: [{id: a, run: x, retry: {limit: 1, jitter: -0.1}}]\n", ["1:51"], "from 0 to 1"),
    Mistake("steps: [{id: a, run: x, retry: {limit: 1, jitter: 20%}}]\n", ["1:51"], "from 0 to 1"),
    Mistake(
      "steps: [{id: a, run: x, retry: {limit: 1, on: []}}]\n", ["1:47"],
      "there is no exit status in this list"),
    Mistake(
      "steps: [{id: a, run: x, retry: {limit: 1, on: [75, x]}}]\n", ["1:52"],
      "an exit status is a whole number from 1"),
    // Caches.
    Mistake("steps: [{id: a, run: x, cache: true}]\n", ["1:32"], "cache is a map"),
    Mistake(
      "steps: [{id: a, run: x, cache: {}}]\n", ["1:32"], "cache needs \"inputs\" or a \"key\""),
    Mistake(
      "steps: [{id: a, run: x, cache: {outputs: [b]}}]\n", ["1:32"],
      "cache needs \"inputs\" or a \"key\""),
    Mistake(
      "steps: [{id: a, run: x, cache: {input: [b], key: k}}]\n", ["1:33"],
      "did you mean \"inputs\"?"),
    Mistake(
      "steps: [{id: a, run: x, cache: {inputs: [[b]]}}]\n", ["1:42"],
      "inputs is a text, not a list"),
    Mistake("steps: [{id: a, run: x, cache: {inputs: [b, \"\"]}}]\n", ["1:45"], "inputs is empty"),
    Mistake("steps: [{id: a, run: x, cache: {inputs: {b: c}}}]\n", ["1:41"], "inputs"),
    Mistake(
      "steps: [{id: a, run: x, cache: {inputs: b, outputs: }}]\n", ["1:53"],
      "outputs is a text, not nothing"),
    Mistake("steps: [{id: a, run: x, cache: {key: [k]}}]\n", ["1:38"], "key is a text, not a list"),
    Mistake(
      "steps: [{id: a, run: x, cache: {key: \"${{ secrets.t }}\"}}]\n", ["1:43"], "bind it in env"),
    Mistake(
      "steps: [{id: a, run: x, cache: {inputs: [\"${{ steps.b.outputs.f }}\"]}}]\n", ["1:47"],
      "known before the run begins"),
  ]

  @Test(arguments: mistakes) func `a mistake in a step is told where it is`(_ mistake: Mistake) {
    mistake.expectTold()
  }
}
