// Detects whether expressions read files, which blocks the thread that evaluates them.

extension Workflow {
  /// Whether a condition of any step reads files.
  ///
  /// Linear in the number of steps.
  package var conditionsReadFiles: Bool {
    steps.contains { step in
      step.extrasIfAny?.conditions.contains { $0.template.readsFiles } == true
    }
  }

  /// Whether an expression shared by all steps of a file reads files.
  ///
  /// Linear in the number of files and of the steps that use them.
  package var scopesReadFiles: Bool {
    scopes.contains { scope in
      scope.environment.values.contains(where: \.readsFiles)
        || scope.directory?.readsFiles == true
        || scope.callerOuter.flatMap(\.templates).contains(where: \.readsFiles)
        || scope.parameters.values.contains { argument in
          if case .template(let template, _) = argument { template.readsFiles } else { false }
        }
        || scope.groups.values.contains { group in
          if case .used(_, let outputs) = group.kind {
            outputs.values.contains(where: \.readsFiles)
          } else {
            false
          }
        }
    }
  }
}

extension Workflow.Step {
  /// Whether an expression of this step reads files.
  package var readsFiles: Bool {
    if settingTemplates.contains(where: \.readsFiles) { return true }
    if action.kind.templates.contains(where: \.readsFiles) { return true }
    guard let extras = extrasIfAny else { return false }
    return extras.conditions.contains { $0.template.readsFiles }
      || extras.outputs.values.contains(where: \.readsFiles)
      || extras.share?.readsFiles == true
  }
}

extension Template {
  /// Whether the template reads files.
  var readsFiles: Bool {
    expressions.contains { expression, _ in
      var reads = false
      expression.visit {
        if case .call(let function, _) = $0.kind, function.readsFiles { reads = true }
      }
      return reads
    }
  }
}
