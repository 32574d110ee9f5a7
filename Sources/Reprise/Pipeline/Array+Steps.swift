// Arrays with one element for each step.

import Workflows

extension Array {
  /// The element of a step, in an array that has one for each index of a plan.
  subscript(step: StepIndex) -> Element {
    get { self[step.position] }
    _modify { yield &self[step.position] }
  }
}
