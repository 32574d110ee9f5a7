// The consequences of a step's end for other steps: results, causes of cancellation, `fail-fast`.

import WorkflowLanguage

extension StepPerformer {
  /// Reports the end of a step to the driver, if the driver waits for it.
  ///
  /// Call it when nothing of the step is left, including its slots.
  func reportEnd(of place: StepPlace) {
    let step = ledger.decide { $0.mustReportStepEnd ? place.index : nil }
    if let step { stepEnded(step) }
  }
}

extension RunLedger.Page {
  /// Whether the driver must be notified when a step ends.
  ///
  /// True while steps are being stopped, and once all steps, or all except those under `finally`,
  /// have ended.
  var mustReportStepEnd: Bool {
    state.phase != .running || state.counts.final == state.steps.count
      || (ending == nil && areMainStepsOver)
  }

  /// Whether all steps except those under `finally` have ended.
  var areMainStepsOver: Bool {
    state.counts.final - earlyFinallyCount >= mainCount && groups.retrying.isEmpty
  }

  /// The ending of the main steps of a run that is not being cancelled.
  var endingOfMainSteps: RunEnding {
    guard state.firstFailure == nil else { return .failure }
    return state.steps.prefix(mainCount).contains(where: \.phase.isCancelledByRequest)
      ? .cancel : .success
  }

  /// How the run has ended so far, for steps under `finally`.
  var end: RunEnd {
    let outcome =
      switch (state.phase, ending) {
      case (.cancelling(.runTimedOut), _): "timed-out"
      case (.cancelling, _), (_, .cancel): "cancelled"
      case (_, .failure): "failed"
      case (_, .success), (_, nil): "succeeded"
      }
    let failed = state.steps.filter { step in
      if case .failed = step.phase { !state.isTolerated(step.id) } else { false }
    }
    return RunEnd(outcome: outcome, failed: failed.map(\.id))
  }

  /// Returns whether an event of a step may be recorded.
  func admits(_ job: StepJob) -> Bool {
    job.place.isPresent && controls[job.place.index.position].admits(job.generation)
  }

  /// Returns whether a step may continue.
  func mayContinue(_ job: StepJob) -> Bool {
    job.place.isPresent && controls[job.place.index.position].mayContinue(job.generation)
  }

  /// Stops the siblings of a failed step, as `fail-fast` demands.
  ///
  /// - Returns: The futures to interrupt.
  mutating func stopSiblings(of step: StepIndex) -> [StepFuture] {
    let items = failedEnough(workflow.steps[step.position].extras.items, for: step)
    let stopsAll =
      workflow.failsFast
      && (workflow.failFastCount == 1 || failures(seenBy: step).count >= workflow.failFastCount)
    guard stopsAll || !items.isEmpty else { return [] }
    let id = workflow.steps[step.position].id
    // Other steps go on after the failure of a group with `continue-on-error`.
    let tolerant = workflow.steps[step.position].extras.tolerantGroups
    return workflow.graph.indices.compactMap { other -> StepFuture? in
      let extras = workflow.steps[other.position].extras
      let isSibling =
        other != step && extras.finally == nil && extras.cleanUp == nil && extras.service == nil
        && !state.steps[other.position].phase.isFinal
        && tolerant.allSatisfy(extras.tolerantGroups.contains)
        && (extras.items.isSibling(ofOneIn: items)
          || stopsAll && !workflow.testsStatus(workflow.steps[other.position]))
      return isSibling ? controls[other.position].stop(.failure(ofStep: id)) : nil
    }
  }
}

extension RunLedger.Page {
  /// Returns the failed steps whose failure the groups of a step do not tolerate.
  private func failures(seenBy step: StepIndex) -> [Int] {
    let own = workflow.steps[step.position].extras.tolerantGroups
    return state.steps.indices.filter { position in
      guard case .failed = state.steps[position].phase else { return false }
      guard let extras = workflow.steps[position].extrasIfAny else { return true }
      return !extras.continuesOnError && extras.tolerantGroups.allSatisfy(own.contains)
    }
  }

  /// Returns those of the items of a failed step in whose group as many items have failed as cancel
  /// the others.
  private func failedEnough(_ items: [GroupItem], for step: StepIndex) -> [GroupItem] {
    let counted = items.filter(\.failsFast)
    guard counted.contains(where: { $0.failFastCount != 1 }) else { return counted }
    let failed = failures(seenBy: step).map { workflow.steps[$0].extras.items }
    return counted.filter { item in
      let items = failed.joined().lazy.filter { $0.group == item.group }.map(\.item)
      return Set(items).count >= item.failFastCount ?? .max
    }
  }
}

extension RunPhase {
  /// The cause of cancellation for a step that is stopped in this phase.
  var causeOfStop: CancellationCause {
    switch self {
    case .cancelling(let cause): cause
    case .restarting: .restart
    case .notStarted, .running, .ended: .request
    }
  }
}

extension Event.StepEvent {
  func result(of step: String, isTolerated: Bool) -> StepResult {
    switch self {
    case .succeeded(let outputs): .succeeded(outputs)
    case .skipped(_, let outputs): .passed(outputs)
    case .failed: isTolerated ? .succeeded([:]) : .failed(step)
    default: .stopped
    }
  }
}

extension StepResult {
  /// This result if it keeps dependents from running, otherwise nil.
  var blockingResult: StepResult? {
    switch self {
    case .succeeded, .passed: nil
    case .failed, .cancelled, .skipped, .stopped: self
    }
  }
}

extension [GroupItem] {
  /// Returns whether a step with these items is in a group of failed items, but in another item.
  fileprivate func isSibling(ofOneIn failed: [GroupItem]) -> Bool {
    contains { own in failed.contains { $0.group == own.group && $0.item != own.item } }
  }
}

extension Workflow {
  /// Returns the results of the needs of a step, with success instead of the failure of a step in a
  /// group with `continue-on-error` that does not contain this step.
  ///
  /// A failure before the group, because of which the steps of the group did not run, remains one.
  func tolerating(_ results: [StepResult], of step: StepIndex) -> [StepResult] {
    guard results.contains(where: { if case .failed = $0 { true } else { false } }) else {
      return results
    }
    let own = steps[step.position].extrasIfAny?.tolerantGroups ?? []
    return results.map { result in
      guard case .failed(let id) = result, let failed = graph.index(of: id),
        let groups = steps[failed.position].extrasIfAny?.tolerantGroups,
        groups.contains(where: { !own.contains($0) })
      else { return result }
      return .succeeded([:])
    }
  }
}

extension StepPhase {
  /// Whether the step was cancelled for another reason than the failure of a step.
  var isCancelledByRequest: Bool {
    switch self {
    case .cancelled(.failure): false
    case .cancelled: true
    default: false
    }
  }
}

extension RunLedger.Page {
  /// Returns whether a step under `finally` of a used file must run again because steps of the file
  /// do.
  func cleansUp(_ position: Int, after others: Set<Int>, in workflow: Workflow) -> Bool {
    guard workflow.steps[position].extrasIfAny?.cleanUp != nil else { return false }
    return workflow.graph.needs(of: StepIndex(position)).contains { others.contains($0.position) }
  }

  /// Returns whether a step is under `finally` of a used file, of which another step has begun.
  func cleansUp(_ job: StepJob) -> Bool {
    guard job.step.extrasIfAny?.cleanUp != nil else { return false }
    return workflow.graph.needs(of: job.place.index).contains { need in
      guard workflow.steps[need.position].extrasIfAny?.cleanUp == nil else { return false }
      return switch state.steps[need.position].phase {
      case .succeeded, .failed, .running: true
      case .pending, .ready, .skipped: false
      case .cancelled: state.steps[need.position].startedAt != nil
      }
    }
  }
}
