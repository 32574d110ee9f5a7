// Tests of single closures.

import Reprise
import RepriseTesting
import Testing

/// Tests of contexts without a run.
struct StepContextTests {
  struct Version: Codable, Sendable, Equatable {
    var major: Int
    var minor: Int
  }

  private func publish(_ context: StepContext) async throws -> String {
    let version = try context.input("version", as: Version.self)
    let target: String = try context.parameter("target")
    let count: Int = try context.input("count")
    context.report("publishing \(version.major).\(version.minor)\nto \(target)")
    context.report(progress: 0.5, "half")
    return "\(count) by attempt \(context.attempt)"
  }

  @Test func `a closure is tested alone`() async throws {
    let report = StepReport()
    let context = try StepContext.test(
      inputs: ["version": Version(major: 1, minor: 2), "count": 3],
      parameters: ["target": "staging"], attempt: 2, report: report)
    #expect(try await publish(context) == "3 by attempt 2")
    #expect(report.lines == ["publishing 1.2", "to staging"])
    #expect(report.progress == [0.5])
  }

  @Test func `arguments and environment are those of the test`() async throws {
    let context = try StepContext.test(
      "upload", arguments: ["version": Version(major: 1, minor: 2), "tries": 4],
      environment: ["TOKEN": "t"])
    struct Arguments: Decodable {
      var version: Version
      var tries: Int
    }
    let arguments: Arguments = try context.arguments()
    #expect(arguments.version == Version(major: 1, minor: 2))
    #expect(arguments.tries == 4)
    #expect(context.environment["TOKEN"] == "t")
    #expect(context.step.id == "upload")
  }

  @Test(arguments: [Double.nan, .infinity, -.infinity])
  func `a progress that is not finite is not reported`(_ progress: Double) throws {
    let report = StepReport()
    let context = try StepContext.test(report: report)
    context.report(progress: progress, "unknown")
    context.report(progress: 7, "more than all")
    context.report(progress: -7, "less than none")
    #expect(report.progress == [1, 0])
  }

  @Test func `a missing input fails as in a run`() async throws {
    let context = try StepContext.test("publish", inputs: ["versoin": 1])
    await #expect(
      throws: FailureReason.badValue(
        "step \"publish\" has no input \"version\"; it has: versoin; did you mean \"versoin\"?")
    ) { try await publish(context) }
  }
}
