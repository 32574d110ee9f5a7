// The variables that a step gets from the steps before it.

import Workflows

extension StepVariables {
  /// Returns the variables for a step.
  ///
  /// They are those of the steps of its file that come before it: those that it needs, directly or
  /// indirectly; for a step under `finally` all steps that are not; for one that undoes another also
  /// that one and what it needs. The variables of a group with `private-env` stay inside of it. If several set the same, the last of them in the order of the file
  /// counts. Linear in the number of steps before it, if any step has set variables.
  ///
  /// - Parameters:
  ///   - job: The step.
  ///   - setters: The steps that have set variables.
  ///   - outputs: Returns the outputs of a step by its id.
  /// - Returns: The values by name.
  static func values(
    for job: StepJob, settersIn setters: Set<StepIndex>, outputs: (_ id: String) -> StepOutputs
  ) -> [String: String] {
    guard !setters.isEmpty else { return [:] }
    let plan = job.plan
    var variables: [String: String] = [:]
    let earlier = plan.steps(before: job.index)
    let undone = job.step.extrasIfAny?.undoes.flatMap(plan.graph.index)
    let reader = undone.map { plan[$0] } ?? job.step
    for step in plan.order where setters.contains(step) && earlier.contains(step) {
      guard plan.workflow.areInSameFile(plan[step], job.step),
        plan.workflow.areVariables(of: plan[step], visibleTo: reader)
      else { continue }
      variables.merge(self.variables(in: outputs(plan[step].id))) { $1 }
    }
    return variables
  }
}

extension Plan {
  /// Returns the steps that come before a step.
  func steps(before step: StepIndex) -> Set<StepIndex> {
    let extras = self[step].extrasIfAny
    var found: Set<StepIndex> = []
    var pending = [step]
    if let undone = extras?.undoes.flatMap(graph.index) {
      found.insert(undone)
      pending.append(undone)
    } else if extras?.finally != nil {
      found.formUnion(mainSteps(among: order))
    }
    while let next = pending.popLast() {
      for need in graph.needs(of: next) where found.insert(need).inserted { pending.append(need) }
    }
    return found
  }
}
