import ChildProcesses
import Foundation
import TestSupport
import Testing

/// Every file in `workflows/` runs unchanged and ends as documented.
struct ExampleTests {
  private static let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// The exit statuses of the examples that do not succeed.
  private static let failing: [String: Int32] = [
    "failing": 1, "time-out": 1, "fail-fast": 1, "shop": 1, "undo": 1,
  ]

  /// The examples that wait for approval.
  private static let asking = ["approval": ["migrate", "go"]]

  private static let names: [String] = {
    let folder = root.appendingPathComponent("workflows").path
    let paths = (try? FileManager.default.subpathsOfDirectory(atPath: folder)) ?? []
    return paths.filter { $0.hasSuffix(".yaml") }.map { String($0.dropLast(5)) }
      .filter { !elsewhere.contains($0) }.sorted()
  }()

  /// The examples that need more than this machine; `make runners` runs them.
  private static let elsewhere: Set = ["slurm", "grid"]

  private func run(_ name: String, in scenario: Scenario) throws -> Scenario.Started {
    let path = Self.root.appendingPathComponent("workflows/\(name).yaml").path
    return try scenario.start(["run", path, "--progress", "plain"])
  }

  @Test(arguments: names) func `an example ends as expected and leaves no files`(
    _ name: String
  ) async throws {
    let scenario = try Scenario()
    let folder = try Scenario()
    let path = Self.root.appendingPathComponent("workflows/\(name).yaml").path
    let started = try scenario.start(
      ["run", path, "--progress", "plain"], environment: ["TMPDIR": folder.folder.path])
    for step in Self.asking[name] ?? [] {
      try await expectEventually("\(step) waits for approval") {
        try await scenario.start(["approve", "@last", step]).end().status == 0
      }
    }
    try await started.end().fails(with: Self.failing[name] ?? 0)
    let left = try FileManager.default.contentsOfDirectory(atPath: folder.folder.path)
    #expect(left == [], "temporary files are removed")
    try await scenario.reprise("validate", path).succeeds()
  }

  @Test func `the examples with an expected status exist`() {
    #expect(Set(Self.failing.keys).union(Self.asking.keys).isSubset(of: Self.names))
    #expect(Self.names.count > 25)
  }

  @Test func `the failing example names the failure with its last lines`() async throws {
    let scenario = try Scenario()
    defer { withExtendedLifetime(scenario) {} }
    let ended = try await run("failing", in: scenario).end().fails(with: 1)
    let text = ended.output + ended.errors
    #expect(text.contains("error: no such key: colour"))
    #expect(text.contains("exited with status 3"))
    #expect(!text.contains("never printed"))
  }

  @Test func `cached steps of an example are skipped the second time`() async throws {
    let scenario = try Scenario()
    let learning = FileTrace.problem == nil ? ["learn", "recipes/learned-build"] : []
    for name in ["cache", "recipes/build-with-cache"] + learning {
      try await run(name, in: scenario).end().succeeds()
      let second = try await run(name, in: scenario).end().succeeds()
      #expect(second.output.contains("skipped: up to date"), "\(name): \(second.output)")
    }
  }

  @Test(
    arguments: [
      ("recipes/monorepo", ["-p", #"changed=["website"]"#], 0),
      ("recipes/monorepo", ["-p", "changed=[]"], 0),
      ("recipes/data-pipeline", ["-p", "shards=8"], 0),
      ("recipes/changed-packages", ["-p", "packages=core website"], 0),
      ("recipes/changed-packages", ["-p", "packages="], 0),
      ("recipes/matrix-test", ["-p", #"databases=["sqlite"]"#], 0),
      ("recipes/deploy-with-roll-back", ["-p", "broken=true"], 1),
      ("recipes/build-with-cache", ["-p", "mode=release"], 0),
    ] as [(String, [String], Int32)])
  func `the commands of the recipes have the documented result`(
    _ name: String, _ arguments: [String], _ status: Int32
  ) async throws {
    let path = Self.root.appendingPathComponent("workflows/\(name).yaml").path
    // Keep the scenario: its folder must exist until the run ends.
    let scenario = try Scenario()
    let ended = try await scenario.start(["run", path, "--progress", "plain"] + arguments).end()
    #expect(scenario.has(".reprise"))
    #expect(ended.status == status, "\(ended.output)\(ended.errors)")
  }

  @Test func `a source file of the cached build may be changed in any way`() async throws {
    let scenario = try Scenario()
    try await run("recipes/build-with-cache", in: scenario).end().succeeds()
    try scenario.write("this is core\nand more of it\n", to: "build/with-cache/src/core.txt")
    try await run("recipes/build-with-cache", in: scenario).end().succeeds()
  }

  @Test(arguments: ["github-actions", "dagu", "go-task"])
  func `a migrated workflow behaves as in the original tool`(_ tool: String) async throws {
    let scenario = try Scenario()
    let check = Self.root.appendingPathComponent("Examples/coming-from/\(tool)/check.sh").path
    let executable = Scenario.Started.executable.path
    try await scenario.shell("REPRISE='\(executable)' sh '\(check)'").succeeds()
  }

  @Test func `the excerpts of the recipes are in their files`() throws {
    let text = try String(
      contentsOf: Self.root.appendingPathComponent("Documentation/recipes.md"), encoding: .utf8)
    let files = try Self.names.map {
      try String(
        contentsOf: Self.root.appendingPathComponent("workflows/\($0).yaml"), encoding: .utf8)
    }
    let all = Set(files.joined(separator: "\n").split(separator: "\n"))
    var isInside = false
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      if line.hasPrefix("```") {
        isInside = line.hasPrefix("```yaml")
      } else if isInside && !line.isEmpty {
        #expect(all.contains(line), "\(line)")
      }
    }
  }
}
