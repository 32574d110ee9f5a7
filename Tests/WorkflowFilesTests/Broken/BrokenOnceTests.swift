// Tests that each error is reported once, and that errors do not hide one another.

import Testing
import WorkflowFiles

/// One error is reported once, with a hint that shows the correct form.
struct BrokenOnceTests {
  typealias BrokenFile = DiagnosticTests.BrokenFile

  static let misspelt = [
    BrokenFile("steps: [{id: a, rnu: x}]\n", ["1:17 R0201"], hint: "did you mean \"run\"?"),
    BrokenFile("step: [{id: a, run: x}]\n", ["1:1 R0201"], hint: "did you mean \"steps\"?"),
    BrokenFile(
      "steps: [{idd: a, run: x}, {id: b, run: x, needs: a}]\n", ["1:10 R0201"], hint: "\"id\"?"),
    BrokenFile(
      "steps: [{id: a, run: x, neds: b}, {id: b, run: x, needs: a}]\n",
      ["1:25 R0201", "1:31 R0402"]),
    BrokenFile(
      "steps: [{paralel: [{id: a, run: x}]}]\n", ["1:10 R0201"], hint: "did you mean \"parallel\"?"),
    BrokenFile(
      "steps: [{task_id: build, run: x}]\n", ["1:10 R0201"], hint: "did you mean \"id\"?"),
    BrokenFile(
      "steps: [{displayName: Build all, run: x}]\n", ["1:10 R0201"],
      hint: "did you mean \"name\"?"),
    BrokenFile(
      "concurrency: {grup: g, policy: queue}\nsteps: [{id: a, run: x}]\n", ["1:15 R0201"],
      hint: "group"),
    BrokenFile(
      "steps: [{id: a, run: x, retry: {limt: 2}}]\n", ["1:33 R0201"],
      hint: "did you mean \"limit\"?"),
    BrokenFile(
      "steps: [{id: a, run: x, cache: {input: a}}]\n", ["1:33 R0201"],
      hint: "did you mean \"inputs\"?"),
    BrokenFile(
      "secrets: {t: {evn: T}}\nsteps: [{id: a, run: x}]\n", ["1:15 R0201"],
      hint: "did you mean \"env\"?"),
    BrokenFile(
      "on: {files: {path: a}}\nsteps: [{id: a, run: x}]\n", ["1:14 R0201"],
      hint: "did you mean \"paths\"?"),
    BrokenFile(
      "on: {schedule: {crom: '0 5 * * *'}}\nsteps: [{id: a, run: x}]\n", ["1:17 R0201"],
      hint: "\"cron\"?"),
    BrokenFile(
      "steps: [{id: a, run: x, foreach: {from: 1, too: 2}}]\n", ["1:44 R0201"],
      hint: "did you mean \"to\"?"),
    // A misspelt key whose correct form is already present is only reported.
    BrokenFile("steps: [{id: a, run: x, rnu: y}]\n", ["1:25 R0201"], hint: "did you mean \"run\"?"),
    // The value of a misspelt key is checked as if the key were correct.
    BrokenFile("steps: [{id: a, rnu: [x]}]\n", ["1:17 R0201", "1:22 R0204"]),
  ]

  static let hints = [
    BrokenFile(
      "on: {schedule: [['0 5 * * *']]}\nsteps: [{id: a, run: x}]\n", ["1:17 R0202"]),
    BrokenFile(
      "concurrency: deploy\nsteps: [{id: a, run: x}]\n", ["1:14 R0202"],
      hint: "{ group: deploy, policy: queue }"),
    BrokenFile(
      "steps: [{id: a, run: [make, test]}]\n", ["1:22 R0204"], hint: "did you mean \"exec\"?"),
    BrokenFile("env: [A=1]\nsteps: [{id: a, run: x}]\n", ["1:6 R0202"], hint: "{ A: \"1\" }"),
    BrokenFile("env: A\nsteps: [{id: a, run: x}]\n", ["1:6 R0202"], hint: "{ NAME: value }"),
    BrokenFile(
      "steps: [{id: a, run: x, env: {T: \"${{ secrets.TOKEN }}\"}}]\n", ["1:39 R0511"],
      hint: "declare it: secrets: { TOKEN: { env: TOKEN } }"),
    BrokenFile(
      "steps:\n- id: a\n    run: x\n", ["3:8 R0108"], hint: "indent \"run\" like \"id\" above"),
    BrokenFile(
      "steps: [{id: a, run: x, container: node:20}]\n", ["1:25 R0201"],
      hint: "runner: { container: { image: node:20 } }"),
    BrokenFile(
      "services: {db: x}\nsteps: [{id: a, run: x}]\n", ["1:1 R0201"],
      hint: "did you mean a step of its own?"),
    BrokenFile(
      "steps: [{id: a, run: x, retry: {attempts: 3, delay: -1}}]\n", ["1:33 R0201", "1:53 R0208"]),
    BrokenFile(
      "steps: [{id: a, run: x, if: \"null == 0\"}]\n", ["1:30 R0509"]),
    BrokenFile("jobs: {a: {runs-on: x}}\n", ["1:1 R0201"], hint: "GitHub Actions are translated"),
    BrokenFile("tasks: {a: {cmds: [x]}}\n", ["1:1 R0201"], hint: "A Taskfile is translated"),
  ]

  private static func withSecret(_ expression: String) -> String {
    "secrets: {t: {env: T}}\nenv: {T: \"${{ secrets.t }}\"}\n"
      + "steps: [{id: a, exec: [x, \"${{ \(expression) }}\"]}]\n"
  }

  static let secrets = [
    BrokenFile(withSecret("env.T"), ["3:32 R0512"]),
    BrokenFile(withSecret("env['T']"), ["3:32 R0512"]),
    BrokenFile(withSecret("toJSON(env)"), ["3:39 R0512"]),
    BrokenFile(withSecret("env[workflow.name]"), ["3:32 R0512"]),
    BrokenFile(withSecret("join(env.*)"), ["3:37 R0512"]),
  ]

  static let withoutEffect = [
    BrokenFile(
      "steps: [{id: a, approval: Go?, grace: 1m, retry: 2}]\n", ["1:32 R0217", "1:43 R0217"]),
    BrokenFile(
      "steps: [{id: a, approval: Go?, cache: {key: k}}]\n", ["1:32 R0217"]),
  ]

  static let together = [
    BrokenFile(
      """
      nam: x
      steps:
      - { id: a, run: x, needs: [b] }
      - { id: b, run: x, needs: [a, gone] }
      - { id: c, rnu: x }
      """, ["1:1 R0201", "3:28 R0402", "4:31 R0401", "5:12 R0201"]),
    BrokenFile(
      "steps: [{id: a, run: x, needs: b}, {id: b, run: x, needs: a}, {id: b, run: y}]\n",
      ["1:32 R0402", "1:68 R0303"]),
    BrokenFile(
      "steps: [{id: a, run: x, needs: b}, {id: b, run: x, needs: [a, u]}, {id: u, uses: x}]\n",
      ["1:32 R0402", "1:82 R0805"]),
  ]

  @Test(arguments: misspelt + hints + secrets + withoutEffect + together)
  func `each error is reported once, with the correct form`(_ file: BrokenFile) {
    do {
      let workflow = try Workflow(text: file.text, file: "w.yaml")
      Issue.record("was accepted: \(workflow.steps)")
    } catch {
      #expect(error.diagnostics.found == file.found, "\(error)")
      #expect(error.diagnostics.haveHint(file.hint), "\(error)")
    }
  }
}
