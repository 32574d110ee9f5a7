#if Observability
import InMemoryLogging
import InMemoryTracing
import Logging
import MetricsTestKit
import Reprise
import RepriseObservability
import TestSupport
import Testing
import Tracing

/// The logs, metrics and traces of runs.
struct ObservabilityTests {
  private func workflow(_ seen: Protected<[String]> = Protected([])) throws -> Workflow {
    try Workflow("w") {
      Step("a", .retry(Retry(limit: 1, delay: .zero))) { context in
        context.logger.warning("hello from Swift")
        context.report("first line\nsecond line")
        if context.attempt == 1 { throw FailureReason.exited(status: 3) }
      }
      Step("b", exec: ["sh", "-c", "env | grep IN_MEMORY; echo x=1 >> $REPRISE_OUTPUT"])
    }
  }

  @Test func `logs have the run, the generation, the step and the attempt`() async throws {
    let handler = InMemoryLogHandler()
    var logger = Logger(label: "t") { _ in handler }
    logger.logLevel = .trace
    var engine = Engine()
    engine.observer = Observability(logger: logger)
    let run = engine.start(try workflow())
    for await _ in run.events.values {}
    #expect(try await run.outcome == .succeeded)
    let entries = handler.entries
    #expect(
      entries.allSatisfy {
        $0.metadata["run"] == "\(run.id)" && $0.metadata["workflow"] == "w"
          && $0.metadata["generation"] == "1"
      })
    let own = entries.filter { $0.message == "hello from Swift" }
    #expect(own.map { $0.metadata["attempt"] } == ["1", "2"])
    #expect(own.allSatisfy { $0.metadata["step"] == "a" })
    let messages = entries.map { "\($0.level) \($0.message)" }
    #expect(messages.contains("trace first line") && messages.contains("trace second line"))
    #expect(messages.contains("info run started") && messages.contains("info run succeeded"))
    #expect(
      messages.contains("warning attempt failed, next one in 0 ms: exited with status 3"))
  }

  @Test func `metrics count runs and attempts, and time steps`() async throws {
    let metrics = TestMetrics()
    var engine = Engine()
    engine.observer = Observability(metrics: metrics)
    let run = engine.start(try workflow())
    for await _ in run.events.values {}
    #expect(try await run.outcome == .succeeded)
    let runs = try metrics.expectCounter(
      "reprise_runs", [("workflow", "w"), ("outcome", "succeeded")])
    #expect(runs.values == [1])
    let failed = try metrics.expectCounter(
      "reprise_attempts", [("workflow", "w"), ("outcome", "failed")])
    let good = try metrics.expectCounter(
      "reprise_attempts", [("workflow", "w"), ("outcome", "succeeded")])
    #expect(failed.values.count == 1 && good.values.count == 2)
    let timer = try metrics.expectTimer(
      "reprise_step_duration", [("workflow", "w"), ("step", "b"), ("outcome", "succeeded")])
    let duration =
      try #require(run.state["b"]?.endedAt).microseconds
      - (try #require(run.state["b"]?.startedAt).microseconds)
    #expect(timer.values == [duration * 1000])
  }

  @Test func `a run, its steps and their attempts have spans, and processes inherit theirs`()
    async throws
  {
    let tracer = InMemoryTracer()
    var engine = Engine()
    engine.observer = Observability(tracer: tracer)
    let outer = tracer.startSpan("request")
    let started = try ServiceContext.withValue(outer.context) { engine.start(try workflow()) }
    var lines = ""
    for await event in started.events.values {
      if case .step(_, _, .output(_, let text, _)) = event.kind { lines += text + "\n" }
    }
    outer.end()
    await expectEventually("all spans have ended") { tracer.activeSpans.isEmpty }
    let spans = tracer.finishedSpans
    func named(_ name: String) -> [FinishedInMemorySpan] {
      spans.filter { $0.operationName == name }
    }
    #expect(Set(spans.map(\.traceID)).count == 1)
    let run = try #require(named("run w").first)
    let (a, b) = (try #require(named("step a").first), try #require(named("step b").first))
    #expect(run.parentSpanID == outer.spanID)
    #expect(a.parentSpanID == run.spanID && b.parentSpanID == run.spanID)
    #expect(named("attempt 1").map(\.parentSpanID) == [a.spanID, b.spanID])
    #expect(named("attempt 2").map(\.parentSpanID) == [a.spanID])
    #expect(named("attempt 1").map { $0.errors.count } == [1, 0])
    let own = try #require(named("attempt 1").last)
    #expect(lines.contains("IN_MEMORY_SPAN_ID=\(own.spanID)"))
  }

  @Test func `no span shows a secret that an error contains`() async throws {
    struct Refused: Error {
      let token: String
    }
    let workflow = try Workflow("w", .secret("token", from: .environment("TOKEN"))) {
      Step("a") { context in throw Refused(token: try context.secret("token")) }
    }
    let secrets = try await Secrets.gather(for: workflow, environment: ["TOKEN": "hunter2hunter2"])
    let tracer = InMemoryTracer()
    var engine = Engine()
    engine.observer = Observability(tracer: tracer)
    _ = try await engine.start(workflow, secrets: secrets).outcome
    await expectEventually("all spans have ended") {
      tracer.activeSpans.isEmpty && !tracer.finishedSpans.isEmpty
    }
    let errors = tracer.finishedSpans.flatMap(\.errors).map { String(reflecting: $0.error) }
    #expect(errors.count == 1 && errors.allSatisfy { $0.contains("***") }, "\(errors)")
    #expect(!errors.contains { $0.contains("hunter2") })
  }

  @Test func `the spans of a restarted run end with it`() async throws {
    let tracer = InMemoryTracer()
    var engine = Engine()
    engine.observer = Observability(tracer: tracer)
    let begun = Protected(0)
    let run = engine.start(
      try Workflow("again") {
        Step("a") { _ in
          begun.withLock { $0 += 1 }
          try await Gate().waitUnlessCancelled()
        }
      })
    await expectEventually("it runs") { begun.value == 1 }
    run.restart()
    await expectEventually("it runs again") { begun.value == 2 }
    run.cancel()
    _ = try await run.outcome
    await expectEventually("all spans have ended") {
      tracer.activeSpans.isEmpty && !tracer.finishedSpans.isEmpty
    }
    #expect(tracer.finishedSpans.count { $0.operationName == "step a" } == 2)
  }

  @Test func `a resumed run reports only what happens after the resume`() async throws {
    let isGood = Protected(false)
    let workflow = try Workflow("w") {
      Step("a") { _ in }
      Step("b") { context in
        context.report("hello")
        if !isGood.value { throw FailureReason.exited(status: 3) }
      }
    }
    let failed = Engine().start(workflow)
    #expect(try await failed.outcome == .failed(step: "b", reason: .exited(status: 3)))
    isGood.withLock { $0 = true }
    let (metrics, tracer) = (TestMetrics(), InMemoryTracer())
    var engine = Engine()
    engine.observer = Observability(tracer: tracer, metrics: metrics)
    let run = try engine.resume(failed.state, with: workflow)
    for await _ in run.events.values {}
    #expect(try await run.outcome == .succeeded)
    let runs = try metrics.expectCounter(
      "reprise_runs", [("workflow", "w"), ("outcome", "succeeded")])
    let attempts = try metrics.expectCounter(
      "reprise_attempts", [("workflow", "w"), ("outcome", "succeeded")])
    #expect(runs.values == [1] && attempts.values == [1])
    #expect(throws: (any Error).self) {
      try metrics.expectCounter("reprise_runs", [("workflow", "w"), ("outcome", "failed")])
    }
    await expectEventually("all spans have ended") { tracer.activeSpans.isEmpty }
    #expect(Set(tracer.finishedSpans.map(\.operationName)) == ["run w", "step b", "attempt 1"])
  }

  @Test func `without a backend nothing is reported, and nothing is added to processes`()
    async throws
  {
    var engine = Engine()
    engine.observer = Observability()
    let run = engine.start(try workflow())
    var lines = ""
    for await event in run.events.values {
      if case .step(_, _, .output(_, let text, _)) = event.kind { lines += text }
    }
    #expect(try await run.outcome == .succeeded)
    #expect(!lines.contains("SPAN_ID") && !lines.contains("hello from Swift"))
  }
}
#endif
