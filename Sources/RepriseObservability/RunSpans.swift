// The spans of one run: of itself, of its steps and of their attempts. Knows no tracer; empty unless the trait
// Observability is asked for.

#if Observability
import Masking
import Reprise
import Synchronization
import Tracing

/// Traces one run.
final class RunSpans: Sendable {
  /// The span of a step that is not over.
  private struct StepSpan {
    let span: any Span
    var lastAttempt: Int
  }

  private struct State {
    /// By the id of the step, the oldest first: the word of the end of one may come when the next has begun.
    var steps: [String: [StepSpan]] = [:]
  }

  private let tracer: any Tracer
  private let runSpan: any Span
  private let state = Mutex(State())

  /// Starts the span of a run, below that of whoever starts it.
  init(tracer: any Tracer, run: RunID, _ workflow: String) {
    self.tracer = tracer
    runSpan = tracer.startSpan("run \(workflow)", context: .current ?? .topLevel)
    runSpan.updateAttributes { attributes in
      attributes["reprise.run"] = "\(run)"
      attributes["reprise.workflow"] = "\(workflow)"
    }
  }

  /// Goes along with an attempt: in its span, which its process is told of.
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
      if outcome != .succeeded { runSpan.setStatus(SpanStatus(code: .error)) }
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
      // A step that failed before it began has none; an attempt that did leaves those before it.
      guard let first = state.steps[id]?.first, attempt >= first.lastAttempt else { return nil }
      state.steps[id]?.removeFirst()
      return first.span
    }
    span?.updateAttributes { $0["reprise.outcome"] = outcome }
    if let problem { span?.setStatus(SpanStatus(code: .error, message: problem)) }
    span?.end(at: instant)
  }
}

/// An error without the secrets that its text may hold.
private struct MaskedError: Error, CustomStringConvertible {
  let description: String

  init(_ error: any Error, _ context: StepContext) {
    description = context.masker.masked(String(describing: error))
  }
}

/// Writes the headers of a trace as environment variables: `traceparent` becomes `TRACEPARENT`.
private struct EnvironmentInjector: Injector {
  func inject(_ value: String, forKey key: String, into carrier: inout [String: String]) {
    let name = key.uppercased().map { $0.isLetter || $0.isNumber ? $0 : "_" }
    carrier[String(name)] = value
  }
}

/// The moment of an event.
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
