import Foundation
import TestSupport
import Testing

@testable import Reprise

/// Fetching secrets, and the errors when a secret cannot be fetched.
struct SecretGatheringTests {
  private func error(_ secrets: String, _ environment: [String: String] = [:]) async -> String {
    do {
      let workflow = try Workflow(
        bytes: Array("secrets:\n\(secrets)\nsteps: [{ id: a, run: \"true\" }]".utf8), file: "w.yaml"
      )
      let path = ["PATH": "/usr/bin:/bin"]
      _ = try await Secrets.gather(for: workflow, environment: path.merging(environment) { $1 })
      return ""
    } catch {
      return "\(error)"
    }
  }

  @Test func `the message about a failing secret command masks all secrets, including its own`()
    async
  {
    let error = await error(
      """
        tok: { env: TOK }
        x: { command: [sh, -c, 'echo its-own-secret; echo "got $TOK for its-own-secret" >&2; exit 3'] }
      """, ["TOK": "hunter2hunter2"])
    #expect(error.contains("failed: got *** for ***"), "\(error)")
  }

  @Test func `the message about a failing secret command masks secrets declared after it`() async {
    let error = await error(
      """
        a: { command: [sh, -c, 'echo "got $TOK" >&2; exit 3'] }
        tok: { env: TOK }
      """, ["TOK": "hunter2hunter2"])
    #expect(error.contains("failed: got ***"), "\(error)")
  }

  @Test func `a secret that is not UTF-8 is refused, from any source`() async throws {
    let folder = try TemporaryFolder()
    try Data([0x61, 0x62, 0xFF, 0x63, 0x64]).write(
      to: URL(fileURLWithPath: folder.path + "/secret"))
    for source in [
      "{ file: \(folder.path)/secret }", "{ command: [cat, \(folder.path)/secret] }", "{ env: S }",
    ] {
      let error = await error("  s: \(source)", ["S": "ab\u{FFFD}cd"])
      #expect(error.contains("not UTF-8"), "\(source): \(error)")
    }
  }

  @Test func `a secret file that is not a regular file is refused`() async throws {
    let folder = try TemporaryFolder()
    try #require(mkfifo(folder.path + "/pipe", 0o600) == 0)
    for path in [folder.path + "/pipe", "/dev/null", folder.path] {
      #expect(await error("  s: { file: \(path) }").contains("not a regular file"), "\(path)")
    }
  }

  @Test func `a secret whose lines are all too short is refused`() async {
    #expect(await error("  s: { env: S }", ["S": "ab\ncd\nef\ngh"]).contains("no line of 4"))
    #expect(await error("  s: { env: S }", ["S": "ab\ncdef"]).isEmpty)
  }

  @Test func `a secret that is not required is the empty text if there is none`() async throws {
    let text = """
      secrets:
        none: { env: NO_SUCH, required: false }
        empty: { env: EMPTY, required: false }
        gone: { file: /no/such/file, required: false }
        given: { env: GIVEN, required: false }
      steps: [{ id: a, run: "true", env: { A: "<${{ secrets.none }}>" } }]
      """
    let workflow = try Workflow(bytes: Array(text.utf8), file: "w.yaml")
    let secrets = try await Secrets.gather(
      for: workflow, environment: ["EMPTY": "", "GIVEN": "hunter2hunter2"])
    #expect(secrets.texts.filter { !$0.isEmpty } == ["hunter2hunter2"])
    #expect(secrets.hidden(in: "a hunter2hunter2 b") == "a *** b")
    let seen = Protected("")
    let engine = Engine(
      executor: ClosureExecutor { context in
        seen.withLock { $0 = context.environment["A"] ?? "" }
        return [:]
      })
    #expect(try await engine.start(workflow, secrets: secrets).outcome == .succeeded)
    #expect(seen.value == "<>")
    // One that is given must be one that can be masked.
    #expect(await error("  t: { env: T, required: false }", ["T": "a"]).contains("fewer than"))
    #expect(await error("  t: { file: /, required: false }").contains("cannot be read"))
  }
}
