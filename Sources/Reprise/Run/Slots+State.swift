// Reports the ends of steps from the state of a run to its slots.

extension Slots {
  /// Records which steps have ended in a state.
  func follow(_ state: RunState) {
    for (position, step) in state.steps.enumerated() where step.phase.isFinal { ended(position) }
  }

  /// Records what an event, of the step at a position if known, has changed in a state.
  func follow(_ event: Event, ofStepAt step: Int?, in state: RunState) {
    switch event.kind {
    case .step(_, _, .output), .step(_, _, .progress): break
    case .step(let id, _, .available):
      if let position = step ?? state.position(ofStep: id) { available(position) }
    case .step(let id, _, _):
      guard let position = step ?? state.position(ofStep: id), state.steps[position].phase.isFinal
      else {
        break
      }
      ended(position)
    case .generationStarted(let steps):
      reset(steps.map { $0.compactMap(state.position(ofStep:)) })
    default: break
    }
  }
}
