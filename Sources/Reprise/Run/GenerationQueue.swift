// Where the futures of one generation meet the slots of their run.

import WorkflowLanguage

/// The queue of the futures of one generation: asks the performer whether a step runs at all, and
/// the slots when.
final class GenerationQueue: StepQueue {
  private let performer: StepPerformer
  private let generation: Int
  /// Whether tasks stay in the shared pool, because what they compute may read files.
  private let usesPool: Bool
  private var slots: Slots { performer.slots }

  init(_ performer: StepPerformer, generation: Int) {
    self.performer = performer
    self.generation = generation
    // The condition of a step is computed on the task that made the step ready.
    usesPool = performer.workflow.scopesReadFiles || performer.workflow.conditionsReadFiles
  }

  func enter(_ future: StepFuture) -> StepResult? {
    let step = StepIndex(future.step)
    switch performer.admit(future, generation: generation) {
    case .over(let result):
      return result
    case .toSlots:
      let executor = usesPool ? nil : performer.taskExecutor(for: step)
      slots.enter(step, generation: generation) { future.begin(on: executor) }
    case .toApproval:
      // It takes its slot when it is approved.
      future.begin()
    }
    return nil
  }

  func leave(_ future: StepFuture) -> StepResult? {
    let step = StepIndex(future.step)
    guard slots.withdraw(step, generation: generation) else { return nil }
    let result = performer.end(step, attempt: 0, .cancelled(.request))
    performer.reportEnd(of: step)
    return result
  }

  func startNext(after ended: StepFuture?) {
    if let ended {
      let step = StepIndex(ended.step)
      // The driver may restart the step as soon as it has heard of its end, so its slots come first.
      slots.release(step)
      performer.reportEnd(of: step)
    }
    slots.startNext()
  }
}
