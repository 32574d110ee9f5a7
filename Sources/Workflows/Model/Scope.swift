// Scopes for the names in expressions: one scope for each use of a workflow file in a run.

/// The names that a workflow file provides to the expressions of its steps.
package struct Scope: Sendable, Equatable {
  /// The value of a parameter, or the template that computes it in the parent scope.
  package enum Argument: Sendable, Equatable {
    case value(Value)
    case template(Template, of: Parameter)
    /// The parameter has no value because the file is only validated.
    case open(types: ValueTypes)
  }

  /// The position of the scope of the file that uses this one; nil for the file that is run.
  package var parent: Int?
  /// The position of the scope around it, if it is an item of a group with `foreach` or `matrix`.
  ///
  /// Such a scope has the values of the scope around it, and sees the steps of that scope, too.
  package var enclosing: Int?
  /// The position of the scope of the file that was read, if a run has copied it for an item.
  var origin: Int?
  /// The prefix of the ids of its steps: empty, or `deploy/`.
  package var prefix = ""
  /// The prefix of the names of its steps in displays, such as `Deploy/`; nil if it is `prefix`.
  package var title: String?
  /// The parameters.
  package var parameters: [String: Argument] = [:]
  /// The parameters derived from a secret, directly or through parameters of parent scopes.
  package var secretParameters: Set<String> = []
  /// The event that started the run; nil if not yet known, and in scopes of used files.
  package var trigger: Trigger?
  /// The arguments after `--`; nil if not yet known, and in scopes of used files.
  package var arguments: [String]?
  /// `matrix`, `item` and `index` of the step that uses the file.
  package var bindings: Bindings?
  /// The sources of the secrets, by name.
  package var secrets: [String: SecretSource] = [:]
  /// Variables from `dotenv` files; they do not override existing variables.
  package var dotenv: [String: String] = [:]
  /// Environment variables for each step of the file.
  package var environment: [String: Template] = [:]
  /// The variables that the step with `uses` and the groups around it add, in the parent scope.
  package var callerEnvironment: [String: Template] = [:]
  /// Their directories, in the parent scope; each is relative to the one before it.
  package var callerDirectories: [Template] = []
  /// What groups outside of the innermost `foreach` or `matrix` around that step set.
  package var callerOuter: [OuterSettings] = []
  /// The working directory of its steps, relative to the parent scope.
  package var directory: Template?
  /// The pools that the file declares, with their sizes.
  package var pools: [String: Int] = [:]
  /// The runners that the file names.
  package var runners: [String: RunnerChoice] = [:]
  /// The name of the workflow.
  package var workflow: String
  /// The absolute path of the folder of the file; the current folder without a file.
  package var folder = ""
  /// The steps that were expanded or that use other files, by their ids in this file.
  package var groups: [String: StepGroup] = [:]

  package init(
    parent: Int? = nil, prefix: String = "", bindings: Bindings? = nil, workflow: String
  ) {
    (self.parent, self.prefix, self.bindings) = (parent, prefix, bindings)
    self.workflow = workflow
  }
}

/// A step of a file that was expanded to several steps of the graph.
package struct StepGroup: Sendable, Equatable {
  package enum Kind: Sendable, Equatable {
    /// One member for each item: the ids of steps or groups.
    case each([String])
    /// The steps of another file, and the scope in which its outputs are evaluated.
    case used(scope: Int, outputs: [String: Template])
  }

  package var kind: Kind
  /// The ids of the last steps; steps that need the group need these.
  package var ends: [String]

  package init(kind: Kind, ends: [String]) {
    (self.kind, self.ends) = (kind, ends)
  }
}

extension Scope {
  /// Forgets the items of steps that were expanded during a run.
  ///
  /// - Parameter owners: The ids of those steps, by the ids of the steps of their items.
  mutating func forgetItems(_ owners: [String: String]) {
    let fans = Set(owners.values)
    groups = groups.filter { !ItemNames.isOfItem(prefix + $0.key, of: fans) }
    for (name, var group) in groups {
      if fans.contains(prefix + name) { group.kind = .each([]) }
      var seen: Set<String> = []
      group.ends = group.ends.map { owners[$0] ?? $0 }.filter { seen.insert($0).inserted }
      groups[name] = group
    }
  }
}

/// The `matrix` or `foreach` values of one instance of an expanded step.
package struct Bindings: Sendable, Equatable {
  /// A combination of a matrix.
  package var matrix: [String: Value]?
  /// An item of a `foreach`.
  package var item: Value?
  var index: Int?
  /// The names that occur in any combination of the matrix.
  package var matrixNames: Set<String> = []

  /// The number of the step whose items are only known during the run, if `item` is one of them.
  package var openItem: Int?
  /// The number of the step whose items are only known during the run, if `matrix` is one of them.
  package var openMatrix: Int?

  /// Whether some of the values are only known during the run.
  package var isOpen: Bool { openItem != nil || openMatrix != nil }

  /// Label that distinguishes this instance from its siblings, such as `linux, 5`.
  package var label: String

  package init(
    matrix: [String: Value]? = nil, item: Value? = nil, index: Int? = nil, label: String
  ) {
    self.matrix = matrix
    self.item = item
    self.index = index
    self.label = label
  }

  /// Returns a short label that distinguishes an expanded step from its siblings.
  package static func label(of values: some Sequence<Value>) -> String {
    let words = values.map { value -> String in
      // Truncate first, because the value may be huge.
      let text = printable(
        String(String.UnicodeScalarView(value.asText.unicodeScalars.prefix(100))))
      return text.count > 24 ? text.prefix(23) + "…" : text
    }
    return words.joined(separator: ", ")
  }
}

/// The source of a secret.
public enum SecretSource: Sendable, Equatable {
  /// An environment variable of the process that starts the run.
  case environment(String)
  /// The contents of a file, without a trailing newline.
  case file(String)
  /// The standard output of a program, without a trailing newline.
  case command([String])
  /// A variable or file that may be missing, or empty; the secret is the empty text then.
  indirect case optional(SecretSource)
}

extension Workflow {
  /// Returns the position of the scope of the file to which a scope belongs.
  package func fileScope(of scope: Int) -> Int {
    var scope = scope
    while let outer = scopes[scope].enclosing { scope = outer }
    return scope
  }

  /// Returns the position of the scope with the secrets of a scope.
  package func secretScope(of scope: Int) -> Int {
    let file = fileScope(of: scope)
    return scopes[file].origin ?? file
  }
}
