// The arguments of a called action: as written in the file, and as computed values.

/// The arguments of a called action, as written in the file.
package struct CallArguments: Sendable, Equatable {
  /// A value of any kind.
  package indirect enum Tree: Sendable, Equatable {
    /// A literal scalar: its value and its source text.
    case scalar(Value, text: String)
    /// A text with expressions.
    case template(Template)
    case list([Tree])
    case map([String: Tree])
  }

  package var trees: [String: Tree] = [:]

  /// Creates an empty set of arguments.
  package init() {}

  /// The source text of each argument.
  package var declared: [String: String] { trees.mapValues(\.written) }
}

extension CallArguments.Tree {
  /// The source text; lists and maps are written on one line.
  fileprivate var written: String {
    switch self {
    case .scalar(_, let text): text
    case .template(let template): template.source
    case .list(let trees): "[" + trees.map(\.written).joined(separator: ", ") + "]"
    case .map(let trees):
      "{ "
        + trees.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value.written)" }
        .joined(separator: ", ") + " }"
    }
  }

  /// All texts with expressions in the tree.
  package var templates: [Template] {
    switch self {
    case .scalar: []
    case .template(let template): [template]
    case .list(let trees): trees.flatMap(\.templates)
    case .map(let trees): trees.values.flatMap(\.templates)
    }
  }

  /// The value before the run; templates are unknown.
  package var known: ArgumentValue {
    switch self {
    case .scalar(let value, let text): .scalar(value, text: text)
    case .template: .unknown
    case .list(let trees): .list(trees.map(\.known))
    case .map(let trees): .map(trees.mapValues(\.known))
    }
  }
}

extension StepSource {
  /// Computes the arguments of a called action.
  ///
  /// - Throws: ``ResolutionError`` for the first value that cannot be computed.
  package func arguments(_ arguments: CallArguments) throws(ResolutionError) -> [String:
    ArgumentValue]
  {
    var values: [String: ArgumentValue] = [:]
    for (name, tree) in arguments.trees {
      values[name] = try value(of: tree, "with.\(name)")
    }
    return values
  }

  private func value(
    of tree: CallArguments.Tree, _ place: String
  ) throws(ResolutionError) -> ArgumentValue {
    switch tree {
    case .scalar(let value, let text): return .scalar(value, text: text)
    case .template(let template): return ArgumentValue(try value(of: template, place))
    case .list(let trees):
      var values: [ArgumentValue] = []
      for (position, tree) in trees.enumerated() {
        values.append(try value(of: tree, "\(place)[\(position)]"))
      }
      return .list(values)
    case .map(let trees):
      var values: [String: ArgumentValue] = [:]
      for (name, tree) in trees { values[name] = try value(of: tree, "\(place).\(name)") }
      return .map(values)
    }
  }
}
