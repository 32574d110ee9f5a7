// Records the ends of steps in progress, with their consequences for other steps.

import WorkflowLanguage

extension StepPerformer {
  /// Records the end of a step in progress, even if its generation is over for the step.
  ///
  /// The driver then still waits for that end, which ``reportEnd(of:)`` reports.
  func end(
    _ place: StepPlace, attempt: Int, _ event: Event.StepEvent, by requester: Requester? = nil
  ) -> StepResult {
    let (result, siblings, retry) = ledger.decide {
      page -> (StepResult, [StepFuture], GroupDecision?) in
      let step = place.index
      let id = page.state.steps[step.position].id
      let isTolerated = page.workflow.steps[step.position].extrasIfAny?.continuesOnError ?? false
      var (event, attempt) = failing(event, attempt, of: step, &page)
      var requester = requester
      var resultOfStop: StepResult?
      if case .cancelled(.request) = event {
        let own = page.controls[step.position].cause
        if case .failure(let failed)? = own {
          resultOfStop = .failed(failed)
        } else if own == .request {
          resultOfStop = .cancelled(id)
          requester = page.controls[step.position].requester
        }
        event = .cancelled(own ?? page.state.phase.causeOfStop)
      }
      // Not if the step is being stopped for a restart or because the run is being cancelled.
      if let set = page.controls[step.position].setResult, page.controls[step.position].isOpen {
        event = set.result.event
        requester = set.by
        resultOfStop = nil
      }
      if page.controls[step.position].isWindingDown, page.controls[step.position].isOpen {
        (event, resultOfStop) = (page.endOfService(step, event), nil)
      }
      var retry: GroupDecision?
      if case .failed(let reason) = event, !isTolerated {
        retry = page.retryGroup(of: step, reason)
      }
      page.record(event, of: step.position, attempt: attempt, by: requester)
      let isUsed = page.controls[step.position].wasAvailable
      page.controls[step.position].end()
      var siblings: [StepFuture] = []
      if let retry {
        siblings = retry.futures
      } else if case .failed = event, !isTolerated, page.state.phase == .running {
        siblings = page.stopSiblings(of: step)
        if isUsed { siblings += page.stopUsers(of: step) }
      }
      return (resultOfStop ?? event.result(of: id, isTolerated: isTolerated), siblings, retry)
    }
    for sibling in siblings { sibling.interrupt() }
    if let retry { request(retry) }
    return result
  }

  /// Returns the failure of a step that was stopped because the time of its group is over.
  private func failing(
    _ event: Event.StepEvent, _ attempt: Int, of step: StepIndex, _ page: inout RunLedger.Page
  ) -> (event: Event.StepEvent, attempt: Int) {
    guard case .cancelled(.request) = event, page.controls[step.position].isOpen,
      page.controls[step.position].cause == nil,
      let failure = page.controls[step.position].failure
    else { return (event, attempt) }
    guard page.state.steps[step.position].phase != .running else {
      return (.failed(failure), attempt)
    }
    // It was waiting for its first or next attempt.
    page.record(.started(), of: step.position, attempt: attempt + 1)
    return (.failed(failure), attempt + 1)
  }

  /// Lets the driver run a group again.
  private func request(_ decision: GroupDecision) {
    var generator = runtime.generator
    retryRequested(
      GroupRetry(
        group: decision.group, steps: decision.steps, generation: decision.generation,
        delay: decision.rule.delay(
          after: decision.number, random: .random(in: 0...1, using: &generator))))
  }
}
