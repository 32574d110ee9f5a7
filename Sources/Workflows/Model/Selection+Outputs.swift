// Finds outputs that a selection of steps reads from steps outside the selection.

extension Workflow {
  /// A step that reads a value of a step outside the workflow.
  package struct MissingDependency: Equatable, Sendable {
    /// The id of the reading step.
    package let step: String
    /// The id of the missing step, as in the file.
    package let absent: String
  }

  /// Returns the steps whose values depend on a step that was left out.
  ///
  /// Ignores values with a fallback after `||`, and steps under `finally` that do not run after
  /// success. Linear in the size of the expressions.
  ///
  /// - Returns: Such steps in file order, each with the steps that it misses.
  package func missingDependencies() -> [MissingDependency] {
    var missing: [MissingDependency] = []
    for (step, owner) in stepsWithTemplates {
      let extras = step.extrasIfAny
      // A step that runs only after a failure is usually not reached.
      if let endings = extras?.finally, !endings.contains(.success) { continue }
      let scope = extras?.scope ?? 0
      for template in templates(of: step) {
        for absent in absentSteps(in: template, scope) {
          missing.append(MissingDependency(step: owner.id, absent: absent))
        }
      }
      for condition in extras?.conditions ?? [] {
        for absent in absentSteps(in: condition.template, condition.scope) {
          missing.append(MissingDependency(step: owner.id, absent: absent))
        }
      }
    }
    return missing
  }

  /// Returns the steps whose results or outputs the settings of a step name, directly or through
  /// parameters of its file.
  package func stepsNamed(by step: Workflow.Step) -> [StepIndex] {
    let extras = step.extrasIfAny
    let scope = extras?.scope ?? 0
    var found: Set<StepIndex> = []
    for template in templates(of: step) { found.formUnion(stepsNamed(in: template, scope)) }
    for condition in extras?.conditions ?? [] {
      found.formUnion(stepsNamed(in: condition.template, condition.scope))
    }
    return found.sorted()
  }

  private func stepsNamed(in template: Template, _ scope: Int) -> Set<StepIndex> {
    var found: Set<StepIndex> = []
    for (expression, _) in template.expressions {
      for (root, name) in expression.namedMembers {
        switch root {
        case .steps: found.formUnion(indices(named: scopes[scope].prefix + name))
        case .params:
          guard case .template(let argument, _) = scopes[scope].parameters[name],
            let parent = scopes[scope].parent
          else { continue }
          found.formUnion(stepsNamed(in: argument, parent))
        default: continue
        }
      }
    }
    return found
  }

  /// Returns what decides about the declared outputs of a step, apart from what it writes: their expressions and
  /// the values that these refer to.
  ///
  /// - Parameters:
  ///   - step: The step.
  ///   - values: The values of the run.
  /// - Returns: A text that differs if they do; empty for a step without declared outputs.
  package func settingsOfOutputs(of step: Workflow.Step, _ values: RunValues) -> String {
    guard let extras = step.extrasIfAny, !extras.outputs.isEmpty else { return "" }
    let source = StepSource(
      workflow: self, values: values, scope: extras.scope, bindings: extras.bindings)
    var parts: [String] = []
    for (name, template) in extras.outputs.sorted(by: { $0.key < $1.key }) {
      parts.append("\(name)=\(template.source)")
      for (expression, _) in template.expressions {
        for (root, member) in expression.references where ![.stdout, .outputs].contains(root) {
          let value = try? source.value(of: root, member: member)
          parts.append("\(root.rawValue).\(member ?? "*")=\(value?.asText ?? "")")
        }
      }
    }
    return " " + parts.joined(separator: "\0")
  }

  /// Returns all templates of a step except its conditions, with those for all steps of its file.
  package func templates(of step: Workflow.Step) -> [Template] {
    let extras = step.extrasIfAny
    return step.settingTemplates + Array(scopes[extras?.scope ?? 0].environment.values)
      + [extras?.share, extras?.cache?.key].compactMap(\.self)
      + (extras.map { Array($0.outputs.values) } ?? []) + step.action.kind.templates
  }

  private func absentSteps(in template: Template, _ scope: Int) -> [String] {
    var absent: [String] = []
    for (expression, _) in template.expressions {
      for (root, name) in expression.expectedMembers {
        switch root {
        case .steps where !isPresent(name, scope): absent.append(scopes[scope].prefix + name)
        case .params:
          guard case .template(let argument, _) = scopes[scope].parameters[name],
            let parent = scopes[scope].parent
          else { continue }
          absent += absentSteps(in: argument, parent)
        default: continue
        }
      }
    }
    return absent
  }

  /// Whether a step is part of the workflow, or its values were kept from an earlier run.
  private func isPresent(_ id: String) -> Bool {
    graph.index(of: id) != nil || keptValues[id] != nil || ItemNames.isOfTemplate(id)
  }

  /// Whether all steps to which a name in a file refers are part of the workflow.
  private func isPresent(_ name: String, _ scope: Int) -> Bool {
    guard let group = scopes[scope].groups[name] else {
      return isPresent(scopes[scope].prefix + name)
        || scopes[scope].enclosing.map { isPresent(name, $0) } ?? false
    }
    return keptGroups[scopes[scope].prefix + name] != nil || group.ends.allSatisfy(isPresent)
  }
}
