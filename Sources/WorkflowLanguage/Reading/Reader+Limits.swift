// Parses the types and defaults of parameters.

import YAML

extension Reader {
  /// The names of the types of parameters.
  static let parameterTypes = ["string", "number", "integer", "boolean", "choice", "list", "map"]
  /// The range of `min` and `max`.
  static let limits = -1e15...1e15
  /// The names of types in other languages, with the corresponding type.
  private static let typeSynonyms = [
    "array": "list", "sequence": "list", "object": "map", "dict": "map", "mapping": "map",
    "hash": "map", "int": "integer", "float": "number", "double": "number", "bool": "boolean",
    "str": "string", "text": "string", "enum": "choice",
  ]

  /// Returns the name of the type of a parameter.
  mutating func typeName(_ node: Node) -> String? {
    if let written = node.text, let meant = Self.typeSynonyms[written.lowercased()] {
      report(.unknownChoice("type", written, .nearest(meant)), at: node)
      return nil
    }
    return choice(node, "type", of: Self.parameterTypes)
  }

  /// Returns a list or map that is written as a value of a parameter.
  mutating func structure(_ node: Node) -> Value? {
    let value = Value(node)
    guard !value.json.hasExpression else {
      report(.expressionNotAllowed("a list or map"), at: node)
      return nil
    }
    return value
  }

  /// Returns the default of a parameter as an argument is written: lists and maps in JSON.
  mutating func defaultText(_ node: Node, _ kind: Parameter.Kind) -> String? {
    switch (kind, node.content) {
    case (.list, .sequence), (.map, .mapping): structure(node)?.json
    default: text(node, "default")
    }
  }

  /// Returns the parameter whose declaration is its default.
  mutating func scalarParameter(_ name: String, _ node: Node) -> Parameter? {
    if node.isNull { return Parameter(name: name) }
    // A scalar is a default value, which also determines the type.
    guard text(node, "the default of \"\(name)\"") != nil else { return nil }
    let value = Value(node)
    let kind: Parameter.Kind =
      switch value {
      case .boolean: .boolean
      case .number, .digits: value.asText == node.text ? .number : .string
      default: .string
      }
    return Parameter(
      name: name, kind: kind, defaultValue: kind == .string ? .text(node.text ?? "") : value)
  }
}
