// Arguments after `--`: how they reach steps, are recorded, and are hidden.

import Foundation
import TestSupport
import Testing

struct ArgumentTests {
  @Test func `arguments after -- reach programs as they are`() async throws {
    let scenario = try Scenario()
    try scenario.write(
      """
      steps:
        - { id: a, exec: [sh, -c, 'printf "<%s>" "$@" >> log; test -e go', sh, x, "${{ args }}"] }
        - { id: b, if: "contains(args, '-v')", env: { A: "${{ join(args, '+') }}" }, run: echo "$A" >> log }
      """, to: "workflows/w.yaml")
    try await scenario.reprise("w", "--", "a b", "-v", "$(touch bad)", "").fails(with: 1)
    #expect(scenario.read("log") == "<x><a b><-v><$(touch bad)><>")
    // `resume` keeps them.
    try scenario.write("", to: "go")
    try await scenario.reprise("resume", "@last").succeeds()
    #expect(scenario.read("log").hasSuffix("<$(touch bad)><>a b+-v+$(touch bad)+\n"))
    try scenario.write("", to: "log")
    try await scenario.reprise("run", "w").succeeds()
    #expect(scenario.read("log") == "<x>" && !scenario.has("bad"))
    let dry = try await scenario.reprise("run", "w", "--dry-run", "--", "y").succeeds()
    #expect(dry.output.contains("x '${{ args }}'"), "\(dry.output)")
  }

  @Test func `arguments that nothing uses are an error`() async throws {
    let scenario = try Scenario()
    try scenario.write("steps: [{ id: a, run: x }]", to: "w.yaml")
    let ended = try await scenario.reprise("run", "w.yaml", "--", "x").fails(with: 2)
    #expect(ended.errors.contains("w.yaml does not use the arguments after \"--\""))
  }

  @Test func `a secret among the arguments is not recorded`() async throws {
    let scenario = try Scenario()
    try scenario.write(
      """
      secrets: { token: { env: TOKEN } }
      steps: [{ id: a, env: { T: "${{ secrets.token }}" }, exec: [sh, -c, 'exit 1', "${{ args }}"] }]
      """, to: "w.yaml")
    let secret = "correct horse battery"
    try await scenario.reprise(
      "run", "w.yaml", "--", "--token=\(secret)", environment: ["TOKEN": secret]
    ).fails(with: 1)
    let found = try await scenario.shell("grep -rl 'horse' .reprise | head -1").succeeds()
    #expect(found.output.isEmpty)
    let resumed = try await scenario.reprise("resume", "@last", environment: ["TOKEN": secret])
      .fails(with: 2)
    #expect(resumed.errors.contains("contained a secret, which is not recorded"))
  }
}
