import Foundation
import TestSupport
import Testing

/// `PWD` of everything that a workflow starts is its working directory.
struct WorkingFolderTests {
  @Test func `PWD is the directory of a step, however the step is started`() async throws {
    let scenario = try Scenario()
    try FileManager.default.createDirectory(
      at: scenario.folder.appendingPathComponent("svc/deep"), withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(
      atPath: scenario.folder.path + "/link", withDestinationPath: "svc/deep")
    try scenario.write(
      """
      dir: svc
      secrets: { place: { command: [sh, -c, "printenv PWD > secret; echo hidden-value"] } }
      on-end: [sh, -c, "printenv PWD > end"]
      steps:
        - { id: run, run: printenv PWD }
        - { id: exec, exec: [printenv, PWD] }
        - { id: shell, run: "printenv PWD; true" }
        - { id: deep, dir: deep, exec: [printenv, PWD] }
        - { id: up, dir: ../link, exec: [printenv, PWD] }
        - { id: own, env: { PWD: /elsewhere }, exec: [printenv, PWD] }
        - { id: command, if: { run: "printenv PWD > condition" }, run: "true" }
        - { id: separate, separate-streams: true, exec: [printenv, PWD] }
        - { id: env, run: 'echo "$X"', env: { X: "${{ env.PWD }}" } }
        - { id: db, service: ["sh", "-c", "printenv PWD > service; exec sleep 60"], ready: { run: "printenv PWD > probe" } }
        - { id: undone, run: "true", undo: { exec: [sh, -c, "printenv PWD > undone"] } }
        - { id: last, exec: [/bin/false] }
      """, to: "w.yaml")
    _ = try await scenario.shell("cd svc && \(Scenario.Started.executable.path) validate ../w.yaml")
      .succeeds()
    _ = try await scenario.reprise("run", "w.yaml", "--progress", "none").fails(with: 1)
    let root = scenario.folder.path.withResolvedRoot
    func output(_ step: String) async throws -> String {
      try await scenario.reprise("logs", "@last", step).succeeds().output
        .trimmingCharacters(in: .newlines)
    }
    for step in ["run", "exec", "shell", "own", "separate"] {
      #expect(try await output(step) == root + "/svc", "\(step)")
    }
    #expect(try await output("deep") == root + "/svc/deep")
    // With a link and "..", the text of a path does not say where it leads.
    #expect(try await output("up") == root + "/svc/deep")
    #expect(try await output("env") == root)
    for file in ["svc/service", "svc/probe", "svc/condition", "svc/undone"] {
      #expect(scenario.read(file) == root + "/svc\n", "\(file)")
    }
    for file in ["secret", "end"] { #expect(scenario.read(file) == root + "\n", "\(file)") }
  }

  @Test func `run.working-dir is the working directory wherever the command is started`()
    async throws
  {
    let scenario = try Scenario()
    try FileManager.default.createDirectory(
      at: scenario.folder.appendingPathComponent("sub"), withIntermediateDirectories: true)
    try scenario.write(
      "steps: [{ id: a, dir: sub, exec: [printf, \"%s\", \"${{ run.working-dir }}\"], if: run.working-dir != '' }]",
      to: "workflows/where.yaml")
    let executable = Scenario.Started.executable.path
    _ = try await scenario.shell("cd sub && PWD=/elsewhere \(executable) run where").succeeds()
    let output = try await scenario.reprise("logs", "@last", "a").succeeds().output
    #expect(
      output.trimmingCharacters(in: .newlines) == scenario.folder.path.withResolvedRoot)
  }

  @Test func `a linked directory keeps its written path`() async throws {
    let scenario = try Scenario()
    try FileManager.default.createDirectory(
      at: scenario.folder.appendingPathComponent("real"), withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(
      atPath: scenario.folder.path + "/link", withDestinationPath: "real")
    try scenario.write(
      "steps: [{ id: a, dir: link, exec: [printenv, PWD] }, { id: b, dir: link, run: 'pwd; true' }]",
      to: "w.yaml")
    let ended = try await scenario.reprise("run", "w.yaml", "--progress", "json").succeeds()
    #expect(ended.output.components(separatedBy: "/link\"").count == 3, "\(ended)")
  }

  @Test func `a workflow found by name runs in its folder, and PWD says so`() async throws {
    let scenario = try Scenario()
    try scenario.write(
      """
      steps:
        - { id: a, run: printenv PWD }
        - { id: b, exec: [/bin/pwd] }
        - { id: c, run: 'echo "$X"', env: { X: "${{ env.PWD }}" } }
      """, to: "workflows/n.yaml")
    try scenario.write("", to: "sub/x")
    let ended = try await scenario.shell(
      "cd sub && \(Scenario.Started.executable.path) run n --progress none && cd .. && "
        + "for s in a b c; do \(Scenario.Started.executable.path) logs @last $s; done")
    let lines = Set(ended.succeeds().output.split(separator: "\n"))
    #expect(lines.count == 1 && lines.first?.hasSuffix("/sub") == false, "\(ended)")
  }
}

extension String {
  /// The path without symbolic links.
  fileprivate var withResolvedRoot: String {
    guard let path = realpath(self, nil) else { return self }
    defer { free(path) }
    return String(cString: path)
  }
}
