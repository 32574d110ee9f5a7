// The state of a step in words, for displays and reports.

extension StepState {
  /// The state in a word or two, for displays.
  ///
  /// Says more than the name of the ``phase``, which it otherwise is: `awaiting approval`, `queued` (it
  /// waits for a limit that it shares with other steps), `retrying`, `repeating`.
  public var words: String { wordsAndDetail.words }

  /// The state in a word or two, and what there is to say about it: the question, what it waits for, or
  /// why it has ended so; empty if there is nothing.
  package var wordsAndDetail: (words: String, detail: String) {
    if phase.isActive, let question = approval { return ("awaiting approval", question) }
    if let wait = waitsForPool { return ("queued", wait.text) }
    if phase == .waiting, let end = waitsUntil {
      return ("waiting", end == .whenStopped ? "until the run is stopped" : "until \(end)")
    }
    if phase == .waiting, pendingRound != nil, let round {
      return ("repeating", "\(round.description) is next")
    }
    if phase == .waiting, let retry {
      return ("retrying", "\(retry.reason); retrying in \(durationText(retry.delay))")
    }
    if isSetByHand, let by = interventions.last?.by {
      return (phase.name, "set by hand by \(by)" + (by.comment.map { ": \($0)" } ?? ""))
    }
    return (phase.name, phase.detail ?? "")
  }
}

extension StepPhase {
  /// Why the step failed, was cancelled or was skipped.
  package var detail: String? {
    switch self {
    case .pending, .waiting, .running, .succeeded: nil
    case .failed(let reason): reason.description
    case .cancelled(let cause): cause.description
    case .skipped(let reason, _): reason.description
    }
  }
}
