// `GenerationQueue`: the ready queue of one generation, on top of the slots of its run.

import Workflows

/// The ready queue for the futures of one generation.
///
/// The performer decides whether a step runs; the slots decide when.
final class GenerationQueue: StepQueue {
  private let performer: StepPerformer
  private let plan: Plan
  private let generation: Int
  private let connection: Int
  /// Whether tasks run in the global pool, because evaluating their expressions may read files.
  private let usesPool: Bool
  private var slots: Slots { performer.slots }

  init(_ performer: StepPerformer, _ plan: Plan, generation: Int, connection: Int) {
    (self.performer, self.plan) = (performer, plan)
    (self.generation, self.connection) = (generation, connection)
    // A step's condition is evaluated on the task with the last result that it needs.
    usesPool = plan.workflow.scopesReadFiles || plan.workflow.conditionsReadFiles
  }

  /// Combines a step with the results of its needs.
  func job(_ step: StepIndex, _ results: NeedResults) -> StepJob {
    performer.admission.job(step, of: plan, generation: generation, connection: connection, results)
  }

  func enter(_ future: StepFuture) -> StepResult? {
    let step = future.step
    let replacement = performer.runtime.taskExecutor
    let job = job(step, future.needResults)
    switch performer.admission.admit(job, future) {
    case .over(let result):
      return result
    case .toSlots(let isStopped):
      let executor =
        replacement ?? (usesPool ? nil : performer.work.taskExecutor(for: job.step))
      slots.enter(step, generation: generation) { future.begin(on: executor) }
      if isStopped { future.interrupt() }
    case .toApproval:
      // It takes its slots once it is approved.
      slots.enter(step, generation: generation, .place) { future.begin(on: replacement) }
    case .toWait:
      slots.enter(step, generation: generation, .placeUnlessPaused) {
        future.begin(on: replacement)
      }
    }
    return nil
  }

  func leave(_ future: StepFuture) -> StepResult? {
    // What has survived the engine before is stopped where it runs, in its turn.
    guard !performer.isAdopted(future.step) else { return nil }
    guard slots.withdraw(future.step, generation: generation) else { return nil }
    let result = performer.end(future.step, attempt: 0, .cancelled(.request))
    performer.reportEnd(of: future.step)
    return result
  }

  func startNext(after ended: StepFuture?) {
    if let ended {
      // Release the slots first: the driver may restart the step as soon as its end is reported.
      slots.release(ended.step)
      performer.reportEnd(of: ended.step)
    }
    slots.startNext()
  }
}
