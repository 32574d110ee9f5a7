// The variables and folders that a file declares for a step, as they are written.

extension Workflow {
  /// Returns the environment variables that the file declares for a step, unevaluated.
  package func declaredEnvironment(of step: Workflow.Step) -> [String: String] {
    var declared: [String: Template] = [:]
    for scope in chain(of: step.extras.scope) {
      for outer in scopes[scope].callerOuter { declared.merge(outer.environment) { $1 } }
      declared.merge(scopes[scope].callerEnvironment) { $1 }
    }
    declared.merge(scopes[step.extras.scope].environment) { $1 }
    for outer in step.extras.outer { declared.merge(outer.environment) { $1 } }
    return declared.merging(step.environment) { $1 }.mapValues(\.source)
  }

  /// Returns the working directories of a step, unevaluated, each relative to the previous one.
  package func declaredDirectories(of step: Workflow.Step) -> [String] {
    let outer = chain(of: step.extras.scope).flatMap {
      scopes[$0].callerOuter.flatMap(\.directories) + scopes[$0].callerDirectories
        + [scopes[$0].directory].compactMap(\.self)
    }
    return
      (outer + step.extras.outer.flatMap(\.directories) + step.extras.directories
      + [step.directory].compactMap(\.self)).map(\.source)
  }
}
