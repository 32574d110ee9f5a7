// Observers as in the documentation, in a package with the default settings of the compiler.

import Reprise
import Synchronization
import Testing

/// Observers in a package without upcoming features.
struct ObserverTests {
  @TaskLocal static var attempt = "none"

  final class Timing: EngineObserver, RunObserver {
    private let attempts = Mutex<[String]>([])

    var observed: [String] { attempts.withLock { $0 } }

    func runStarted(_ run: RunID, of workflow: Workflow) -> (any RunObserver)? { self }

    func receive(_ event: Event) {}

    func observe(_ context: StepContext, _ attempt: StepAttempt) async throws -> StepOutputs {
      attempts.withLock { $0.append(context.step.id) }
      return try await ObserverTests.$attempt.withValue(context.step.id) {
        try await attempt(context)
      }
    }
  }

  @Test func `an observer wraps each attempt`() async throws {
    let observer = Timing()
    var engine = Engine()
    engine.observer = observer
    let workflow = try Workflow("watched") {
      Step("first") { _ in ObserverTests.attempt }
      Step("second") { context in
        let seen = try context.input("first", as: String.self)
        guard seen == "first" else { throw FailureReason.badValue("it saw \(seen)") }
      }
    }
    let run = engine.start(workflow)
    #expect(try await run.outcome == .succeeded)
    #expect(observer.observed == ["first", "second"])
  }
}
