// What a run's time was spent on: the chain of steps that held up its end. Pure.

package import Reprise

/// One link of a critical path.
package struct CriticalStep: Sendable, Equatable {
  /// The id of the step.
  package let step: String
  /// How long its action took.
  package let duration: Duration
  /// How long it waited for a place after all that it needs had succeeded.
  package let wait: Duration
}

extension RunState {
  /// The chain of steps that held up the end of the run.
  ///
  /// From the step that ended last it goes back through, each time, the need that ended last. Empty
  /// before anything has ended.
  /// The critical path method over measured times; linear in the number of steps and needs.
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
