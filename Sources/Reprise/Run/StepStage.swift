// `StepStage`: a part of the life of a step, and what all of them work with.

import Masking
import Workflows

/// What every stage of a step works with: the record of the run, its slots, and time.
final class StageTools: Sendable {
  let ledger: RunLedger
  let slots: Slots
  let masker: Masker
  let clock: any RunClock
  let runtime: Runtime
  /// Called when a step has ended, if the driver is waiting for that.
  let stepEnded: @Sendable (StepIndex) -> Void
  /// Called when the steps of a group must run again.
  let retryRequested: @Sendable (GroupRetry) -> Void

  init(
    ledger: RunLedger, slots: Slots, masker: Masker, clock: any RunClock, runtime: Runtime,
    stepEnded: @escaping @Sendable (StepIndex) -> Void,
    retryRequested: @escaping @Sendable (GroupRetry) -> Void
  ) {
    (self.ledger, self.slots, self.masker) = (ledger, slots, masker)
    (self.clock, self.runtime) = (clock, runtime)
    (self.stepEnded, self.retryRequested) = (stepEnded, retryRequested)
  }
}

/// The step was stopped before its next attempt started.
struct Withdrawn: Error {
  /// The cause, if the run does not know it yet.
  var cause = CancellationCause.request
}

/// A part of the life of a step.
///
/// Each stage has what it needs, and can be used without the others. Stages that can end a step return
/// its result, which is recorded; nil if the step goes on with the next stage.
protocol StepStage: Sendable {
  var tools: StageTools { get }
}

extension StepStage {
  var ledger: RunLedger { tools.ledger }
  var slots: Slots { tools.slots }
  var masker: Masker { tools.masker }
  var clock: any RunClock { tools.clock }
  var runtime: Runtime { tools.runtime }

  // MARK: Recording

  /// Records an event of a step, unless its generation is over for the step.
  ///
  /// - Returns: Whether the event was recorded.
  func record(_ event: Event.StepEvent, of job: StepJob, attempt: Int = 0) -> Bool {
    let (isRecorded, isAwaited) = ledger.decide { page in
      guard page.admits(job) else { return (false, false) }
      let isRecorded = page.record(event, of: job.index, attempt: attempt)
      return (isRecorded, page.mustReportStepEnd)
    }
    if isAwaited { tools.stepEnded(job.index) }
    return isRecorded
  }

  /// Records an event with which a step continues.
  ///
  /// - Throws: ``Withdrawn`` if the step was stopped.
  func begin(
    _ event: Event.StepEvent, of job: StepJob, attempt: Int = 0, by requester: Requester? = nil
  ) throws(Withdrawn) {
    let mayContinue = ledger.decide { page in
      guard page.mayContinue(job) else { return false }
      return page.record(
        event, of: job.index, attempt: attempt, by: requester)
    }
    if !mayContinue { throw Withdrawn() }
  }

  /// Ends a step that does not run, unless it was cancelled or its result set in the meantime.
  ///
  /// - Returns: The given result, or that of the earlier end.
  func conclude(
    _ job: StepJob, with event: Event.StepEvent, _ result: StepResult
  ) -> StepResult {
    let (answer, isAwaited) = ledger.decide { page -> (StepResult, Bool) in
      guard page.admits(job) else { return (.stopped, false) }
      if let earlier = page.earlierResult(of: job) { return (earlier, false) }
      guard page.record(event, of: job.index, attempt: 0) else { return (.stopped, false) }
      return (result, page.mustReportStepEnd)
    }
    if isAwaited { tools.stepEnded(job.index) }
    return answer
  }

  /// Fails a step that has not started.
  func fail(_ job: StepJob, _ reason: FailureReason) -> StepResult {
    let (earlier, isWaiting) = ledger.decide { page -> (StepResult?, Bool) in
      guard page.admits(job) else { return (nil, false) }
      if let earlier = page.earlierResult(of: job) { return (earlier, false) }
      return (nil, page.record(.waiting, of: job.index, attempt: 0))
    }
    guard isWaiting else { return earlier ?? .stopped }
    // Once the step waits, the run waits for its end.
    let hasStarted = record(.started(), of: job, attempt: 1)
    let result =
      hasStarted
      ? end(job.index, attempt: 1, .failed(reason))
      : end(job.index, attempt: 0, .cancelled(.request))
    reportEnd(of: job.index)
    return result
  }

  /// Reports the end of a step to the driver, if the driver waits for it.
  ///
  /// Call it when nothing of the step is left, including its slots.
  func reportEnd(of step: StepIndex) {
    if ledger.decide({ $0.mustReportStepEnd }) { tools.stepEnded(step) }
  }

  // MARK: Masking

  /// Masks secrets in outputs.
  ///
  /// - Throws: ``FailureReason`` if the name of an output contains a secret: masking would change
  ///   the name, and names are shown and recorded.
  func masked(_ outputs: StepOutputs) throws(FailureReason) -> StepOutputs {
    guard !masker.isEmpty else { return outputs }
    for name in outputs.keys where masker.masked(name) != name {
      throw .badOutputs("the name of an output contains a secret; put the secret into the value")
    }
    return outputs.mapValues(masker.masked)
  }

  func masked(_ text: String) -> String {
    masker.masked(text)
  }

  func masked(_ requester: Requester) -> Requester {
    masker.isEmpty ? requester : requester.masked(by: masked)
  }

  func masked(_ reason: FailureReason) -> FailureReason {
    guard !masker.isEmpty else { return reason }
    return switch reason {
    case .notStarted(let text): .notStarted(masked(text))
    case .badOutputs(let text): .badOutputs(masked(text))
    case .badValue(let text): .badValue(masked(text))
    case .threw(let text): .threw(masked(text))
    case .lost(let text, let cause, let status):
      .lost(masked(text), cause: cause, status: status)
    case .unmet(let text): .unmet(masked(text))
    case .exited, .signalled, .timedOut, .rejected: reason
    }
  }

  /// Returns the event that ends an attempt after an error.
  func ending(of error: any Error) -> Event.StepEvent {
    if Task.isCancelled { return .cancelled(.request) }
    guard let reason = error as? FailureReason else {
      return .failed(.threw(masked(String(describing: error))))
    }
    return .failed(masked(reason))
  }

  // MARK: Time

  /// Runs an operation; on timeout, cancels it and waits until it has returned.
  ///
  /// - Returns: The outputs of the operation; nil on timeout.
  func withTimeout(
    _ timeout: Duration, _ operation: @escaping @Sendable () async throws -> StepOutputs
  ) async throws -> StepOutputs? {
    try await withInterruption({ try await clock.sleep(for: timeout) }, operation)
  }

  /// Runs an operation; when something else happens first, cancels it and waits until it has returned.
  ///
  /// - Parameters:
  ///   - event: Waits for what ends the operation; throws if its task is cancelled.
  ///   - operation: The operation.
  /// - Returns: The outputs of the operation; nil if the other event came first.
  /// - Throws: The error of the operation; `CancellationError` if the task is cancelled.
  func withInterruption(
    _ event: @escaping @Sendable () async throws -> Void,
    _ operation: @escaping @Sendable () async throws -> StepOutputs
  ) async throws -> StepOutputs? {
    try await withThrowingTaskGroup(of: StepOutputs?.self) { group in
      group.addTask { try await operation() }
      group.addTask {
        try await event()
        return nil
      }
      defer { group.cancelAll() }
      if let outputs = try await group.next() ?? nil { return outputs }
      group.cancelAll()
      while (try? await group.next()) != nil {}
      return nil
    }
  }
}
