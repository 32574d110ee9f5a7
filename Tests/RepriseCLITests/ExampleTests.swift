import Foundation
import Testing

/// Every file in `workflows/` runs as it is, and ends as its description says.
struct ExampleTests {
  private static let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  private static let expected: [String: Int32] = [
    "coordinator": 0, "diamond": 0, "build-test-release": 0, "failing": 1, "time-out": 1,
    "retry": 0,
  ]

  private func run(_ name: String) async throws -> Scenario.Ended {
    let path = Self.root.appendingPathComponent("workflows/\(name).yaml").path
    return try await Scenario().reprise("run", path, "--progress", "plain")
  }

  @Test(arguments: expected) func `an example ends as it should`(
    _ name: String, _ status: Int32
  ) async throws {
    try await run(name).fails(with: status)
  }

  @Test func `every file in workflows is expected to end somehow`() throws {
    let files = try FileManager.default.contentsOfDirectory(
      atPath: Self.root.appendingPathComponent("workflows").path)
    #expect(Set(files) == Set(Self.expected.keys.map { "\($0).yaml" }))
  }

  @Test func `the failing example names the failure with its last lines`() async throws {
    let ended = try await run("failing").fails(with: 1)
    let text = ended.output + ended.errors
    #expect(text.contains("error: no such key: colour"))
    #expect(text.contains("exited with status 3"))
    #expect(!text.contains("never printed"))
  }
}
