// What a log says of events: the words and the levels. Pure; empty unless the trait Observability is asked for.

#if Observability
import Logging
import Reprise

/// Logs an event: what a step writes line by line.
///
/// - Parameters:
///   - event: What has happened.
///   - logger: Where to; it knows the run.
func log(_ event: Event, to logger: Logger) {
  var metadata: Logger.Metadata = ["generation": "\(event.generation)"]
  let level: Logger.Level
  let message: Logger.Message
  switch event.kind {
  case .runStarted: (level, message) = (.info, "run started")
  case .runResumed: (level, message) = (.info, "run resumed")
  case .runRestarting(let steps):
    (level, message) = (
      .info, "run is being restarted from \(steps?.joined(separator: ", ") ?? "the top")"
    )
  case .generationStarted: (level, message) = (.info, "generation started")
  case .runCancelling(let cause): (level, message) = (.notice, "run is being cancelled \(cause)")
  case .runEnded(.succeeded): (level, message) = (.info, "run succeeded")
  case .runEnded(.cancelled): (level, message) = (.notice, "run was cancelled")
  case .runEnded(let outcome):
    (level, message) = (.error, "\(RunFailure(run: event.run, outcome: outcome))")
  case .step(let id, let attempt, let event):
    metadata["step"] = "\(id)"
    if attempt > 0 { metadata["attempt"] = "\(attempt)" }
    if case .output(_, let text, _) = event {
      for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
        logger.trace("\(line)", metadata: metadata)
      }
      return
    }
    (level, message) = words(for: event)
  }
  logger.log(level: level, message, metadata: metadata)
}

private func words(for event: Event.StepEvent) -> (Logger.Level, Logger.Message) {
  switch event {
  case .ready: (.debug, "step is ready")
  case .waiting(let text): (.notice, "step waits for approval: \(text)")
  case .approved: (.info, "step was approved")
  case .started: (.info, "step started")
  case .progress(let part, let text): (.trace, "step is at \(Int(part * 100)) % \(text)")
  case .output(_, let text, _): (.trace, "\(text)")
  case .succeeded: (.info, "step succeeded")
  case .retrying(let reason, let delay):
    (.warning, "attempt failed, next one in \(durationText(delay)): \(reason)")
  case .failed(let reason): (.error, "step failed: \(reason)")
  case .cancelled(let cause): (.notice, "step was cancelled \(cause)")
  case .skipped(let reason, _): (.info, "step was skipped: \(reason)")
  }
}
#endif
