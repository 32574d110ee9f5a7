// The places where expressions are allowed, and the names that are available at each place.

package import Workflows

/// A place in a file where expressions are allowed.
package enum ExpressionPlace: Equatable {
  /// `env` of a workflow.
  case workflowEnvironment
  /// `env` of a step.
  case environment
  /// `with` of a step.
  case with
  /// `exec` and `dir`.
  case setting
  /// `exec` after the program, where `args` may be spliced.
  case argument
  /// `dir` of a workflow.
  case workflowDirectory
  /// `if`.
  case condition
  /// `if` of a workflow.
  case workflowCondition
  /// `outputs` of a step.
  case outputs
  /// `until` and `while` of a step that repeats.
  case repetition
  /// `outputs` of a workflow.
  case workflowOutputs
  /// `cache.key`.
  case cacheKey
  /// `share`.
  case share
  /// `on`, which is evaluated before there is an event.
  case triggers
  /// `foreach` and `matrix` whose items are computed during the run.
  case items(Items)
  /// `item-id` of a `foreach` or `matrix`.
  case itemKey
  /// A setting that is evaluated before the run starts, by its name.
  case settled(String)
  /// A setting of a runner, by its name: evaluated before the run starts, except for the number of the attempt.
  case runner(String)

  /// What is computed for the items of a step.
  package enum Items: Equatable {
    case foreach, matrix
    case matrixList(String)
  }

  /// Whether a text is passed on as it is; `exec` looks at all of its words together.
  var isReadByNoShell: Bool {
    self == .environment || self == .workflowEnvironment || self == .workflowDirectory
  }

  var name: String {
    switch self {
    case .workflowEnvironment: "the env of a workflow"
    case .environment: "env"
    case .with: "with"
    case .setting, .argument: "exec or dir"
    case .workflowDirectory: "the dir of a workflow"
    case .condition: "if"
    case .workflowCondition: "the condition of a workflow"
    case .outputs: "outputs"
    case .repetition: "repeat"
    case .workflowOutputs: "the outputs of a workflow or group"
    case .cacheKey: "the key of a cache"
    case .share: "share"
    case .triggers: "on"
    case .items(.foreach): "foreach"
    case .items: "matrix"
    case .itemKey: "item-id"
    case .runner(let what), .settled(let what): "\(what), which is evaluated before the run starts"
    }
  }

  /// The available names, except those that `matrix` and `foreach` add.
  var roots: Set<Expression.Root> {
    switch self {
    case .workflowEnvironment: [.params, .env, .secrets, .run, .workflow, .machine]
    case .environment: [.params, .env, .secrets, .steps, .run, .workflow, .machine]
    case .with: [.params, .env, .secrets, .steps, .run, .workflow, .machine]
    case .setting, .argument, .condition, .cacheKey, .share, .items, .itemKey:
      [.params, .env, .steps, .run, .workflow, .machine]
    case .outputs: [.params, .env, .steps, .run, .workflow, .machine, .stdout, .outputs]
    case .repetition:
      [.params, .env, .steps, .run, .workflow, .machine, .stdout, .outputs, .status]
    case .workflowOutputs: [.params, .steps, .workflow, .machine]
    case .workflowDirectory, .workflowCondition: [.params, .env, .run, .workflow, .machine]
    case .triggers, .settled: [.params, .workflow, .machine]
    case .runner: [.params, .workflow, .machine, .attempt]
    }
  }

  /// Whether the trigger of the run is available.
  var seesTrigger: Bool { self != .triggers }

  /// Whether secrets are allowed, because only the step sees the value.
  var mayHoldSecrets: Bool { roots.contains(.secrets) }

  /// Whether the place belongs to a step, which `matrix` or `foreach` may expand.
  var isOfStep: Bool {
    switch self {
    case .workflowEnvironment, .workflowDirectory, .workflowOutputs, .workflowCondition: false
    default: true
    }
  }
}

extension WorkflowReader {
  /// Returns the names that expressions at a place can refer to, and their types.
  package func expressionScope(
    of place: ExpressionPlace, scope: Int, _ bindings: Bindings?, isFinally: Bool = false
  ) -> ExpressionScope {
    var roots = place.roots
    if place.isOfStep, let bindings {
      if bindings.matrix != nil { roots.insert(.matrix) }
      if bindings.item != nil { roots.formUnion([.item, .index]) }
    }
    // A file that is used by another file sees only its parameters, not the trigger or `args`.
    if isOfMainFile(scope), place.seesTrigger { roots.formUnion([.trigger, .args]) }
    let found = scopes[scope]
    let mayHoldSecrets = place.mayHoldSecrets
    return ExpressionScope(
      roots: roots, place: place.name,
      allowsStatus: place == .condition || isFinally && place == .environment,
      allowsFiles: place.roots.contains(.steps),
      whole: { root throws(Diagnostic.Cause) in
        let names =
          root == .env
          ? Array(found.environment.keys) : root == .params ? Array(found.parameters.keys) : []
        guard !mayHoldSecrets,
          let name = names.sorted().first(where: { isSecret(root, $0, scope: scope) })
        else { return }
        throw .secrets(root, name, in: place.name)
      },
      member: { root, name throws(Diagnostic.Cause) in
        if !mayHoldSecrets, isSecret(root, name, scope: scope) {
          throw .secret(root, name, in: place.name)
        }
        if root == .run, isFinally, let types = Self.membersAtEnd[name] { return types }
        if root == .run, Self.membersAtEnd[name] != nil { throw .onlyInFinally("run.\(name)") }
        return try types(of: root, name, in: found, scope: scope, bindings)
      })
  }

  /// Returns whether a scope belongs to the main file.
  private func isOfMainFile(_ scope: Int) -> Bool {
    var scope = scope
    while let outer = scopes[scope].enclosing { scope = outer }
    return scope == 0
  }

  /// The members of `run` that have a value only under `finally`.
  private static let membersAtEnd: [String: ValueTypes] = [
    "result": .text, "reason": .text, "failed": .list, "outcome": .text,
  ]

  /// Returns whether a parameter or a variable of the workflow contains a secret.
  private func isSecret(_ root: Expression.Root, _ name: String, scope: Int) -> Bool {
    switch root {
    case .params: return scopes[scope].secretParameters.contains(name)
    case .env:
      return scopes[scope].environment[name].map { isSecret($0, scope: scope) } ?? false
    default: return false
    }
  }

  /// Returns whether a template uses a secret, or a parameter that contains a secret.
  package func isSecret(_ template: Template, scope: Int) -> Bool {
    template.expressions.contains { expression, _ in
      var isSecret = false
      expression.visit { part in
        switch part.kind {
        case .root(.secrets): isSecret = true
        case .member(let base, let member):
          if case .root(.params) = base.kind, scopes[scope].secretParameters.contains(member) {
            isSecret = true
          }
        default: break
        }
      }
      return isSecret
    }
  }

  /// Returns the types of a member if it is one of the known names.
  private func known(
    _ name: String, _ names: some Collection<String>, _ what: String, _ types: ValueTypes
  ) throws(Diagnostic.Cause) -> ValueTypes {
    if names.contains(name) { return types }
    if let base = names.first(where: { name.hasPrefix($0 + "-") }) {
      throw .unknownMember(what, name, .minus(base))
    }
    // Searching many names for each of many errors would cost their product.
    let isSearched = names.count < 20 || readers.allSatisfy(\.searchesSuggestions)
    guard isSearched else { throw .unknownMember(what, name, .unsearched) }
    let near = nearest(to: name, among: names)
    throw .unknownMember(
      what, name, near.map(Alternatives.nearest) ?? .names(names.prefix(1000).sorted()))
  }

  private func types(
    of root: Expression.Root, _ name: String, in found: Scope, scope: Int, _ bindings: Bindings?
  ) throws(Diagnostic.Cause) -> ValueTypes {
    switch root {
    case .params:
      switch found.parameters[name] {
      case .value(let value): return value.types
      case .template(_, let parameter): return parameter.types
      case .open(let types): return types
      case nil: return try known(name, found.parameters.keys, "parameter", .any)
      }
    case .env: return [.text, .null]
    case .secrets: return try known(name, found.secrets.keys, "secret", .text)
    case .steps:
      let scope = self.scope(declaring: name, seenFrom: scope)
      if stepIDs[scope].positional.contains(name) { throw .positionalID(name) }
      if let group = scopes[scope].groups[name] {
        if case .each = group.kind { return [.list, .map] }
        return .map
      }
      guard places[scope][name] == nil else { return .map }
      return try known(name, places[scope].keys, "step", .map)
    case .matrix:
      if let bindings, bindings.openMatrix != nil, bindings.matrixNames.isEmpty { return .any }
      return try known(name, bindings?.matrixNames ?? [], "matrix value", .any)
    case .run:
      return try known(
        name, ["id", "generation", "dir", "working-dir"], "run property",
        name == "generation" ? .number : .text)
    case .workflow: return try known(name, ["name", "dir"], "workflow property", .text)
    case .machine:
      return try known(
        name, ["os", "arch", "cpus"], "machine property", name == "cpus" ? .number : .text)
    case .trigger:
      return try known(
        name, Trigger.members.keys.sorted(), "trigger property", Trigger.members[name] ?? .any)
    case .outputs: return [.text, .null]
    case .item, .index, .args, .stdout, .status, .attempt: return .any
    }
  }
}
