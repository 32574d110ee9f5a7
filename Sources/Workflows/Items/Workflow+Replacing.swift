// Replaces the actions of steps by Swift code, for tests.

extension Workflow {
  /// Returns this workflow with steps that perform other work, and keep everything else.
  ///
  /// They need no shell, no runner and no cache any more.
  ///
  /// - Parameters:
  ///   - steps: The steps. For a step that a run expands, each of the steps for its items.
  ///   - work: The work.
  /// - Returns: The workflow.
  package func replacing(_ steps: [StepIndex], with work: InProcessWork) -> Workflow {
    var next = self
    for step in steps {
      let position = step.position
      if var fan = next.steps[position].action.kind as? FanStep {
        fan.template.perform(work)
        next.steps[position].action = Workflow.Step.Action(fan)
      } else {
        next.steps[position].perform(work)
      }
      next.declared?.stepsInSwift.append(next.steps[position].id)
    }
    return next
  }

  /// Sets the values of parameters, declared or not.
  package mutating func setParameters(_ values: [String: String]) {
    for (name, value) in values { scopes[0].parameters[name] = .value(.text(value)) }
  }

  /// The steps that start programs.
  package var stepsThatStartPrograms: [StepIndex] {
    graph.indices.filter { index in
      let kind = steps[index.position].action.kind
      guard let fan = kind as? FanStep else { return kind.startsProgram }
      return fan.template.allSteps.contains { $0.action.kind.startsProgram }
    }
  }
}

extension FanTemplate {
  /// Lets all steps perform other work.
  fileprivate mutating func perform(_ work: InProcessWork) {
    for position in content.steps.indices {
      if var fan = content.steps[position].action.kind as? FanStep {
        fan.template.perform(work)
        content.steps[position].action = Workflow.Step.Action(fan)
      } else {
        content.steps[position].perform(work)
      }
    }
  }
}

extension Workflow.Step {
  fileprivate mutating func perform(_ work: InProcessWork) {
    action = .perform(work)
    shell = nil
    guard var extras = extrasIfAny else { return }
    extras.runner = nil
    extras.cache = nil
    self.extras = extras
  }
}
