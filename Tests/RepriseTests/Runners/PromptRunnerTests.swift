import Reprise
import Synchronization
import Testing

/// Attempts whose runner always has an answer.
struct PromptRunnerTests {
  /// Attempts that have ended when they begin, and of which nothing is left.
  private struct Prompt: Runner {
    let survivesEngine = false

    func begin(
      _ spec: AttemptSpec, token: AttemptToken
    ) async throws(RunnerFailure) -> any RunnerHandle { Handle() }

    func find(_ token: AttemptToken) async throws(RunnerFailure) -> (any RunnerHandle)? {
      Handle()
    }

    func look(
      _ tokens: [AttemptToken]
    ) async throws(RunnerFailure) -> [AttemptToken: AttemptSight] { [:] }
  }

  private struct Handle: RunnerHandle {
    func news(from mark: OutputMark) -> AsyncThrowingStream<MarkedNews, any Error> {
      AsyncThrowingStream { news in
        news.yield(MarkedNews(.started(host: "here"), next: mark))
        news.yield(MarkedNews(.ended(.succeeded(["kind": "prompt"])), next: mark))
        news.finish()
      }
    }

    func stop(grace: Duration) async throws(RunnerFailure) {}
    func isGone() async throws(RunnerFailure) -> Bool { true }
    func abandon() async throws(RunnerFailure) {}
  }

  private struct Kind: RunnerKind {
    static let name = "prompt"
    static let pauses = Mutex(0)

    func makeExecutor(
      named name: String, in surroundings: RunnerSurroundings
    ) throws(FailureReason) -> any Executor {
      var surroundings = surroundings
      surroundings.clock = CountingClock()
      return RunnerExecutor(Prompt(), named: name, in: surroundings)
    }
  }

  private struct CountingClock: RunClock {
    var now: Timestamp { SystemClock().now }

    func sleep(for duration: Duration) async throws { Kind.pauses.withLock { $0 += 1 } }
  }

  @Test func `an attempt that has ended is over without a pause`() async throws {
    var engine = Engine()
    engine.register(Kind.self)
    let text = "runners: { near: { prompt: {} } }\nrunner: near\nsteps: [{ id: a, exec: [x] }]"
    let run = engine.start(try Workflow(text: text, file: "w.yaml", actions: engine.actions))
    #expect(try await run.outcome == .succeeded)
    #expect(run.state["a"]?.phase == .succeeded(["kind": "prompt"]))
    #expect(Kind.pauses.withLock { $0 } == 0)
  }
}
