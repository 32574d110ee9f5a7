// Where the names in a step's expressions lead: one scope for each workflow file that takes part in a
// run, and for each time that it is used. Plain values.

/// What a workflow file gives to the expressions of its steps.
package struct Scope: Sendable, Equatable {
  /// A parameter's value, or how to compute it in the scope above.
  enum Argument: Sendable, Equatable {
    case value(Value)
    case template(Template, types: ValueTypes)
    /// It was left open, since the file is only checked.
    case open(types: ValueTypes)
  }

  /// The scope of the file that uses this one, by its position; nil for the file that is run.
  var parent: Int?
  /// What stands before the ids of its steps: empty, or `deploy/`.
  var prefix = ""
  /// The parameters.
  var parameters: [String: Argument] = [:]
  /// The parameters that are made from a secret, directly or through those of the files above.
  var secretParameters: Set<String> = []
  /// What started the run; nil when that is not known yet, and in files that others use.
  var trigger: Trigger?
  /// `matrix`, `item` and `index` of the step that uses this one.
  var bindings: Bindings?
  /// What its secrets come from, by name.
  var secrets: [String: SecretSource] = [:]
  /// Variables of the files under `dotenv`, weaker than those that are there already.
  var dotenv: [String: String] = [:]
  /// Environment variables for each of its steps.
  var environment: [String: Template] = [:]
  /// Where its steps run, relative to the scope above.
  var directory: Template?
  /// The name of the workflow.
  var workflow: String
  /// The steps that have become many or that use other files, by their ids as this file has them.
  var groups: [String: StepGroup] = [:]
}

/// A step of a file that has become several steps of the graph.
struct StepGroup: Sendable, Equatable {
  enum Kind: Sendable, Equatable {
    /// One for each item; the ids of the steps or groups that it became.
    case each([String])
    /// The steps of another file, with the scope in which its outputs are computed.
    case used(scope: Int, outputs: [String: Template])
  }

  var kind: Kind
  /// The ids of the last steps: what whoever needs the group needs.
  var ends: [String]
}

/// What a step that is one of many knows of itself.
package struct Bindings: Sendable, Equatable {
  /// One combination of a matrix.
  var matrix: [String: Value]?
  /// One item of a foreach, and its position.
  var item: Value?
  var index: Int?
  /// The names that some combination of the matrix has.
  var matrixNames: Set<String> = []

  /// What tells it from the others, such as `linux, 5`.
  var label: String

  init(
    matrix: [String: Value]? = nil, item: Value? = nil, index: Int? = nil, label: String
  ) {
    self.matrix = matrix
    self.item = item
    self.index = index
    self.label = label
  }
}

/// Where a secret comes from.
public enum SecretSource: Sendable, Equatable {
  /// A variable of the environment in which the run is started.
  case environment(String)
  /// The content of a file, without a line feed at its end.
  case file(String)
  /// What a program writes, without a line feed at its end.
  case command([String])
}
