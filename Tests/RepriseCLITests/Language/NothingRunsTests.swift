// Commands that promise to run nothing: a file of a stranger starts no program through them.

import Foundation
import TestSupport
import Testing

struct NothingRunsTests {
  /// A project in which everything that a file can choose is a program that leaves a mark.
  private static func project(secret: String = "") throws -> Scenario {
    let scenario = try Scenario()
    let tool = "#!/bin/sh\necho \"$0 $*\" >> '\(scenario.folder.path)/marks'\nexit 1\n"
    let names = "bash sh dash ksh ssh podman docker bwrap sbatch rsync".split(separator: " ")
    for path in names.map({ "bin/\($0)" }) + ["tool", "bash", "sub/sh"] {
      try scenario.write(tool, to: path)
      try FileManager.default.setAttributes(
        [.posixPermissions: 0o755], ofItemAtPath: scenario.folder.path + "/" + path)
    }
    let folder = scenario.folder.path
    try scenario.write(
      """
      name: w
      \(secret)
      on-end: ./tool end
      runners:
        c: { container: { image: x, program: ./tool } }
        k: { container: { image: x, program: \(folder)/tool, keep: true } }
        s: { ssh: { host: h, options: ["-oProxyCommand=\(folder)/tool connects"] } }
        l: { slurm: {} }
      steps:
        - { id: a, shell: [./bash, -c], run: "a; b" }
        - { id: b, shell: [\(folder)/bash, -c], run: "a; b" }
        - { id: c, shell: bash, run: "a; c" }
        - { id: d, shell: [sub/../sub/sh, -e, -c], run: "a; d" }
        - { id: e, run: "#!/usr/bin/env bash\\na; e" }
        - { id: f, run: "#!\(folder)/bash\\na; f" }
        - { id: g, runner: c, run: "a; g" }
        - { id: h, runner: k, run: "a; h" }
        - { id: i, runner: s, run: "a; i" }
        - { id: j, runner: l, run: "a; j" }
        - { id: k, runner: sandbox, run: "a; k" }
        - { id: l, if: { run: ./tool if }, exec: [./tool, step] }
        - { id: m, service: ./tool service, ready: { run: ./tool ready } }
        - { id: n, run: ./tool do, undo: ./tool undo }
      finally:
        - { id: z, run: ./tool finally }
      """, to: "workflows/w.yaml")
    try scenario.write("all:\n\t./tool make $(shell ./tool shell)\n", to: "Makefile")
    return scenario
  }

  @Test(arguments: [
    ["validate", "w"], ["validate", "--format", "sarif", "workflows/w.yaml"], ["list"],
    ["graph", "w"], ["graph", "w", "--format", "mermaid"], ["run", "w", "--dry-run"],
    ["import", "Makefile"], ["validate", "--from", "make", "Makefile"], ["explain", "w", "l"],
    ["explain", "R0922"], ["runs"], ["triggers"], ["--generate-completion-script", "bash"],
    ["---completion", "run", "--", "positional@0", "2", "", "reprise", "run", "w"],
  ])
  func `no program that a file chooses is started`(words: [String]) async throws {
    let secret = "secrets: { s: { command: [./tool, secret] } }"
    let scenario = try Self.project(secret: words[0] == "explain" ? "" : secret)
    let path = scenario.folder.path + "/bin:" + (ProcessInfo.processInfo.environment["PATH"] ?? "")
    let ended = try await scenario.start(words, environment: ["PATH": path]).end()
    #expect(scenario.read("marks") == "", "\(words)")
    // Else an error could have come before what is tested.
    if ["validate", "list", "graph", "import"].contains(words[0]) { ended.succeeds() }
  }

  @Test func `runners are asked only on request`() async throws {
    let scenario = try Self.project()
    let path = scenario.folder.path + "/bin:" + (ProcessInfo.processInfo.environment["PATH"] ?? "")
    try await scenario.reprise("validate", "w", "--runners", environment: ["PATH": path])
      .succeeds()
    let marks = scenario.read("marks")
    #expect(marks.contains("tool info") && marks.contains("bin/ssh "), "\(marks)")
    #expect(!marks.contains("bash") && !marks.contains("/sh "), "\(marks)")
  }

  @Test func `shells of the system still read scripts`() async throws {
    let scenario = try Scenario()
    try scenario.write(
      "steps: [{ id: a, shell: bash, run: 'if [ x ]; then' }, { id: b, run: 'if [ x ]; then' }]",
      to: "w.yaml")
    let ended = try await scenario.reprise("validate", "./w.yaml").succeeds()
    #expect(ended.errors.components(separatedBy: "R0920").count == 3, "\(ended.errors)")
  }
}
