// The last steps of a graph, and the services that must run again for some of its steps. Pure.

import WorkflowLanguage

extension Graph {
  /// Returns the last steps in file order, in topological order.
  func lastSteps(_ number: Int) -> [StepIndex] {
    topologicalOrder.filter { $0.position >= count - number }
  }

  /// Adds the services that steps use and that must be started for them.
  ///
  /// - Parameters:
  ///   - services: The services that have ended.
  ///   - steps: The steps that run again, in topological order.
  /// - Returns: The steps, in topological order.
  func withServices(_ services: Set<StepIndex>, of steps: [StepIndex]) -> [StepIndex] {
    guard !services.isEmpty else { return steps }
    var all = Set(steps)
    var seen = all
    var rest = steps
    while let step = rest.popLast() {
      for need in needs(of: step) where seen.insert(need).inserted {
        rest.append(need)
        if services.contains(need) { all.insert(need) }
      }
    }
    return all.count == steps.count ? steps : topologicalOrder.filter(all.contains)
  }
}
