// What a step gives to the action that it calls: as the file has it, and as it is known. Plain values.

import YAML

/// What a step gives to the action that it calls, as its file has it.
public struct CallArguments: Sendable, Equatable {
  /// One value, whatever its kind.
  indirect enum Tree: Sendable, Equatable {
    /// A scalar that stands there: with its kind, and as it is written.
    case scalar(Value, text: String)
    /// A text with expressions.
    case template(Template)
    case list([Tree])
    case map([String: Tree])
  }

  var trees: [String: Tree] = [:]

  /// Gives nothing.
  init() {}

  /// What is given, as it is written.
  package var declared: [String: String] { trees.mapValues(\.written) }
}

/// A value that is given to an action, as far as it is known.
package indirect enum ArgumentValue: Sendable, Equatable {
  /// A scalar: with its kind, and as it was written.
  case scalar(Value, text: String)
  case list([ArgumentValue])
  case map([String: ArgumentValue])
  /// What is known only when the step starts.
  case unknown

  /// What is known of a value that was computed.
  package init(_ value: Value) {
    switch value {
    case .list(let values): self = .list(values.map(ArgumentValue.init))
    case .map(let values): self = .map(values.mapValues(ArgumentValue.init))
    case .null, .boolean, .number, .text: self = .scalar(value, text: value.asText)
    }
  }

  /// The value; what is not known is nothing.
  package var value: Value {
    switch self {
    case .scalar(let value, _): value
    case .list(let values): .list(values.map(\.value))
    case .map(let values): .map(values.mapValues(\.value))
    case .unknown: .null
    }
  }

  /// The value for people, where it is short; never a part of one, in which a secret would not be found.
  var shown: String {
    switch self {
    case .scalar(.text, let text) where text.utf8.count <= 60: "\"\(text)\""
    case .scalar(.number, let text), .scalar(.boolean, let text): text
    case .scalar, .list, .map, .unknown: kindName
    }
  }

  /// What kind of value it is, for people.
  var kindName: String {
    switch self {
    case .scalar(let value, _): value.types.name
    case .list: "a list"
    case .map: "a map"
    case .unknown: "any value"
    }
  }
}

extension CallArguments.Tree {
  /// It as it is written; lists and maps in one line.
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

  /// The texts with expressions in it.
  var templates: [Template] {
    switch self {
    case .scalar: []
    case .template(let template): [template]
    case .list(let trees): trees.flatMap(\.templates)
    case .map(let trees): trees.values.flatMap(\.templates)
    }
  }

  /// What is known of it before anything has run: all but what has to be computed.
  var known: ArgumentValue {
    switch self {
    case .scalar(let value, let text): .scalar(value, text: text)
    case .template: .unknown
    case .list(let trees): .list(trees.map(\.known))
    case .map(let trees): .map(trees.mapValues(\.known))
    }
  }
}

extension StepSource {
  /// Computes what a step gives to the action that it calls.
  ///
  /// - Throws: ``ResolutionError`` for the first value that cannot be computed.
  func arguments(_ arguments: CallArguments) throws(ResolutionError) -> [String: ArgumentValue] {
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
