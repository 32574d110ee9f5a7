// The places that only some steps share: those of a mutex, and those of a foreach with a limit.

import WorkflowLanguage

/// Places that steps take beside those that all steps of a run share.
struct StepLimits: Sendable {
  private let mutexes: [String: Slots]
  private let groups: [String: Slots]

  /// Makes the places for a workflow.
  init(of workflow: Workflow) {
    var mutexes: [String: Slots] = [:]
    var groups: [String: Slots] = [:]
    for step in workflow.steps {
      guard let extras = step.extrasIfAny else { continue }
      if let mutex = extras.mutex, mutexes[mutex] == nil { mutexes[mutex] = Slots(count: 1) }
      if let limit = extras.parallelLimit, groups[limit.group] == nil {
        groups[limit.group] = Slots(count: limit.count)
      }
    }
    self.mutexes = mutexes
    self.groups = groups
  }

  /// The places that a step takes, in the order in which it does.
  ///
  /// Always the mutex first: a step has at most one of each, so nobody waits in a circle.
  func places(of step: Workflow.Step) -> [Slots] {
    guard !mutexes.isEmpty || !groups.isEmpty else { return [] }
    guard let extras = step.extrasIfAny else { return [] }
    return [
      extras.mutex.flatMap { mutexes[$0] }, extras.parallelLimit.flatMap { groups[$0.group] },
    ]
    .compactMap(\.self)
  }
}
