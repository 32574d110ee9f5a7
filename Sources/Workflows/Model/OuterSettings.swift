// `OuterSettings`: what groups outside of a `foreach` set for the steps in it.

/// The variables and directories that groups set for steps in an inner `foreach` or `matrix`.
///
/// Their expressions see the item of their group, which the inner one hides from the steps.
package struct OuterSettings: Sendable, Equatable {
  package var environment: [String: Template]
  /// Each is relative to the one before it.
  package var directories: [Template]
  package var scope: Int
  package var bindings: Bindings?

  package init(
    environment: [String: Template], directories: [Template], scope: Int, bindings: Bindings?
  ) {
    self.environment = environment
    self.directories = directories
    self.scope = scope
    self.bindings = bindings
  }

  package var templates: [Template] { environment.values + directories }

  /// Returns the settings for an item whose values are now known.
  func filled(for number: Int, with values: Bindings, scope: Int) -> Self {
    var copy = self
    copy.scope = scope
    copy.bindings = bindings?.filled(for: number, with: values)
    return copy
  }
}

extension Workflow.Step {
  /// The expressions in the variables and directories of the step and of the groups around it.
  package var settingTemplates: [Template] {
    let extras = extrasIfAny
    return Array(environment.values) + (directory.map { [$0] } ?? []) + (extras?.directories ?? [])
      + (extras?.outer.flatMap(\.templates) ?? [])
  }

  /// Whether the step, or a group around it, sets a variable.
  package func sets(_ variable: String) -> Bool {
    environment[variable] != nil
      || extrasIfAny?.outer.contains { $0.environment[variable] != nil } == true
  }
}

extension Workflow {
  /// Returns the source for what groups outside of a `foreach` set.
  func source(
    of outer: OuterSettings, _ values: RunValues, _ variables: [String: String]? = nil
  ) -> StepSource {
    var source = StepSource(
      workflow: self, values: values, scope: outer.scope, bindings: outer.bindings)
    source.variables = variables
    return source
  }

  /// Evaluates the directories that groups outside of a `foreach` set.
  func directories(
    of settings: [OuterSettings], _ values: RunValues, _ variables: [String: String]? = nil
  ) throws(ResolutionError) -> [String] {
    var directories: [String] = []
    for outer in settings {
      let source = source(of: outer, values, variables)
      for directory in outer.directories {
        directories.append(try source.text(of: directory, "dir"))
      }
    }
    return directories
  }
}
