// `StepPlace`: the current position of a step in the workflow of a run.

import Synchronization
import WorkflowLanguage

/// The position of a connected step, which a reload of the workflow can move.
///
/// The ledger and the slots of a run are ordered by position. Read the position only under the lock
/// of the one that uses it: a reload moves places while it holds both locks.
final class StepPlace: Sendable {
  /// The step in the workflow of the performer that it was connected with, which never changes.
  let origin: StepIndex
  private let position: Atomic<Int>

  /// Creates the place of a step.
  init(_ step: StepIndex) {
    origin = step
    position = Atomic(step.position)
  }

  /// The step in the current workflow.
  ///
  /// Invalid if the step is no longer ``isPresent``.
  var index: StepIndex { StepIndex(position.load(ordering: .relaxed)) }

  /// Whether the step is still part of the run: false once a reload has reset or removed it.
  var isPresent: Bool { position.load(ordering: .relaxed) >= 0 }

  /// Moves the step; nil if it is no longer part of the run.
  func move(to step: StepIndex?) {
    position.store(step?.position ?? -1, ordering: .relaxed)
  }
}
