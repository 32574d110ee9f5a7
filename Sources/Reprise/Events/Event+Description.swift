// Events as short texts for people who look at them: in a log, or while they try things out. What programs read is in
// Event+JSON.

extension Event: CustomStringConvertible {
  /// The event in one line, such as `3fk2m9x0ab, generation 2: step build, attempt 1: started`.
  public var description: String { "\(run), generation \(generation): \(kind)" }
}

extension Event.Kind: CustomStringConvertible {
  /// What happened in one line, such as `step build, attempt 1: started`.
  public var description: String {
    switch self {
    case .runStarted(let plan): "run started: \(plan.steps.count) steps"
    case .runResumed(let plan): "run resumed: \(plan.steps.count) steps"
    case .runRestarting(let steps): "run restarting" + named(steps)
    case .generationStarted(let steps): "generation started" + named(steps)
    case .runCancelling(let cause): "run cancelling \(cause)"
    case .runEnded(let outcome): "run ended: \(outcome)"
    case .step(let id, let attempt, let event): "step \(id), attempt \(attempt): \(event)"
    }
  }

  private func named(_ steps: [String]?) -> String {
    guard let steps else { return "" }
    let rest = steps.count > 10 ? ", …" : ""
    return ": " + steps.prefix(10).joined(separator: ", ") + rest
  }
}

extension Event.StepEvent: CustomStringConvertible {
  /// What happened in one line, such as `failed: exited with status 2`; what a step wrote as it wrote it.
  public var description: String {
    switch self {
    case .ready: "ready"
    case .waiting(let text): "waiting for approval: \(text)"
    case .approved: "approved"
    case .started: "started"
    case .progress(let part, let text):
      "\(Int((part * 100).rounded())) %" + (text.isEmpty ? "" : ": \(text)")
    case .output(_, let text, _): text
    case .succeeded(let outputs): "succeeded" + named(outputs)
    case .retrying(let reason, let delay):
      "failed: \(reason); tried again in \(durationText(delay))"
    case .failed(let reason): "failed: \(reason)"
    case .cancelled(let cause): "cancelled \(cause)"
    case .skipped(let reason, let outputs): "skipped: \(reason)" + named(outputs)
    }
  }

  private func named(_ outputs: StepOutputs) -> String {
    guard !outputs.isEmpty else { return "" }
    return "; "
      + outputs.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
      .joined(separator: ", ")
  }
}

extension RunOutcome: CustomStringConvertible {
  /// How a run ended, as a clause such as `step "build" exited with status 2`.
  public var description: String {
    switch self {
    case .succeeded: "succeeded"
    case .failed(let step, let reason): "step \"\(step)\" failed: \(reason)"
    case .cancelled: "cancelled"
    case .timedOut(let duration): "timed out after \(durationText(duration))"
    case .abandoned(let text): "abandoned: \(text)"
    }
  }
}
