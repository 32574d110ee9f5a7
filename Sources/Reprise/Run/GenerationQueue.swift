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
      slots.enter(step) { future.begin(on: executor) }
    case .toApproval:
      // It takes its slot when it is approved.
      future.begin()
    }
    return nil
  }

  func leave(_ future: StepFuture) -> StepResult? {
    let step = StepIndex(future.step)
    guard slots.withdraw(step) else { return nil }
    return performer.end(step, attempt: 0, .cancelled(.request))
  }

  func startNext(after ended: StepFuture?) {
    if let ended { slots.release(StepIndex(ended.step)) }
    slots.startNext()
  }
}
