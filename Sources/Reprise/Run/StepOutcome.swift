// The consequences of a step's end for other steps: results, causes of cancellation, `fail-fast`.

import Workflows

extension RunLedger.Page {
  /// Whether the driver must be notified when a step ends.
  ///
  /// True while steps are being stopped, and once all steps, or all except those under `finally`,
  /// have ended.
  var mustReportStepEnd: Bool {
    state.phase != .running || state.counts.final == state.steps.count
      || (ending == nil && areMainStepsOver)
  }

  /// The steps that are not under `finally`, in file order.
  var mainSteps: [StepIndex] { plan.mainSteps(among: plan.order) }

  /// The number of those steps.
  private var mainCount: Int { state.steps.count - plan.finallyCount }

  /// Whether all steps except those under `finally` have ended.
  var areMainStepsOver: Bool {
    guard ending == nil else { return true }
    guard state.counts.final >= mainCount, groups.retrying.isEmpty else { return false }
    // Steps under `finally` can have ended, too: on request, or with a result that was set by hand.
    let ended = state.steps.suffix(plan.finallyCount).count { $0.phase.isFinal }
    return state.counts.final - ended >= mainCount
  }

  /// The ending of the main steps of a run that is not being cancelled.
  var endingOfMainSteps: RunEnding {
    guard state.firstFailure == nil else { return .failure }
    return state.steps.prefix(mainCount).contains(where: \.phase.isCancelledByRequest)
      ? .cancelled : .success
  }

  /// The first failure that is not tolerated.
  private var firstFailure: RunOutcome? {
    guard let first = state.firstFailure, case .failed(let reason) = state.steps[first].phase
    else { return nil }
    return .failed(step: state.steps[first].id, reason: reason)
  }

  /// How the run has ended so far, for steps under `finally`.
  var end: RunEnd {
    let isTimedOut = state.phase == .cancelling(.runTimedOut)
    let result: RunEnding =
      switch (state.phase, ending) {
      case (.cancelling(.runTimedOut), _), (_, .failure): .failure
      case (.cancelling, _), (_, .cancelled): .cancelled
      case (_, .success), (_, nil): .success
      }
    let reason =
      switch result {
      case .success: ""
      case .failure where isTimedOut: "timed out"
      case .failure: firstFailure.map { "\($0)" } ?? ""
      case .cancelled: "cancelled"
      }
    let failed = state.steps.filter { step in
      if case .failed = step.phase { !state.isTolerated(step.id) } else { false }
    }
    return RunEnd(
      result: result, reason: reason, isTimedOut: isTimedOut, failed: failed.map(\.id))
  }

  /// Returns whether an event of a step may be recorded.
  func admits(_ job: StepJob) -> Bool {
    controls[job.index].admits(job.connection)
  }

  /// Returns whether a step may continue.
  func mayContinue(_ job: StepJob) -> Bool {
    controls[job.index].mayContinue(job.connection)
  }

  /// Stops the siblings of a failed step, as `fail-fast` demands.
  ///
  /// A sibling that has failed and whose group waits to run again does not run again.
  ///
  /// - Returns: The futures to interrupt.
  mutating func stopSiblings(of step: StepIndex) -> [StepFuture] {
    let groups = groupsWithEnoughFailures(around: step)
    let stopsAll =
      plan.workflow.failsFast
      && (plan.workflow.failFastCount == 1
        || failures(seenBy: step).count >= plan.workflow.failFastCount)
    guard stopsAll || !groups.isEmpty else { return [] }
    let id = plan[step].id
    let parts = groups.map { plan.part(of: $0, with: step) }
    func isSibling(_ other: StepIndex) -> Bool {
      let extras = plan[other].extrasIfAny
      guard other != step, extras?.finally == nil, extras?.cleanUp == nil, extras?.service == nil,
        // Other steps go on after the failure of a group with `continue-on-error`.
        !plan.isTolerated(failureOf: step, by: other)
      else { return false }
      let isInOtherPart = zip(groups, parts).contains { group, part in
        let own = plan.part(of: group, with: other)
        return own != nil && own != part
      }
      return isInOtherPart || stopsAll && !plan[other].testsStatus
    }
    let culprits = Set(self.groups.retrying.values.map(\.culprit))
    // Steps that are being stopped for a restart run in the next generation.
    let siblings = plan.order.filter {
      (culprits.contains($0) || !state[$0].phase.isFinal) && isSibling($0)
        && (state.phase == .running || controls[$0].isOpen)
        // What has survived the engine before cannot be stopped before it is adopted.
        && (!controls[$0].isAdopting || controls[$0].future != nil)
    }
    giveUpRetries(where: Set(siblings).contains)
    return siblings.compactMap { other in
      state[other].phase.isFinal
        ? nil : controls[other].stop(.cancelled(.failure(ofStep: id)))
    }
  }
}

extension RunLedger.Page {
  /// Returns the failed steps whose failure the groups of a step do not tolerate.
  private func failures(seenBy step: StepIndex) -> [StepIndex] {
    plan.order.filter { other in
      guard case .failed = state[other].phase else { return false }
      return plan[other].extrasIfAny?.continuesOnError != true
        && !plan.isTolerated(failureOf: other, by: step)
    }
  }

  /// Returns the groups around a failed step of which as many parts have failed as cancel the others.
  private func groupsWithEnoughFailures(around step: StepIndex) -> [GroupIndex] {
    let counted = plan.groups(around: step).filter { plan.groups[$0].failFastCount != nil }
    guard counted.contains(where: { plan.groups[$0].failFastCount != 1 }) else { return counted }
    let failed = failures(seenBy: step)
    return counted.filter { group in
      Set(failed.compactMap { plan.part(of: group, with: $0) }).count
        >= plan.groups[group].failFastCount ?? .max
    }
  }
}

extension RunPhase {
  /// Whether steps run that are not being stopped: also while others are, to be restarted.
  var isUnderWay: Bool { self == .running || self == .restarting }

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
  /// Whether it ends the step.
  var isEnd: Bool {
    switch self {
    case .succeeded, .failed, .cancelled, .skipped: true
    default: false
    }
  }

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

extension Plan {
  /// Returns the results of the needs of a step, with success instead of the failure of a step in a
  /// group with `continue-on-error` that does not contain this step.
  ///
  /// A failure before the group, because of which the steps of the group did not run, remains one.
  func tolerating(_ results: [StepResult], of step: StepIndex) -> [StepResult] {
    guard results.contains(where: { if case .failed = $0 { true } else { false } }) else {
      return results
    }
    return results.map { result in
      guard case .failed(let id) = result, let failed = graph.index(of: id),
        isTolerated(failureOf: failed, by: step)
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
  func cleansUp(_ step: StepIndex, after others: Set<StepIndex>) -> Bool {
    guard plan[step].extrasIfAny?.cleanUp != nil else { return false }
    return plan.graph.needs(of: step).contains(where: others.contains)
  }

  /// Returns whether a step is under `finally` of a used file, of which another step has begun.
  func cleansUp(_ job: StepJob) -> Bool {
    guard job.step.extrasIfAny?.cleanUp != nil else { return false }
    return plan.graph.needs(of: job.index).contains { need in
      guard plan[need].extrasIfAny?.cleanUp == nil else { return false }
      return switch state[need].phase {
      case .succeeded, .failed, .running: true
      case .pending, .waiting, .skipped: false
      case .cancelled: state[need].startedAt != nil
      }
    }
  }
}
