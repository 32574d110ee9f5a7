import ChildProcesses
import Foundation
import TestSupport
import Testing

/// The commands that documents name exist, with their options, and those of the README run.
struct DocumentedCommandTests {
  private static let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  private static func text(of path: String) throws -> String {
    try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
  }

  private static func documents() throws -> [(path: String, text: String)] {
    let folders = ["Documentation", "Examples", "workflows", "Sources/Reprise/Reprise.docc"]
    let paths = try folders.flatMap { folder in
      try FileManager.default.subpathsOfDirectory(atPath: root.appendingPathComponent(folder).path)
        .map { folder + "/" + $0 }
    }
    return try (["README.md", "SECURITY.md"] + paths)
      .filter { $0.hasSuffix(".md") || $0.hasSuffix(".yaml") }
      .filter { !$0.contains("/.build/") }.map { ($0, try text(of: $0)) }
  }

  /// Returns the options that commands in a text have: each with the command and the line.
  private static func options(in text: String) -> [(command: String, option: String, line: Int)] {
    text.split(separator: "\n", omittingEmptySubsequences: false).enumerated().flatMap {
      index, line in
      guard line.contains("reprise "), line.contains("--") else {
        return [] as [(String, String, Int)]
      }
      return line.matches(of: /\breprise ([a-z]+)([^`#|;&]*)/).flatMap { call in
        (call.2.firstRange(of: " -- ").map { call.2[..<$0.lowerBound] } ?? call.2)
          .matches(of: /\s(--[a-z][a-z-]*)/)
          .map { (String(call.1), String($0.1), index + 1) }
      }
    }
  }

  @Test func `every option that a document passes to a command exists`() async throws {
    let scenario = try Scenario()
    var helps: [String: String] = [:]
    var count = 0
    for (path, text) in try Self.documents() {
      for (command, option, line) in Self.options(in: text) {
        if helps[command] == nil {
          helps[command] = try await scenario.reprise(command, "--help").succeeds().output
        }
        let isThere = helps[command]?.contains(option) == true
        #expect(isThere, "\(path):\(line): reprise \(command) has no option \(option)")
        count += 1
      }
    }
    #expect(count > 50)
    #expect(Self.options(in: "`reprise run a --no -- --x`").map(\.option) == ["--no"])
  }

  /// Commands that come before one of the README, which needs a run that was cancelled or is live.
  private static let before = [
    "resume": ["run hello --detach", "cancel @last --wait"], "restart": ["run hello --detach"],
  ]

  @Test func `the commands of the README run as they are printed`() async throws {
    let scenario = try Scenario()
    let page = try Self.text(of: "README.md")
    let workflow = try #require(page.firstMatch(of: /```yaml\n(name: hello\n(?s:.*?))```/)?.1)
    try scenario.write(String(workflow), to: "workflows/hello.yaml")
    let block = try #require(page.firstMatch(of: /```sh\n(reprise (?s:.*?))```/)?.1)
    let lines = block.split(separator: "\n").filter {
      !$0.hasPrefix("reprise web") && (FileTrace.problem == nil || !$0.hasPrefix("reprise trace"))
    }
    #expect(lines.count > 5)
    for line in lines {
      let command = line.split(separator: " ").dropFirst().first.map(String.init) ?? ""
      for earlier in Self.before[command] ?? [] {
        try await scenario.start(earlier.split(separator: " ").map(String.init)).end().succeeds()
      }
      let executable = Scenario.Started.executable.path
      let ended = try await scenario.shell("reprise() { '\(executable)' \"$@\"; }; \(line)")
      #expect(ended.status == 0, "\(line): \(ended.output)\(ended.errors)")
    }
    try await scenario.reprise("cancel", "@last", "--wait").succeeds()
  }
}
