// `GenerationQueue`: the ready queue of one generation, on top of the slots of its run.

import WorkflowLanguage

/// The ready queue for the futures of one generation.
///
/// The performer decides whether a step runs; the slots decide when.
final class GenerationQueue: StepQueue {
  private let performer: StepPerformer
  private let generation: Int
  /// Whether tasks run in the global pool, because evaluating their expressions may read files.
  private let usesPool: Bool
  private var slots: Slots { performer.slots }

  init(_ performer: StepPerformer, generation: Int) {
    self.performer = performer
    self.generation = generation
    // A step's condition is evaluated on the task that made the step ready.
    usesPool = performer.workflow.scopesReadFiles || performer.workflow.conditionsReadFiles
  }

  func enter(_ future: StepFuture) -> StepResult? {
    let place = future.place
    let replacement = performer.runtime.taskExecutor
    switch performer.admit(future, generation: generation) {
    case .over(let result):
      return result
    case .toSlots:
      let executor =
        replacement ?? (usesPool ? nil : performer.taskExecutor(for: place.origin))
      slots.enter(place.index, generation: generation) { future.begin(on: executor) }
    case .toApproval:
      // It takes its slots once it is approved.
      future.begin(on: replacement)
    }
    return nil
  }

  func leave(_ future: StepFuture) -> StepResult? {
    let place = future.place
    guard slots.withdraw(place.index, generation: generation) else { return nil }
    let result = performer.end(place, attempt: 0, .cancelled(.request))
    performer.reportEnd(of: place)
    return result
  }

  func startNext(after ended: StepFuture?) {
    if let ended {
      let place = ended.place
      // Release the slots first: the driver may restart the step as soon as its end is reported.
      slots.release(place.index)
      performer.reportEnd(of: place)
    }
    slots.startNext()
  }
}
