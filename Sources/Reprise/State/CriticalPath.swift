// The critical path of a run: the chain of steps that determined when it ended. Pure.

/// A step of a critical path.
package struct CriticalStep: Sendable, Equatable {
  /// The id of the step.
  package let step: String
  /// The duration of the step.
  package let duration: Duration
  /// The time that the step waited for a slot after its dependencies had succeeded.
  package let wait: Duration
}

extension RunState {
  /// The chain of steps that determined when the run ended; empty before any step has ended.
  ///
  /// The critical path method over measured times: starting from the step that ended last, follows
  /// the dependency that ended last. Linear in the number of steps and dependencies.
  package var criticalPath: [CriticalStep] {
    guard let plan else { return [] }
    func end(_ id: String) -> Timestamp? {
      self[id].flatMap { $0.startedAt == nil ? nil : $0.endedAt }
    }
    func later(_ ids: [String]) -> String? {
      ids.compactMap { id in end(id).map { (id, $0) } }.max { $0.1 < $1.1 }?.0
    }
    let needs = Dictionary(plan.steps.map { ($0.id, $0.needs) }) { first, _ in first }
    var path: [CriticalStep] = []
    var next = later(plan.steps.map(\.id))
    while let id = next, let step = self[id], let startedAt = step.startedAt, let endedAt = end(id)
    {
      path.append(
        CriticalStep(
          step: id, duration: endedAt - startedAt,
          wait: step.readyAt.map { startedAt - $0 } ?? .zero))
      next = later(needs[id] ?? [])
    }
    return path.reversed()
  }
}
