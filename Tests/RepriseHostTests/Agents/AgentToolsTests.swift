// Tests of the tools on runs of this process: waits, logs, approvals and resources.

import Foundation
import Reprise
import RepriseHost
import RepriseJournal
import TestSupport
import Testing

struct AgentToolsTests {
  private static func tools(
    of folder: HostFolder, allowsApprovals: Bool = false
  ) throws -> AgentTools {
    AgentTools(
      try AgentProject(
        StateDirectory(path: folder.path + "/.reprise"), command: "/nowhere/reprise",
        version: "1", allowsApprovals: allowsApprovals))
  }

  /// Calls a tool; returns its text, its structured content and whether it has failed.
  private static func call(
    _ tools: AgentTools, _ name: String, _ arguments: [String: Value]
  ) async throws -> (text: String, content: [String: Value], isError: Bool) {
    guard
      case .map(let result) = try await tools.perform(.callTool(name, arguments: arguments)).get(),
      case .list(let list)? = result["content"], case .map(let block)? = list.first,
      case .text(let text)? = block["text"], case .map(let content)? = result["structuredContent"]
    else { throw AgentFailure(.internalError, "not a result of a tool") }
    return (text, content, result["isError"] == .boolean(true))
  }

  /// Waits for the end of a run, and closes what serves it.
  private static func end(of hosted: HostedRun?) async throws -> JournalError? {
    _ = try await hosted?.run.outcome
    return await hosted?.finish()
  }

  private static let approval = """
    steps:
      - { id: first, run: 'printf "one\\ntwo\\nthree\\n"' }
      - { id: go, approval: "Deploy?" }
      - { id: last, run: "true" }
    """

  @Test func `a wait ends when an approval is needed, and goes on after it`() async throws {
    let folder = try HostFolder()
    let (id, hosted) = try await folder.begin(try folder.load(Self.approval))
    let tools = try Self.tools(of: folder, allowsApprovals: true)
    let run = Value.text(id.description)
    let waiting = try await Self.call(tools, "status", ["run": run, "wait": .number(600)])
    #expect(
      waiting.content["waits-for"]?.json == #"[{"for":"approval","step":"go","text":"Deploy?"}]"#)
    #expect(waiting.content["status"] == .text("running"))

    let approved = try await Self.call(
      tools, "approve", ["run": run, "comment": .text("looks good")])
    #expect(!approved.isError)
    let ended = try await Self.call(tools, "status", ["run": run, "wait": .number(600)])
    #expect(ended.content["status"] == .text("succeeded"))
    #expect(ended.content["waits-for"] == .list([]))
    #expect(ended.text.contains("looks good") && ended.text.contains("reprise mcp"))
    #expect(try await Self.end(of: hosted) == nil)
  }

  @Test func `approvals are refused unless they are allowed`() async throws {
    let folder = try HostFolder()
    let (id, hosted) = try await folder.begin(try folder.load(Self.approval))
    let tools = try Self.tools(of: folder)
    let run = Value.text(id.description)
    _ = try await Self.call(tools, "status", ["run": run, "wait": .number(600)])
    let refused = try await Self.call(tools, "approve", ["run": run, "step": .text("go")])
    #expect(refused.isError && refused.text.contains("--allow-approve"))
    #expect(refused.text.contains("reprise approve \(id) go"))
    #expect(try folder.journal.run(with: id).status == .running)

    let cancelled = try await Self.call(tools, "cancel", ["run": run])
    #expect(!cancelled.isError)
    let ended = try await Self.call(tools, "status", ["run": run, "wait": .number(600)])
    #expect(ended.content["status"] == .text("cancelled"))
    #expect(try await Self.end(of: hosted) == nil)
  }

  @Test func `a wait is over after its time, or when its task is cancelled`() async throws {
    let folder = try HostFolder()
    let (id, hosted) = try await folder.begin(
      try folder.load("steps: [{ id: a, run: sleep 600 }]"))
    await folder.journal.waitForEnd(of: id, within: .milliseconds(10)) { _ in false }
    let waiting = Task {
      await folder.journal.waitForEnd(of: id, within: .seconds(600)) { _ in false }
    }
    waiting.cancel()
    await waiting.value
    #expect(try folder.journal.run(with: id).status == .running)
    hosted?.run.cancel()
    #expect(try await Self.end(of: hosted) == nil)
  }

  @Test func `logs say which lines they have and what they leave out`() async throws {
    let folder = try HostFolder()
    let (id, hosted) = try await folder.begin(
      try folder.load("steps: [{ id: a, run: 'seq 50; exit 3' }]"))
    #expect(try await Self.end(of: hosted) == nil)
    let tools = try Self.tools(of: folder)
    func logs(_ others: [String: Value]) async throws -> [String: Value] {
      let run: [String: Value] = ["run": .text(id.description), "step": .text("a")]
      return try await Self.call(tools, "logs", run.merging(others) { $1 }).content
    }
    let last = try await logs(["lines": .number(2)])
    #expect(last["text"] == .text("49\n50") && last["left-out"] == .text("lines 1 to 48"))
    let middle = try await logs(["from": .number(10), "lines": .number(2)])
    #expect(middle["text"] == .text("10\n11") && middle["lines"] == .number(50))
    #expect(middle["left-out"] == .text("lines 1 to 9 and lines 12 to 50"))
    #expect(try await logs([:])["left-out"] == nil)
    #expect(try await logs(["attempt": .number(2)])["lines"] == .number(0))
    let unknown = try await Self.call(
      tools, "logs", ["run": .text(id.description), "step": .text("b")])
    #expect(unknown.isError && unknown.text.contains("has no step \"b\""))
    let status = try await Self.call(tools, "status", ["run": .text("@last")])
    #expect(status.content["status"] == .text("failed"))
    let restarted = try await Self.call(tools, "restart", ["run": .text("@last")])
    #expect(restarted.isError && restarted.text.hasSuffix("has ended: failed; use resume"))
  }

  @Test func `a run that is too large for one result is summed up`() async throws {
    let folder = try HostFolder()
    let items = (1...400).map { "\($0)" }.joined(separator: ", ")
    let (id, hosted) = try await folder.begin(
      try folder.load("steps: [{ id: a, foreach: [\(items)], exec: [\"true\"] }]"))
    #expect(try await Self.end(of: hosted) == nil)
    let tools = try Self.tools(of: folder)
    let status = try await Self.call(tools, "status", ["run": .text("@last")])
    #expect(status.content["status"] == .text("succeeded"))
    let isSaid = status.content["left-out"]?.json.contains("reprise://runs/\(id)") == true
    #expect(isSaid)
    let size = Value.map(status.content).json.utf8.count
    #expect(size < 1000)
    guard
      case .map(let read) = try await tools.perform(
        .readResource(uri: "reprise://runs/\(id)")
      ).get()
    else { return }
    let isWhole = read["contents"]?.json.contains("a[399]") == true
    #expect(isWhole)
  }

  @Test func `resources are read by their addresses, and others are unknown`() async throws {
    let folder = try HostFolder()
    let tools = try Self.tools(of: folder)
    func text(_ uri: String) async throws -> String {
      try await tools.perform(.readResource(uri: uri)).get().json
    }
    #expect(try await text("reprise://reference").contains("# The workflow file"))
    #expect(try await text("reprise://errors/R0304").contains("R0304: "))
    #expect(try await text("reprise://errors/r%30304").contains("R0304: "))
    for uri in [
      "reprise://nowhere", "reprise://errors/R9999", "reprise://errors/", "reprise://runs/none",
      "reprise://errors/%4", "file:///etc/passwd", "reprise://workflows/..%2F..%2Fetc%2Fpasswd",
      "reprise://workflows/%2Fetc%2Fpasswd",
    ] {
      let result = await tools.perform(.readResource(uri: uri))
      guard case .failure(let failure) = result else {
        Issue.record("\(uri): \(result)")
        continue
      }
      #expect(failure.code == .unknownResource)
    }
  }

  @Test(arguments: ["/etc/passwd", "../other/ci.yaml", "a/../../b.yaml", "./../a.yaml"])
  func `a workflow outside of the project is refused before it is looked for`(
    _ path: String
  ) async throws {
    let tools = try Self.tools(of: try HostFolder())
    for name in ["validate", "run"] {
      let refused = try await Self.call(tools, name, ["workflow": .text(path)])
      #expect(refused.isError && refused.text.contains("is not in the folder of the project"))
    }
  }
}
