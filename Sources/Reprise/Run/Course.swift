// What a run waits for, as its driver sees it. A plain value: knows neither steps' work nor the pipeline.

import WorkflowLanguage

/// Where the driver of a run stands in one generation.
struct Course {
  /// What the run waits for.
  enum Waiting {
    /// For its steps to be over.
    case forSteps
    /// For the steps in `outstanding` to be gone, to then take `steps` again.
    case toRestart(steps: [StepIndex], isWhole: Bool, outstanding: Set<StepIndex>)
    /// For the steps in `outstanding` to be gone, to then end.
    case toEnd(CancellationCause, outstanding: Set<StepIndex>)
    /// For the steps under `finally` of a run that is being cancelled.
    case forFinally(CancellationCause)

    mutating func remove(_ step: StepIndex) {
      switch self {
      case .forSteps, .forFinally:
        break
      case .toRestart(let steps, let isWhole, var outstanding):
        self = .forSteps  // Gives up the set, so that it is changed in place.
        outstanding.remove(step)
        self = .toRestart(steps: steps, isWhole: isWhole, outstanding: outstanding)
      case .toEnd(let cause, var outstanding):
        self = .forSteps
        outstanding.remove(step)
        self = .toEnd(cause, outstanding: outstanding)
      }
    }
  }

  /// The restart that began the present generation.
  struct LastRestart {
    let generation: Int
    /// The steps that were taken again; nil for all.
    let steps: Set<StepIndex>?

    /// Whether a request that was made before this restart has been answered by it.
    func answers(_ asked: [StepIndex], askedIn generation: Int) -> Bool {
      guard generation < self.generation else { return false }
      guard let steps else { return true }
      return !asked.isEmpty && asked.allSatisfy(steps.contains)
    }
  }

  var waiting = Waiting.forSteps
  /// What the next generation is to run, where it has other values than the present one.
  var next: Workflow?
  let lastRestart: LastRestart
  var isFinallyBegun = false
  /// Whether somebody has lost patience: nothing more begins.
  var isKilled = false

  /// Whether the run may be taken again: one that is being cancelled is not.
  var mayRestart: Bool {
    switch waiting {
    case .forSteps, .toRestart: true
    case .toEnd, .forFinally: false
    }
  }

  /// The beginning of a generation.
  ///
  /// - Parameters:
  ///   - generation: Its number.
  ///   - steps: The steps that are taken again in it; nil for all.
  init(generation: Int, steps: Set<StepIndex>? = []) {
    lastRestart = LastRestart(generation: generation, steps: steps)
  }
}
