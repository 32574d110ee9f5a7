// Logs, metrics and traces for the runs of an engine. Empty without the trait `Observability`.

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
/// Nothing is logged without a logger. Metrics and traces are discarded until the program
/// bootstraps a backend for them.
///
/// - Logs: run and step events at `info`, failures at `error`, and step output at `trace`, with the
///   metadata `run`, `workflow`, `generation` and, for steps, `step` and `attempt`. Swift steps can
///   log with ``Reprise/StepContext/logger``.
/// - Metrics: the counters `reprise_runs` and `reprise_attempts` by `workflow` and `outcome`, and
///   `reprise_restarts` by `workflow`; the timers `reprise_run_duration` by `workflow` and
///   `outcome`, and `reprise_step_duration` by `workflow`, `step` and `outcome`.
/// - Traces: a span for each run, with a child span for each step, which has a child span for each
///   attempt. The parent of the run's span is the current span of the caller that starts the run.
///   Child processes receive the trace context of their attempt in environment variables such as
///   `TRACEPARENT`; the tracer determines which.
public struct Observability: EngineObserver {
  private let logger: Logger?
  private let tracer: (any Tracer)?
  private let metrics: (any MetricsFactory)?

  /// Creates an observer.
  ///
  /// - Parameters:
  ///   - logger: The logger for events; if nil, nothing is logged.
  ///   - tracer: The tracer; if nil, the bootstrapped one.
  ///   - metrics: The metrics factory; if nil, the bootstrapped one.
  public init(
    logger: Logger? = nil, tracer: (any Tracer)? = nil, metrics: (any MetricsFactory)? = nil
  ) {
    self.logger = logger
    self.tracer = tracer
    self.metrics = metrics
  }

  /// Creates the observer of a run.
  ///
  /// - Parameters:
  ///   - run: The id of the run.
  ///   - workflow: The workflow of the run.
  /// - Returns: The observer.
  public func runStarted(_ run: RunID, of workflow: Workflow) -> (any RunObserver)? {
    var logger = logger
    logger?[metadataKey: "run"] = "\(run)"
    logger?[metadataKey: "workflow"] = "\(workflow.name)"
    return RunObservation(
      logger: logger,
      spans: RunSpans(tracer: tracer ?? InstrumentationSystem.tracer, run: run, workflow.name),
      metrics: RunMetrics(factory: metrics ?? MetricsSystem.factory, workflow: workflow.name))
  }
}

/// Observes one run.
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

/// The logger of the attempt that runs in the current task.
enum StepLogger {
  @TaskLocal static var current: Logger?
}

extension StepContext {
  /// A logger whose metadata identifies the run, generation, step and attempt.
  ///
  /// Uses the logger of the engine's ``Observability``. Without one, messages are discarded.
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
