import Foundation
import TestSupport
import Testing

/// Parameters on the command line, approvals and dotenv files.
struct ValueCommandTests {
  private static let deploy = """
    params:
      target: { type: choice, options: [staging, production], description: Where to }
      count: { type: number, default: 2 }
      dry: false
    steps:
      - { id: a, exec: [echo, "to ${{ params.target }} ${{ params.count + '' }}"] }
    """.replacingOccurrences(of: " + ''", with: "")

  @Test func `parameters come from the command line and from a file`() async throws {
    let scenario = try Scenario()
    try scenario.write(Self.deploy, to: "w.yaml")
    try scenario.write("target: production\ncount: 7\n", to: "p.yaml")
    try scenario.write("{\"target\": \"production\", \"count\": 8}", to: "p.json")
    for (arguments, says) in [
      (["-p", "target=staging"], "to staging 2"), (["--params-file", "p.yaml"], "to production 7"),
      (["--params-file", "p.json", "-p", "count=9"], "to production 9"),
      (["-p", "target=staging", "-p", "count=1.50"], "to staging 1.5"),
    ] {
      let ended = try await scenario.start(
        ["run", "w.yaml", "--progress", "plain", "--no-journal"] + arguments
      ).end().succeeds()
      #expect(ended.output.contains(says), "\(ended.output)")
    }
  }

  @Test(arguments: [
    ([], "the parameter \"target\" is required  (Where to)"), ([], "give it: -p target=…"),
    (["-p", "target=stagin"], "did you mean \"staging\"?"),
    (["-p", "target=staging", "-p", "cuont=1"], "did you mean \"count\"?"),
    (["-p", "target=staging", "-p", "count=many"], "must be a number, not \"many\""),
    (["-p", "target=staging", "-p", "dry=yes"], "must be true or false, not \"yes\""),
    (["-p", "target"], "-p expects name=value"), (["--params-file", "gone"], "cannot be read"),
  ]) func `an invalid parameter is reported`(_ arguments: [String], _ says: String) async throws {
    let scenario = try Scenario()
    try scenario.write(Self.deploy, to: "w.yaml")
    let ended = try await scenario.start(["run", "w.yaml"] + arguments).end().fails(with: 2)
    #expect(ended.errors.contains(says), "\(ended.errors)")
    #expect(!scenario.has(".reprise"))
  }

  @Test func `a resumed run has its original parameters and files`()
    async throws
  {
    let scenario = try Scenario()
    try scenario.write(
      """
      params: { x: {} }
      steps:
        - { id: a, run: "true" }
        - { id: b, uses: ./used.yaml, with: { x: "${{ params.x }}" } }
      """, to: "w.yaml")
    let used =
      "params: { x: {} }\nsteps: [{ id: c, env: { X: \"${{ params.x }}\" }, run: 'echo $X; [ -e go ]' }]\n"
    try scenario.write(used, to: "used.yaml")
    try await scenario.reprise("run", "w.yaml", "-p", "x=kept", "--progress", "none").fails(with: 1)
    try scenario.write("", to: "go")
    let resumed = try await scenario.reprise("resume", "@last", "--progress", "plain").succeeds()
    #expect(resumed.output.contains("b/c │ kept"))
  }

  @Test func `a step is approved from another terminal`() async throws {
    let scenario = try Scenario()
    try scenario.write(
      "steps: [{ id: go, approval: Ship it?, run: echo shipped }]", to: "w.yaml")
    for (flag, status) in [([], 0), (["--refuse"], 1)] as [([String], Int32)] {
      let started = try scenario.start(["run", "w.yaml", "--progress", "plain"])
      try await expectEventually("the run waits") {
        try await scenario.start(["approve", "@last", "go"] + flag).end().status == 0
      }
      let ended = try await started.end().fails(with: status)
      #expect(ended.output.contains("waits for approval: Ship it?"))
      #expect(ended.output.contains("shipped") == flag.isEmpty)
    }
    let over = try await scenario.reprise("approve", "@last", "go").fails(with: 2)
    #expect(over.errors.contains("has ended: "))
  }

  @Test func `dotenv variables do not override existing variables`() async throws {
    let scenario = try Scenario()
    try scenario.write(
      "# comment\nexport A=one # more\nB='$A \"x\"'\nC=\"two\\nlines\"\nPATH=nowhere\nD=\n",
      to: ".env")
    try scenario.write(
      """
      dotenv: [.env, { path: .env.local, required: false }]
      env: { B2: "${{ env.B }}" }
      steps: [{ id: a, run: 'printf "%s|%s|%s|%s|" "$A" "$B2" "$C" "$D"; date > when' }]
      """, to: "w.yaml")
    let ended = try await scenario.reprise("run", "w.yaml", "--progress", "plain").succeeds()
    #expect(ended.output.contains("a │ one|$A \"x\"|two\n"))
    #expect(scenario.has("when"))
    try scenario.write("A B\n", to: ".env.local")
    let wrong = try await scenario.reprise("run", "w.yaml").fails(with: 2)
    #expect(
      wrong.errors.contains(
        "w.yaml:1:24: error[R0119]: .env.local, line 1: \"A B\" is not NAME=VALUE"))
    try scenario.write("dotenv: gone\nsteps: [{ id: a, run: x }]\n", to: "w.yaml")
    let gone = try await scenario.reprise("run", "w.yaml").fails(with: 2)
    #expect(gone.errors.contains("required: false"))
  }

  @Test func `errors are reported as JSON and SARIF`() async throws {
    let scenario = try Scenario()
    try scenario.write(
      "steps:\n  - { id: a, run: ls }\n  - { id: b, run: ls, needs: a }\n  - { id: c, run: ls, needs: [a, b] }\n",
      to: "warns.yaml")
    try scenario.write("steps: [{ id: a, rum: x }]\n", to: "broken.yaml")
    let text = try await scenario.reprise("validate", "warns.yaml").succeeds()
    #expect(text.output == "warns.yaml: 3 steps, no errors, 1 warning\n")
    #expect(
      text.errors.contains("warns.yaml:4:31: warning[R0901]: \"a\" is redundant: \"b\" needs it"))
    let json = try await scenario.reprise(
      "validate", "warns.yaml", "broken.yaml", "--format", "json"
    ).fails(with: 2)
    struct Reported: Decodable {
      struct One: Decodable {
        let severity: String
        let code: String
        let file: String
        let line: Int
      }
      let diagnostics: [One]
    }
    let reported = try JSONDecoder().decode(Reported.self, from: Data(json.output.utf8)).diagnostics
    #expect(reported.map(\.severity) == ["warning", "error"])
    #expect(reported.map(\.code) == ["R0901", "R0201"])
    #expect(reported.map(\.file) == ["warns.yaml", "broken.yaml"])
    let sarif = try await scenario.reprise("validate", "broken.yaml", "--format", "sarif")
      .fails(with: 2)
    #expect(sarif.output.contains("\"version\": \"2.1.0\""))
    #expect(sarif.output.contains("\"startColumn\": 18"))
    #expect(sarif.output.contains("\"ruleId\": \"R0201\""))
    #expect(sarif.output.contains("\"id\": \"R0201\""))
  }

  @Test func `a value that is too long for a variable is passed in a file`() async throws {
    let scenario = try Scenario()
    try scenario.write(
      """
      steps:
        - id: each
          run: 'head -c 150000 /dev/zero | tr "\\0" x > big; printf "big=%s\\n" "$(cat big)" >> $REPRISE_OUTPUT'
        - { id: short, env: { FILE: "${{ toFile(steps.each.outputs.big) }}" }, run: "cmp $FILE big" }
        - { id: again, exec: [cmp, "${{ toFile(steps.each.outputs.big) }}", big] }
        - { id: long, env: { ALL: "${{ steps.each.outputs.big }}" }, run: "echo $ALL | wc -c" }
      """, to: "w.yaml")
    let ended = try await scenario.reprise("run", "./w.yaml", "--progress", "plain").fails(with: 1)
    let text = ended.output + ended.errors
    #expect(text.contains("the variable \"ALL\" has 150000 bytes"), "\(text)")
    #expect(text.contains("again") && !text.contains("again failed"), "\(text)")
  }

  @Test func `a secret is not passed in a file`() async throws {
    let scenario = try Scenario()
    try scenario.write(
      """
      secrets: { s: { env: THE_SECRET } }
      env: { S: "${{ secrets.s }}" }
      steps: [{ id: a, env: { F: "${{ toFile(env.S) }}" }, run: cat $F }]
      """, to: "w.yaml")
    let ended = try await scenario.reprise(
      "run", "./w.yaml", environment: ["THE_SECRET": "hunter2-token"])
    #expect(ended.status != 0)
    let stored = try await scenario.shell("grep -r hunter2-token . || echo nowhere")
    #expect(stored.output == "nowhere\n")
  }
}
