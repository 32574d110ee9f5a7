// The check of runners, as their authors use it: with the default settings of the compiler.

import Reprise
import RepriseTesting
import TestSupport
import Testing

/// What `checkRunner` finds.
struct RunnerCheckTests {
  /// Runs steps on this machine.
  struct Plain: RunnerKind {
    static let name = "plain"

    func makeExecutor(
      named name: String, in surroundings: RunnerSurroundings
    ) throws(FailureReason) -> any Executor { LocalExecutor() }
  }

  /// Takes every failure for a success, and forgets outputs.
  struct Forgiving: RunnerKind {
    static let name = "forgiving"

    struct Steps: Executor {
      func execute(_ context: StepContext) async throws -> StepOutputs {
        do {
          _ = try await LocalExecutor().execute(context)
        } catch is FailureReason {}
        return [:]
      }
    }

    func makeExecutor(
      named name: String, in surroundings: RunnerSurroundings
    ) throws(FailureReason) -> any Executor { Steps() }
  }

  private static func engine() -> Engine {
    var engine = Engine()
    engine.register(Plain.self)
    engine.register(Forgiving.self)
    return engine
  }

  @Test func `a runner that keeps all promises passes`() async throws {
    let folder = try TemporaryFolder()
    try await checkRunner("plain", in: folder.path) { Self.engine() }
  }

  @Test func `broken promises are named, with what was seen`() async throws {
    let folder = try TemporaryFolder()
    let error = await #expect(throws: RunnerCheckError.self) {
      try await checkRunner("forgiving", in: folder.path) { Self.engine() }
    }
    let broken = error?.broken ?? []
    #expect(broken.count == 3, "\(broken)")
    #expect(broken.first?.contains("the status of its program: succeeded instead of") == true)
    #expect(broken.dropFirst().first?.hasPrefix("lines and outputs arrive") == true)
    #expect(broken.last?.contains("after attempt 1 instead of 3") == true)
  }

  @Test func `what does not come within the limit is named`() async throws {
    let folder = try TemporaryFolder()
    let error = await #expect(throws: RunnerCheckError.self) {
      try await checkRunner("plain", in: folder.path, limit: .milliseconds(1)) { Self.engine() }
    }
    #expect(error?.broken.first?.contains("the run does not end within") == true)
  }
}
