// The JSON shape of events: one flat object each, `event` naming what happened. Documented for
// other programs in Documentation/events.md; a field or a name is added there before it is here.

extension Event: Codable {
  private enum CodingKeys: String, CodingKey {
    case time, run, generation, event, step, attempt, plan, from, reset, cause, outcome, reason
    case stream, text, partial, outputs, seconds, part
  }

  /// The values of the field `event`.
  private enum Name: String, Codable {
    case runStarted = "run-started"
    case runResumed = "run-resumed"
    case runRestarting = "run-restarting"
    case generationStarted = "generation-started"
    case runCancelling = "run-cancelling"
    case runEnded = "run-ended"
    case stepReady = "step-ready"
    case stepWaiting = "step-waiting"
    case stepApproved = "step-approved"
    case stepStarted = "step-started"
    case stepProgress = "step-progress"
    case stepOutput = "step-output"
    case stepSucceeded = "step-succeeded"
    case stepRetrying = "step-retrying"
    case stepFailed = "step-failed"
    case stepCancelled = "step-cancelled"
    case stepSkipped = "step-skipped"
  }

  /// The values of the field `outcome`.
  private enum OutcomeName: String, Codable {
    case succeeded, failed, cancelled
    case timedOut = "timed-out"
    case abandoned
  }

  /// Writes the documented shape.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(time, forKey: .time)
    try container.encode(run, forKey: .run)
    try container.encode(generation, forKey: .generation)
    switch kind {
    case .runStarted(let plan):
      try container.encode(Name.runStarted, forKey: .event)
      try container.encode(plan, forKey: .plan)
    case .runResumed(let plan):
      try container.encode(Name.runResumed, forKey: .event)
      try container.encode(plan, forKey: .plan)
    case .runRestarting(let from):
      try container.encode(Name.runRestarting, forKey: .event)
      try container.encodeIfPresent(from, forKey: .from)
    case .generationStarted(let reset):
      try container.encode(Name.generationStarted, forKey: .event)
      try container.encodeIfPresent(reset, forKey: .reset)
    case .runCancelling(let cause):
      try container.encode(Name.runCancelling, forKey: .event)
      try container.encode(cause, forKey: .cause)
    case .runEnded(let outcome):
      try container.encode(Name.runEnded, forKey: .event)
      try Self.encode(outcome, to: &container)
    case .step(let id, let attempt, let stepEvent):
      try Self.encode(stepEvent, step: id, attempt: attempt, to: &container)
    }
  }

  private static func encode(
    _ outcome: RunOutcome, to container: inout KeyedEncodingContainer<CodingKeys>
  ) throws {
    switch outcome {
    case .succeeded:
      try container.encode(OutcomeName.succeeded, forKey: .outcome)
    case .failed(let step, let reason):
      try container.encode(OutcomeName.failed, forKey: .outcome)
      try container.encode(step, forKey: .step)
      try container.encode(reason, forKey: .reason)
    case .cancelled:
      try container.encode(OutcomeName.cancelled, forKey: .outcome)
    case .timedOut(let duration):
      try container.encode(OutcomeName.timedOut, forKey: .outcome)
      try container.encode(duration.inSeconds, forKey: .seconds)
    case .abandoned(let text):
      try container.encode(OutcomeName.abandoned, forKey: .outcome)
      try container.encode(text, forKey: .text)
    }
  }

  private static func encode(
    _ event: StepEvent, step: String, attempt: Int,
    to container: inout KeyedEncodingContainer<CodingKeys>
  ) throws {
    try container.encode(step, forKey: .step)
    try container.encode(attempt, forKey: .attempt)
    switch event {
    case .ready:
      try container.encode(Name.stepReady, forKey: .event)
    case .waiting(let text):
      try container.encode(Name.stepWaiting, forKey: .event)
      try container.encode(text, forKey: .text)
    case .approved:
      try container.encode(Name.stepApproved, forKey: .event)
    case .started:
      try container.encode(Name.stepStarted, forKey: .event)
    case .progress(let part, let text):
      try container.encode(Name.stepProgress, forKey: .event)
      try container.encode(part, forKey: .part)
      try container.encode(text, forKey: .text)
    case .output(let stream, let text, let isPartial):
      try container.encode(Name.stepOutput, forKey: .event)
      try container.encode(stream, forKey: .stream)
      try container.encode(text, forKey: .text)
      if isPartial { try container.encode(true, forKey: .partial) }
    case .succeeded(let outputs):
      try container.encode(Name.stepSucceeded, forKey: .event)
      try container.encode(outputs, forKey: .outputs)
    case .retrying(let reason, let delay):
      try container.encode(Name.stepRetrying, forKey: .event)
      try container.encode(reason, forKey: .reason)
      try container.encode(delay.inSeconds, forKey: .seconds)
    case .failed(let reason):
      try container.encode(Name.stepFailed, forKey: .event)
      try container.encode(reason, forKey: .reason)
    case .cancelled(let cause):
      try container.encode(Name.stepCancelled, forKey: .event)
      try container.encode(cause, forKey: .cause)
    case .skipped(let reason, let outputs):
      try container.encode(Name.stepSkipped, forKey: .event)
      try container.encode(reason, forKey: .text)
      if !outputs.isEmpty { try container.encode(outputs, forKey: .outputs) }
    }
  }

  /// Reads what `encode(to:)` writes.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    time = try container.decode(Timestamp.self, forKey: .time)
    run = try container.decode(RunID.self, forKey: .run)
    generation = try container.decode(Int.self, forKey: .generation)
    let name = try container.decode(Name.self, forKey: .event)
    kind =
      switch name {
      case .runStarted:
        .runStarted(try container.decode(RunPlan.self, forKey: .plan))
      case .runResumed:
        .runResumed(try container.decode(RunPlan.self, forKey: .plan))
      case .runRestarting:
        .runRestarting(from: try container.decodeIfPresent([String].self, forKey: .from))
      case .generationStarted:
        .generationStarted(reset: try container.decodeIfPresent([String].self, forKey: .reset))
      case .runCancelling:
        .runCancelling(try container.decode(CancellationCause.self, forKey: .cause))
      case .runEnded:
        .runEnded(try Self.outcome(from: container))
      case .stepReady, .stepWaiting, .stepApproved, .stepStarted, .stepProgress, .stepOutput,
        .stepSucceeded, .stepRetrying, .stepFailed,
        .stepCancelled, .stepSkipped:
        .step(
          try container.decode(String.self, forKey: .step),
          attempt: try container.decode(Int.self, forKey: .attempt),
          try Self.stepEvent(name, from: container))
      }
  }

  private static func outcome(
    from container: KeyedDecodingContainer<CodingKeys>
  ) throws -> RunOutcome {
    switch try container.decode(OutcomeName.self, forKey: .outcome) {
    case .succeeded: .succeeded
    case .failed:
      .failed(
        step: try container.decode(String.self, forKey: .step),
        reason: try container.decode(FailureReason.self, forKey: .reason))
    case .cancelled: .cancelled
    case .timedOut: .timedOut(after: .seconds(try container.decode(Double.self, forKey: .seconds)))
    case .abandoned: .abandoned(try container.decode(String.self, forKey: .text))
    }
  }

  private static func stepEvent(
    _ name: Name, from container: KeyedDecodingContainer<CodingKeys>
  ) throws -> StepEvent {
    switch name {
    case .stepReady: .ready
    case .stepWaiting: .waiting(try container.decode(String.self, forKey: .text))
    case .stepApproved: .approved
    case .stepStarted: .started
    case .stepProgress:
      .progress(
        try container.decode(Double.self, forKey: .part),
        try container.decode(String.self, forKey: .text))
    case .stepOutput:
      .output(
        try container.decode(OutputChannel.self, forKey: .stream),
        text: try container.decode(String.self, forKey: .text),
        isPartial: try container.decodeIfPresent(Bool.self, forKey: .partial) ?? false)
    case .stepSucceeded: .succeeded(try container.decode(StepOutputs.self, forKey: .outputs))
    case .stepRetrying:
      .retrying(
        try container.decode(FailureReason.self, forKey: .reason),
        after: .seconds(try container.decode(Double.self, forKey: .seconds)))
    case .stepFailed: .failed(try container.decode(FailureReason.self, forKey: .reason))
    case .stepCancelled: .cancelled(try container.decode(CancellationCause.self, forKey: .cause))
    case .stepSkipped:
      .skipped(
        try container.decode(String.self, forKey: .text),
        try container.decodeIfPresent(StepOutputs.self, forKey: .outputs) ?? [:])
    case .runStarted, .runResumed, .runRestarting, .generationStarted, .runCancelling, .runEnded:
      preconditionFailure("BUG: \(name) is not an event of a step")
    }
  }
}
