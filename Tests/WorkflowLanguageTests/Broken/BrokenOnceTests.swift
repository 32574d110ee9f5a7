// Files with one error, and what is to be reported of it; and errors that must not hide one another.

import Testing
import WorkflowLanguage

/// One error is reported once, with a hint that says how to write it.
struct BrokenOnceTests {
  typealias Mistake = MistakeTests.Mistake

  static let misspelt = [
    Mistake("steps: [{id: a, rnu: x}]\n", ["1:17"], "did you mean \"run\"?"),
    Mistake("step: [{id: a, run: x}]\n", ["1:1"], "did you mean \"steps\"?"),
    Mistake("steps: [{idd: a, run: x}, {id: b, run: x, needs: a}]\n", ["1:10"], "\"id\"?"),
    Mistake(
      "steps: [{id: a, run: x, neds: b}, {id: b, run: x, needs: a}]\n", ["1:25", "1:31"],
      "dependency cycle: a -> b -> a"),
    Mistake("steps: [{paralel: [{id: a, run: x}]}]\n", ["1:10"], "did you mean \"parallel\"?"),
    Mistake("steps: [{id: a, parallel: [{id: b, run: x}]}]\n", ["1:9", "1:17"], "no \"id\""),
    Mistake("steps: [{name: build, run: x}]\n", ["1:10"], "names are ids here: write id: build"),
    Mistake("steps: [{name: Build all, run: x}]\n", ["1:10"], "names are ids here"),
    Mistake("concurrency: {grup: g, policy: queue}\nsteps: [{id: a, run: x}]\n", ["1:15"], "group"),
    Mistake("steps: [{id: a, run: x, retry: {limt: 2}}]\n", ["1:33"], "did you mean \"limit\"?"),
    Mistake("steps: [{id: a, run: x, cache: {input: a}}]\n", ["1:33"], "did you mean \"inputs\"?"),
    Mistake(
      "secrets: {t: {evn: T}}\nsteps: [{id: a, run: x}]\n", ["1:15"], "did you mean \"env\"?"),
    Mistake(
      "on: {files: {path: a}}\nsteps: [{id: a, run: x}]\n", ["1:14"], "did you mean \"paths\"?"),
    Mistake(
      "on: {schedule: {crom: '0 5 * * *'}}\nsteps: [{id: a, run: x}]\n", ["1:17"], "\"cron\"?"),
    Mistake(
      "steps: [{id: a, run: x, foreach: {from: 1, too: 2}}]\n", ["1:44"], "did you mean \"to\"?"),
    // A key that is there already is only reported.
    Mistake("steps: [{id: a, run: x, rnu: y}]\n", ["1:25"], "did you mean \"run\"?"),
    // The value of a key that was meant is checked as well.
    Mistake("steps: [{id: a, rnu: [x]}]\n", ["1:17", "1:22"], "run is a text, not a list"),
  ]

  static let hints = [
    Mistake(
      "on: {schedule: '0 5 * * *'}\nsteps: [{id: a, run: x}]\n", ["1:16"], "{ cron: \"0 5 * * *\" }"
    ),
    Mistake(
      "concurrency: deploy\nsteps: [{id: a, run: x}]\n", ["1:14"],
      "{ group: deploy, policy: queue }"),
    Mistake("steps: [{id: a, run: [make, test]}]\n", ["1:22"], "did you mean \"exec\"?"),
    Mistake("env: [A=1]\nsteps: [{id: a, run: x}]\n", ["1:6"], "{ A: \"1\" }"),
    Mistake("env: A\nsteps: [{id: a, run: x}]\n", ["1:6"], "{ NAME: value }"),
    Mistake(
      "steps: [{id: a, run: x, env: {T: \"${{ secrets.TOKEN }}\"}}]\n", ["1:39"],
      "declare it: secrets: { TOKEN: { env: TOKEN } }"),
    Mistake("steps:\n- id: a\n    run: x\n", ["3:8"], "indent \"run\" like \"id\" above"),
    Mistake(
      "steps: [{id: a, run: x, container: node:20}]\n", ["1:25"],
      "exec: [docker, run, --rm, node:20, …]"),
    Mistake("services: {db: x}\nsteps: [{id: a, run: x}]\n", ["1:1"], "steps run on this machine"),
    Mistake(
      "steps: [{id: a, run: x, retry: {attempts: 3, delay: -1}}]\n", ["1:33", "1:53"],
      "delay is a duration, not \"-1\""),
    Mistake(
      "steps: [{id: a, run: x, if: \"null == 0\"}]\n", ["1:30"],
      "nothing and a number are never equal"),
    Mistake("jobs: {a: {runs-on: x}}\n", ["1:1"], "This looks like GitHub Actions"),
    Mistake("tasks: {a: {cmds: [x]}}\n", ["1:1"], "This looks like a Taskfile"),
  ]

  private static func withSecret(_ expression: String) -> String {
    "secrets: {t: {env: T}}\nenv: {T: \"${{ secrets.t }}\"}\n"
      + "steps: [{id: a, exec: [x, \"${{ \(expression) }}\"]}]\n"
  }

  static let secrets = [
    Mistake(withSecret("env.T"), ["3:32"], "\"env.T\" holds a secret"),
    Mistake(withSecret("env['T']"), ["3:32"], "\"env.T\" holds a secret"),
    Mistake(withSecret("toJSON(env)"), ["3:39"], "\"env\" holds a secret (T)"),
    Mistake(withSecret("env[workflow.name]"), ["3:32"], "\"env\" holds a secret (T)"),
    Mistake(withSecret("join(env.*)"), ["3:37"], "\"env\" holds a secret (T)"),
  ]

  static let withoutEffect = [
    Mistake(
      "steps: [{id: a, approval: Go?, timeout: 1m, retry: 2}]\n", ["1:32", "1:45"],
      "a step that only waits for approval has no work for \"timeout\""),
    Mistake(
      "steps: [{id: a, approval: Go?, cache: {key: k}}]\n", ["1:32"], "no work for \"cache\""),
  ]

  static let together = [
    Mistake(
      """
      nam: x
      steps:
      - { id: a, run: x, needs: [b] }
      - { id: b, run: x, needs: [a, gone] }
      - { id: c, rnu: x }
      """, ["1:1", "3:28", "4:31", "5:12"], "dependency cycle: a -> b -> a"),
    Mistake(
      "steps: [{id: a, run: x, needs: b}, {id: b, run: x, needs: a}, {id: b, run: y}]\n",
      ["1:32", "1:68"], "dependency cycle: a -> b -> a"),
    Mistake(
      "steps: [{id: a, run: x, needs: b}, {id: b, run: x, needs: [a, u]}, {id: u, uses: x}]\n",
      ["1:32", "1:82"], "dependency cycle: a -> b -> a"),
  ]

  @Test(arguments: misspelt + hints + secrets + withoutEffect + together)
  func `each error is reported once, with what to write`(_ mistake: Mistake) {
    do {
      let workflow = try Workflow(text: mistake.text, file: "w.yaml")
      Issue.record("was accepted: \(workflow.steps)")
    } catch {
      #expect(error.diagnostics.map { "\($0.line):\($0.column)" } == mistake.places, "\(error)")
      #expect(error.description.contains(mistake.says), "\(error)")
    }
  }
}
