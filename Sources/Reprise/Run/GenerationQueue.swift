// Where the futures of one generation meet the slots of their run.

import WorkflowLanguage

/// The queue of the futures of one generation: asks the performer whether a step runs at all, and
/// the slots when.
final class GenerationQueue: StepQueue {
  private let performer: StepPerformer
  private let generation: Int
  private let scopesReadFiles: Bool
  private var slots: Slots { performer.slots }

  init(_ performer: StepPerformer, generation: Int) {
    self.performer = performer
    self.generation = generation
    scopesReadFiles = performer.workflow.scopesReadFiles
  }

  func enter(_ future: StepFuture) -> StepResult? {
    let step = StepIndex(future.step)
    switch performer.admit(future, generation: generation) {
    case .over(let result):
      return result
    case .toSlots:
      let executor = scopesReadFiles ? nil : performer.taskExecutor(for: step)
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
