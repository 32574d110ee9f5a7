import Reprise
import RepriseHost
import TestSupport
import Testing

/// What `validate` says about scripts and programs.
struct ScriptReportTests {
  /// The warnings about a file, each with its line and code.
  private func problems(_ steps: String, searchPath: String? = nil) async throws -> [String] {
    let folder = try TemporaryFolder()
    try folder.write("w.yaml", "steps:\n\(steps)".utf8)
    let workflow = try Workflow(contentsOf: folder.path + "/w.yaml")
    let found = await ScriptReport(workflow, searchPath: searchPath).problems
    return workflow.warnings(of: found).map { "\($0.line) \($0.code) \($0.message)" }
  }

  @Test(arguments: ["sh", "bash"])
  func `a script that its shell cannot read is a problem`(shell: String) async throws {
    let found = try await problems(
      """
        - id: a
          shell: \(shell)
          run: |
            if [ x ]; then
              touch made-by-validate
        - { id: b, shell: \(shell), run: "if true; then echo; fi" }
      """)
    try #require(found.count == 1)
    // Bash and dash count the end of the script as a line, or do not.
    #expect(found[0].hasPrefix("6 R0920 \(shell) cannot read the script of step \"a\": "))
    #expect(found[0].lowercased().contains("syntax error"))
  }

  @Test func `a script with an interpreter of its own is asked of this interpreter`() async throws {
    let found = try await problems(
      """
        - { id: a, run: "#!/usr/bin/env bash\\necho 'not closed" }
        - { id: b, run: "#!/usr/bin/env bash\\necho $((1 + 2))" }
        - { id: c, run: "#!/no/such/interpreter\\nprint" }
        - { id: d, run: "#!/usr/bin/env python3\\nif" }
      """)
    try #require(found.count == 2)
    #expect(found[0].hasPrefix("2 R0920 bash cannot read the script of step \"a\": "))
    #expect(
      found[1]
        == "4 R0921 step \"c\": there is no program \"/no/such/interpreter\" on this machine")
  }

  @Test func `a program that is not in PATH is a problem, a path is not`() async throws {
    let found = try await problems(
      """
        - { id: a, run: nosuchcommand --now }
        - { id: b, exec: [nosuchprogram, x] }
        - { id: c, shell: nosuchshell, run: "echo $HOME" }
        - { id: d, exec: [./built-by-another-step] }
        - { id: e, exec: ["${{ machine.os }}"] }
        - { id: f, env: { PATH: /elsewhere }, run: nosuchcommand --later }
        - { id: g, run: nosuchcommand --now }
      """)
    #expect(
      found
        == ["nosuchcommand", "nosuchprogram", "nosuchshell"].enumerated().map { place, name in
          "\(place + 2) R0921 step \"\(["a", "b", "c"][place])\": there is no program \"\(name)\""
            + " on this machine"
        })
    #expect(try await problems("  - { id: a, run: ls -l }", searchPath: "/nowhere").count == 1)
  }
}
