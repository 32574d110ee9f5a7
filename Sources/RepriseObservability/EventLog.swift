// Maps run events to log messages and levels. Empty without the trait `Observability`.

#if Observability
import Logging
import Reprise

/// Logs an event; step output is logged line by line.
///
/// - Parameters:
///   - event: The event.
///   - logger: The logger, with the metadata of the run.
func log(_ event: Event, to logger: Logger) {
  var metadata: Logger.Metadata = ["generation": "\(event.generation)"]
  guard case .step(let id, let attempt, let stepEvent) = event.kind else {
    let (level, message) = words(for: event)
    return logger.log(level: level, message, metadata: metadata)
  }
  metadata["step"] = "\(id)"
  if attempt > 0 { metadata["attempt"] = "\(attempt)" }
  if case .output(_, let text, _) = stepEvent {
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      logger.trace("\(line)", metadata: metadata)
    }
    return
  }
  let (level, message) = words(for: stepEvent)
  logger.log(level: level, message, metadata: metadata)
}

private func words(for event: Event) -> (Logger.Level, Logger.Message) {
  switch event.kind {
  case .runStarted: (.info, "run started")
  case .runRestarting(let steps):
    (.info, "run is being restarted from \(steps?.joined(separator: ", ") ?? "the top")")
  case .generationStarted: (.info, "generation started")
  case .runCancelling(let cause): (.notice, "run is being cancelled \(cause)")
  case .runEnded(.succeeded): (.info, "run succeeded")
  case .runEnded(.cancelled): (.notice, "run was cancelled")
  case .runEnded(.interrupted): (.notice, "run was interrupted")
  case .runEnded(let outcome): (.error, "\(RunFailure(run: event.run, outcome: outcome))")
  case .runResumed: (.info, "run resumed")
  default: (.info, "\(event.kind)")
  }
}

private func words(for event: Event.StepEvent) -> (Logger.Level, Logger.Message) {
  switch event {
  case .waiting: (.debug, "step is ready")
  case .awaitingApproval(let text): (.notice, "step is waiting for approval: \(text)")
  case .approved: (.info, "step was approved")
  case .progress(let part, let text): (.trace, "step is at \(Int(part * 100)) % \(text)")
  case .succeeded: (.info, "step succeeded")
  case .retrying(let reason, let delay):
    (.warning, "attempt failed, next one in \(durationText(delay)): \(reason)")
  case .failed(let reason): (.error, "step failed: \(reason)")
  case .cancelled(let cause): (.notice, "step was cancelled \(cause)")
  case .skipped(let reason, _): (.info, "step was skipped: \(reason)")
  default: (.info, "step \(event)")
  }
}
#endif
