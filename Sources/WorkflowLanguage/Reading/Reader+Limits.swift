// Parses the types, defaults and limits of parameters.

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

  /// Parses the limits of a parameter.
  mutating func parameterLimits(
    _ name: String, _ kind: Parameter.Kind, _ fields: Fields
  ) -> Parameter.Limits {
    for key in ["min", "max", "pattern"] {
      guard let place = fields.key(key) else { continue }
      let isValid =
        switch kind {
        case .string: true
        case .number, .integer, .list, .map: key != "pattern"
        case .boolean, .choice: false
        }
      if !isValid { report(.misplaced(.limits(key, of: kind.name)), at: place) }
    }
    var limits = Parameter.Limits()
    limits.minimum = fields["min"].flatMap { decimal($0, "min", Self.limits) }
    limits.maximum = fields["max"].flatMap { decimal($0, "max", Self.limits) }
    if let minimum = limits.minimum, let maximum = limits.maximum, minimum > maximum {
      report(.emptyLimits(name), at: fields.key("max") ?? fields.node)
      return Parameter.Limits()
    }
    if let node = fields["pattern"], let pattern = text(node, "pattern") {
      do throws(PatternError) {
        _ = try TextPattern(pattern)
        limits.pattern = pattern
      } catch {
        report(.textPattern(error.message), at: node)
      }
    }
    return limits
  }
}
