// Which outputs a part of a workflow reads that no step of it leaves. Pure.

extension Workflow {
  /// A step that reads something of a step that is no part of the workflow.
  package struct AbsentNeed: Equatable, Sendable {
    /// The id of the step that reads it.
    package let step: String
    /// The id of the step that is missing, as the file has it.
    package let absent: String
  }

  /// Finds a step whose values depend on a step that was left out.
  ///
  /// What has a value to fall back on, after `||`, does not count, nor do steps under `finally` that a run which
  /// succeeds does not reach. Linear in the size of the expressions.
  ///
  /// - Returns: The first one in file order; nil where there is none.
  package func firstAbsentNeed() -> AbsentNeed? {
    for step in steps {
      let extras = step.extrasIfAny
      // A step that runs after failures alone is mostly not reached.
      if let endings = extras?.finally, !endings.contains(.success) { continue }
      let scope = extras?.scope ?? 0
      var templates = Array(step.environment.values) + Array(scopes[scope].environment.values)
      templates += [step.directory, extras?.share, extras?.cache?.key].compactMap(\.self)
      templates += (extras?.outputs.values).map(Array.init) ?? []
      templates += step.action.kind.templates
      for template in templates {
        if let absent = absentStep(in: template, scope) {
          return AbsentNeed(step: step.id, absent: absent)
        }
      }
      for condition in extras?.conditions ?? [] {
        if let absent = absentStep(in: condition.template, condition.scope) {
          return AbsentNeed(step: step.id, absent: absent)
        }
      }
    }
    return nil
  }

  private func absentStep(in template: Template, _ scope: Int) -> String? {
    for (expression, _) in template.expressions {
      for (root, name) in expression.expectedMembers {
        switch root {
        case .steps where !isPresent(name, scope): return scopes[scope].prefix + name
        case .params:
          guard case .template(let argument, _) = scopes[scope].parameters[name],
            let parent = scopes[scope].parent,
            let absent = absentStep(in: argument, parent)
          else { continue }
          return absent
        default: continue
        }
      }
    }
    return nil
  }

  /// Whether all steps that a name of a file means are part of the workflow.
  private func isPresent(_ name: String, _ scope: Int) -> Bool {
    guard let group = scopes[scope].groups[name] else {
      return graph.index(of: scopes[scope].prefix + name) != nil
    }
    return group.ends.allSatisfy { graph.index(of: $0) != nil }
  }
}
