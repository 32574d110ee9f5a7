// Tells of the runs of an engine in the terms of the ecosystem: logs, metrics and traces. Knows no backend; empty
// unless the trait Observability is asked for.

#if Observability
public import CoreMetrics
public import Logging
public import Reprise
public import Tracing

/// Logs, metrics and traces of the runs of an engine.
///
///     var engine = Engine()
///     engine.observer = Observability(logger: Logger(label: "deploy"))
///
/// Nothing is logged without a logger, and neither metrics nor traces go anywhere until the program bootstraps a
/// backend for them.
///
/// - Logs: what happens to runs and steps at `info`, failures at `error`, what steps write at `trace`, each with
///   the metadata `run`, `workflow`, `generation`, and where it is about a step `step` and `attempt`. Steps of Swift
///   code have ``Reprise/StepContext/logger``.
/// - Metrics: the counters `reprise_runs` and `reprise_attempts` by `workflow` and `outcome`, `reprise_restarts` by
///   `workflow`; the timers `reprise_run_duration` by `workflow` and `outcome`, `reprise_step_duration` by `workflow`,
///   `step` and `outcome`.
/// - Traces: a span for each run, below it one for each step, and below that one for each attempt. The run's parent is
///   the span of whoever starts it. Children of the process get the context of their attempt as environment variables,
///   such as `TRACEPARENT`; which there are is the tracer's business.
public struct Observability: EngineObserver {
  private let logger: Logger?
  private let tracer: (any Tracer)?
  private let metrics: (any MetricsFactory)?

  /// Makes an observer.
  ///
  /// - Parameters:
  ///   - logger: What logs; nothing does when nil.
  ///   - tracer: What traces; what the program has bootstrapped when nil.
  ///   - metrics: What counts; what the program has bootstrapped when nil.
  public init(
    logger: Logger? = nil, tracer: (any Tracer)? = nil, metrics: (any MetricsFactory)? = nil
  ) {
    self.logger = logger
    self.tracer = tracer
    self.metrics = metrics
  }

  /// Begins to observe a run.
  ///
  /// - Parameters:
  ///   - run: The id of the run.
  ///   - workflow: What is run.
  /// - Returns: What observes it.
  public func runBegins(_ run: RunID, of workflow: Workflow) -> (any RunObserver)? {
    var logger = logger
    logger?[metadataKey: "run"] = "\(run)"
    logger?[metadataKey: "workflow"] = "\(workflow.name)"
    return RunObservation(
      logger: logger,
      spans: RunSpans(tracer: tracer ?? InstrumentationSystem.tracer, run: run, workflow.name),
      metrics: RunMetrics(factory: metrics ?? MetricsSystem.factory, workflow: workflow.name))
  }
}

/// What observes one run.
private struct RunObservation: RunObserver {
  let logger: Logger?
  let spans: RunSpans
  let metrics: RunMetrics

  func receive(_ event: Event) {
    if let logger { log(event, to: logger) }
    spans.receive(event)
    metrics.receive(event)
  }

  func observe(_ context: StepContext, _ attempt: StepAttempt) async throws -> StepOutputs {
    try await StepLogger.$current.withValue(logger) {
      try await spans.observe(context, attempt)
    }
  }
}

/// The logger of the attempt that the present task carries out.
enum StepLogger {
  @TaskLocal static var current: Logger?
}

extension StepContext {
  /// A logger that says which run, generation, step and attempt its messages come from.
  ///
  /// It is that of the engine's ``Observability``; where there is none, it writes nowhere.
  public var logger: Logger {
    var logger =
      StepLogger.current ?? Logger(label: "reprise", factory: { _ in SwiftLogNoOpLogHandler() })
    logger[metadataKey: "generation"] = "\(generation)"
    logger[metadataKey: "step"] = "\(step.id)"
    logger[metadataKey: "attempt"] = "\(attempt)"
    return logger
  }
}
#endif
