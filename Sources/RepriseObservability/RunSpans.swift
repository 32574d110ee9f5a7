// The trace spans of a run, its steps and their attempts. Empty without the trait `Observability`.

#if Observability
import Masking
import Reprise
import Synchronization
import Tracing

/// Creates and ends the spans of one run.
final class RunSpans: Sendable {
  /// The span of a running step.
  private struct StepSpan {
    let span: any Span
    var lastAttempt: Int
  }

  private struct State {
    /// The spans by step id, oldest first.
    ///
    /// The end of one may be reported after the next has started.
    var steps: [String: [StepSpan]] = [:]
  }

  private let tracer: any Tracer
  private let runSpan: any Span
  private let state = Mutex(State())

  /// Starts the span of a run as a child of the caller's span.
  init(tracer: any Tracer, run: RunID, _ workflow: String) {
    self.tracer = tracer
    runSpan = tracer.startSpan("run \(workflow)", context: .current ?? .topLevel)
    runSpan.updateAttributes { attributes in
      attributes["reprise.run"] = "\(run)"
      attributes["reprise.workflow"] = "\(workflow)"
    }
  }

  /// Runs an attempt in its own span and passes the trace context to its process.
  func observe(_ context: StepContext, _ attempt: StepAttempt) async throws -> StepOutputs {
    let step = stepSpan(for: context)
    let span = tracer.startSpan("attempt \(context.attempt)", context: step.context)
    span.updateAttributes { $0["reprise.attempt"] = context.attempt }
    defer { span.end() }
    var variables: [String: String] = [:]
    tracer.inject(span.context, into: &variables, using: EnvironmentInjector())
    return try await ServiceContext.withValue(span.context) { [variables] in
      do {
        return try await attempt(
          variables.isEmpty ? context : context.adding(environment: variables))
      } catch {
        span.recordError(context.masker.isEmpty ? error : MaskedError(error, context))
        span.setStatus(SpanStatus(code: .error))
        throw error
      }
    }
  }

  private func stepSpan(for context: StepContext) -> any Span {
    let id = context.step.id
    if context.attempt > 1 {
      let span = state.withLock { state -> (any Span)? in
        guard let last = state.steps[id]?.indices.last else { return nil }
        state.steps[id]?[last].lastAttempt = context.attempt
        return state.steps[id]?[last].span
      }
      if let span { return span }
    }
    let span = tracer.startSpan("step \(id)", context: runSpan.context)
    span.updateAttributes { attributes in
      attributes["reprise.step"] = id
      attributes["reprise.generation"] = context.generation
    }
    state.withLock { state in
      state.steps[id, default: []].append(StepSpan(span: span, lastAttempt: context.attempt))
    }
    return span
  }

  func receive(_ event: Event) {
    let instant = EventInstant(event.time)
    switch event.kind {
    case .runRestarting: runSpan.addEvent(SpanEvent(name: "restarting", at: instant))
    case .runCancelling: runSpan.addEvent(SpanEvent(name: "cancelling", at: instant))
    case .runEnded(let outcome):
      runSpan.updateAttributes { attributes in
        attributes["reprise.outcome"] = outcome.name
        attributes["reprise.generation"] = event.generation
      }
      if !outcome.isSuccess { runSpan.setStatus(SpanStatus(code: .error)) }
      let left = state.withLock { state in
        defer { state.steps = [:] }
        return state.steps.values.joined().map(\.span)
      }
      for span in left { span.end(at: instant) }
      runSpan.end(at: instant)
    case .step(let id, let attempt, .succeeded): end(id, attempt, "succeeded", nil, instant)
    case .step(let id, let attempt, .failed(let reason)):
      end(id, attempt, "failed", reason.description, instant)
    case .step(let id, let attempt, .cancelled): end(id, attempt, "cancelled", nil, instant)
    default: break
    }
  }

  private func end(
    _ id: String, _ attempt: Int, _ outcome: String, _ problem: String?, _ instant: EventInstant
  ) {
    let span = state.withLock { state -> (any Span)? in
      // A step that failed before it started has no span. A stale end from an earlier attempt is
      // ignored.
      guard let first = state.steps[id]?.first, attempt >= first.lastAttempt else { return nil }
      state.steps[id]?.removeFirst()
      return first.span
    }
    span?.updateAttributes { $0["reprise.outcome"] = outcome }
    if let problem { span?.setStatus(SpanStatus(code: .error, message: problem)) }
    span?.end(at: instant)
  }
}

/// An error with the secrets in its description masked.
private struct MaskedError: Error, CustomStringConvertible {
  let description: String

  init(_ error: any Error, _ context: StepContext) {
    description = context.masker.masked(String(describing: error))
  }
}

/// Injects trace headers as environment variables: `traceparent` becomes `TRACEPARENT`.
private struct EnvironmentInjector: Injector {
  func inject(_ value: String, forKey key: String, into carrier: inout [String: String]) {
    let name = key.uppercased().map { $0.isLetter || $0.isNumber ? $0 : "_" }
    carrier[String(name)] = value
  }
}

/// The time of an event.
private struct EventInstant: TracerInstant {
  let nanosecondsSinceEpoch: UInt64

  init(_ time: Timestamp) {
    nanosecondsSinceEpoch = UInt64(clamping: time.microseconds) * 1000
  }

  static func < (earlier: EventInstant, later: EventInstant) -> Bool {
    earlier.nanosecondsSinceEpoch < later.nanosecondsSinceEpoch
  }
}
#endif
