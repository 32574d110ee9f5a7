// The expansion of a step during a run: the request of the step, and how the run carries it out.

import Workflows

/// A request of a step in progress to be expanded to one step for each item.
struct ExpansionRequest: Sendable {
  let job: StepJob
  let attempt: Int
  let items: [ExpandedItem]
  /// Answered in any case; until then, the step does not end: what needs it is connected anew.
  let answer: Ticket<Answer>

  enum Answer: Sendable {
    /// The steps are part of the run.
    case expanded
    /// The step is being stopped.
    case stopped
    case failed(String)
  }
}

/// The stage in which a step computes items and is expanded to the steps for them.
struct ExpansionStage: StepStage {
  let tools: StageTools
  let values: ValueSource
  let places: PlaceStage
  /// Called by a step that the run must expand.
  let expansionRequested: @Sendable (ExpansionRequest) -> Void

  /// Computes the items of a step and lets the run expand it.
  ///
  /// The steps for the items begin when this step has succeeded, and a step begins only when the
  /// successes of its needs are durable; so the items, which are recorded before, are durable then.
  ///
  /// - Returns: The result of such a step; nil for others.
  func result(of job: StepJob, attempt: Int) async throws(Withdrawn) -> StepResult? {
    guard job.step.isFan else { return nil }
    beginning: while true {
      switch places.begin(job, attempt: attempt) {
      case .begun: break beginning
      case .paused: try await places.waitInPause(job, attempt: attempt)
      case .stopped: throw Withdrawn()
      }
    }
    slots.started(job.index)
    let items: [ExpandedItem]
    do throws(ResolutionError) {
      items = try job.workflow.items(of: job.step, values.values(for: job))
    } catch {
      let reason = masked(FailureReason.badValue(error.description))
      return end(job.index, attempt: attempt, .failed(reason))
    }
    let answer = Ticket<ExpansionRequest.Answer>()
    expansionRequested(
      ExpansionRequest(job: job, attempt: attempt, items: items, answer: answer))
    return switch await answer.finalValue() {
    case .expanded where !Task.isCancelled: end(job.index, attempt: attempt, .succeeded([:]))
    case .failed(let problem): end(job.index, attempt: attempt, .failed(.badValue(problem)))
    case .expanded, .stopped, nil: end(job.index, attempt: attempt, .cancelled(.request))
    }
  }
}

extension StepAdmission {
  /// Returns why a step that was made for an item does not run, although what it needs is over: the
  /// step that was expanded has not computed the items anew.
  func reasonWithoutItem(_ job: StepJob) -> SkipReason? {
    guard let fan = job.step.extrasIfAny?.fan else { return nil }
    let phase = ledger.decide { $0.state[fan]?.phase }
    if case .succeeded? = phase { return nil }
    return .noItems(fan)
  }
}

extension RunDriver {
  /// Expands the steps that have asked for it, unless steps are being stopped.
  ///
  /// A restart must find the steps as they were when it began.
  mutating func expandWaiting() {
    let requests = expansions
    expansions = []
    for request in requests {
      guard ledger.decide({ $0.mayContinue(request.job) }) else {
        request.answer.answer(.stopped)
        continue
      }
      if machine.mayExpand {
        request.answer.answer(expand(request))
      } else {
        expansions.append(request)
      }
    }
  }

  private mutating func expand(_ request: ExpansionRequest) -> ExpansionRequest.Answer {
    let (plan, step) = (plan, request.job.index)
    guard plan[step].isFan else {
      return .failed("the step has another foreach since the workflow was reloaded")
    }
    if let problem = tooMany(request.items.count, of: step) { return .failed(problem) }
    let next = plan.taking(plan.workflow.expanding([plan[step].id: request.items]))
    let isExpanded = ledger.decide { page in
      guard page.mayContinue(request.job),
        page.record(.expanded(request.items), of: step, attempt: request.attempt)
      else { return false }
      page.take(next)
      return true
    }
    guard isExpanded else { return .stopped }
    machine.addNew(next.order.filter { !plan.contains($0) })
    // What needs this step waits, because it ends after the answer, or has begun because of another.
    reconnect(Array(next.graph.withDependents([step]).dropFirst()))
    return .expanded
  }
}

extension RunDriver {
  /// Returns why a step cannot have a number of items; nil if it can.
  fileprivate func tooMany(_ count: Int, of step: StepIndex) -> String? {
    guard let template = plan[step].template else { return nil }
    guard template.steps.count * count <= Workflow.itemStepsMax else {
      return "\(count) items of \(template.steps.count) steps are more than "
        + "\(Workflow.itemStepsMax) steps: use fewer items"
    }
    let dependents = plan.graph.dependents(of: step).count
    guard dependents * count * template.ends.count <= Workflow.needsMax else {
      return "\(count) items are too many for \(dependents) dependents: insert a step that joins "
        + "them"
    }
    return nil
  }
}

extension RunMachine {
  /// Whether steps can be expanded now: no steps are being stopped.
  var mayExpand: Bool {
    switch waiting {
    case .forSteps, .forFinally: true
    case .toRestart, .toEnd: false
    }
  }

  /// Counts steps that are new in this generation among those that its restart has reset.
  mutating func addNew(_ steps: [StepIndex]) {
    guard let restarted = lastRestarted, !restarted.isEmpty else { return }
    lastRestarted = restarted.union(steps)
  }
}
