// Finds outputs that a selection of steps reads from steps outside the selection.

extension Workflow {
  /// A step that reads a value of a step outside the workflow.
  package struct MissingDependency: Equatable, Sendable {
    /// The id of the reading step.
    package let step: String
    /// The id of the missing step, as in the file.
    package let absent: String
  }

  /// Returns the first step whose values depend on a step that was left out.
  ///
  /// Ignores values with a fallback after `||`, and steps under `finally` that do not run after
  /// success. Linear in the size of the expressions.
  ///
  /// - Returns: The first such step in file order, or nil.
  package func firstMissingDependency() -> MissingDependency? {
    for step in steps {
      let extras = step.extrasIfAny
      // A step that runs only after a failure is usually not reached.
      if let endings = extras?.finally, !endings.contains(.success) { continue }
      let scope = extras?.scope ?? 0
      var templates = Array(step.environment.values) + Array(scopes[scope].environment.values)
      templates += [step.directory, extras?.share, extras?.cache?.key].compactMap(\.self)
      templates += (extras?.outputs.values).map(Array.init) ?? []
      templates += step.action.kind.templates
      for template in templates {
        if let absent = absentStep(in: template, scope) {
          return MissingDependency(step: step.id, absent: absent)
        }
      }
      for condition in extras?.conditions ?? [] {
        if let absent = absentStep(in: condition.template, condition.scope) {
          return MissingDependency(step: step.id, absent: absent)
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

  /// Whether all steps to which a name in a file refers are part of the workflow.
  private func isPresent(_ name: String, _ scope: Int) -> Bool {
    guard let group = scopes[scope].groups[name] else {
      return graph.index(of: scopes[scope].prefix + name) != nil
    }
    return group.ends.allSatisfy { graph.index(of: $0) != nil }
  }
}
