// Reports the ends of steps from the state of a run to its slots.

import Workflows

extension Slots {
  /// Records which steps have ended in a state.
  func follow(_ state: RunState) {
    for step in state.steps.steps where state[step].phase.isFinal { ended(step.position) }
  }

  /// Records what an event, of a step if known, has changed in a state.
  func follow(_ event: Event, of step: StepIndex?, in state: RunState) {
    switch event.kind {
    case .step(_, _, .output), .step(_, _, .progress): break
    case .step(let id, _, .ready):
      if let step = step ?? state.steps.index(of: id) { ready(step.position) }
    case .step(let id, _, _):
      guard let step = step ?? state.steps.index(of: id), state[step].phase.isFinal else { break }
      ended(step.position)
    case .generationStarted(let steps):
      reset(steps.map { $0.compactMap(state.steps.index).map(\.position) })
    default: break
    }
  }
}
